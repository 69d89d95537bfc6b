import { describe, expect, it } from 'vitest'
import { REFUSAL_CODES } from '../core/need.js'
import { bashCommands } from '../../test/builders/real-bash.js'
import { analyse } from './analyse.js'

const ACCEPTED: readonly string[] = [
  'npm test',
  '  npm\t run   build ',
  "zzgit commit -m 'a message; with | signs & $HOME'",
  'zzgit commit -m "it\'s (done) #1!"',
  String.raw`zzecho "a \"quoted\" \\ word, \$5 and \x stays"`,
  String.raw`zzecho a\ b \"c\" \'d\' \$e \; \& \* \~ \# \\`,
  'zzecho \'\' "" a""b',
  "zzecho 'don'\\''t'",
  'zzgit show HEAD~1 HEAD^ main@v2 a,b x=1 --flag=value +x %y',
  'zzecho issue#12 a\'b\'#c ""#d',
  'zzecho \'naïve 日本 🙂\' "ß"',
  'zzecho -- - -n --',
  "zz'if' then fi done",
  'zzecho [x'.replace('[', "'['"),
]

const REFUSED: readonly (readonly [string, string, number])[] = [
  ['', 'empty', 0],
  ['  \t', 'empty', 0],
  ['a; b', 'compound', 1],
  ['a && b', 'compound', 2],
  ['a | b', 'compound', 2],
  ['a &', 'compound', 2],
  ['a\nb', 'compound', 1],
  ['(a)', 'compound', 0],
  ['f() { a; }', 'compound', 1],
  ['if a', 'compound', 0],
  ['time a', 'compound', 0],
  ['! a', 'expansion', 0],
  ['{ a', 'expansion', 0],
  ['[[ a', 'expansion', 0],
  ["'while' a", 'compound', 0],
  ['a $b', 'expansion', 2],
  ['a "$b"', 'expansion', 3],
  ['a `b`', 'expansion', 2],
  ['a "`b`"', 'expansion', 3],
  ["a $'b'", 'expansion', 2],
  ['a *.ts', 'expansion', 2],
  ['a b?', 'expansion', 3],
  ['a [b]', 'expansion', 2],
  ['a {b,c}', 'expansion', 2],
  ['a ~/b', 'expansion', 2],
  ['a b=~/c', 'expansion', 4],
  ['a !b', 'expansion', 2],
  ['a >b', 'redirect', 2],
  ['a 2>&1', 'redirect', 3],
  ['a <b', 'redirect', 2],
  ['a <<E', 'redirect', 2],
  ['B=1 a', 'assignment', 0],
  ['B+=1 a', 'assignment', 0],
  ['B=1', 'assignment', 0],
  ['a # b', 'unanalysed', 2],
  ['%1', 'unanalysed', 0],
  ['-x a', 'unanalysed', 0],
  ['+x a', 'unanalysed', 0],
  ["'' a", 'empty', 0],
  ["a 'b", 'quoting', 2],
  ['a "b', 'quoting', 3],
  ['a b\\', 'quoting', 3],
  ['a \\\nb', 'quoting', 3],
  ['a "b\\\nc"', 'quoting', 4],
  ['a é', 'quoting', 2],
  ['a \\é', 'quoting', 3],
  ['a "é\\"b"', 'quoting', 4],
  ['a b\r', 'control_character', 3],
  ['a\u0000b', 'control_character', 1],
  ['a \u202eb', 'control_character', 2],
  ['a \u200bb', 'control_character', 2],
  ['a\u00a0b', 'control_character', 1],
  ["a 'b\u2066c'", 'control_character', 4],
  ['a "b\nc"', 'control_character', 4],
  [`a ${'b'.repeat(16 * 1024)}`, 'oversize', 0],
  [`a '${'é'.repeat(8 * 1024)}'`, 'oversize', 0],
]

const UNSEEN: readonly string[] = [
  ...['env ls', 'timeout 5 ls', 'sudo ls', 'xargs rm', 'eval ls', 'exec ls', 'command ls'],
  ...[
    '/usr/bin/env ls',
    'ENV ls',
    'nice ls',
    'sh -c ls',
    'bash -c ls',
    'bash -xc ls',
    'bash +x -c ls',
  ],
  ...['bash', 'sh -', 'python -c 1', 'python3.11 -c 1', 'python3', 'python -Sc 1', 'node -e 1'],
  ...['node --eval=1', 'node --test -e 1', 'perl -ne 1', 'ruby -e 1', 'awk 1', 'sed 1d f', '. ./f'],
  ...[
    'find . -name x -exec rm x',
    'find . -execdir rm x',
    'git -c alias.x=y x',
    'git diff --ext-diff',
  ],
  ...[
    'git diff --ext',
    'git clone -u x y',
    'git rebase -x ls',
    'tar xfI a b',
    'tar --to-comm=x xf a',
  ],
  ...[
    'tar -xf a -I x',
    'rsync -e x a b',
    'curl -K f',
    'curl --conf f',
    'npx x',
    'npm exec x',
    'ssh a b',
  ],
  ...[
    'printf -v x y',
    "printf -v 'a[1]' y",
    "test -v 'x'",
    'bash --rcfile f',
    'busybox ls',
    'make --eval=x',
  ],
]

const SEEN: readonly string[] = [
  ...['find . -name x -type f', 'git commit -m x', 'git -C x status', 'tar --list --file a.tgz'],
  ...[
    'bash script.sh -c x',
    'python script.py -c',
    'python -m pytest -k x',
    'node --test',
    'node a.js -e',
  ],
  ...[
    'node --version',
    'curl https://example.com',
    'npm run build',
    'printf %s x',
    'make test',
    'rg x src',
  ],
]

describe('analyse', () => {
  it('states exactly the argv that bash runs, for every accepted text of the corpus', () => {
    const analyses = ACCEPTED.map(analyse)

    expect(analyses.map(({ refusals }) => refusals)).toEqual(ACCEPTED.map(() => []))
    expect(analyses.map(({ commands }) => commands[0]?.argv)).toEqual(bashCommands(ACCEPTED))
  })

  it.each(REFUSED)('refuses %j as %s at %i', (text, code, at) => {
    const { refusals } = analyse(text)

    expect(refusals).toContainEqual({ code, at })
    expect(refusals.every((refusal) => REFUSAL_CODES.includes(refusal.code))).toBe(true)
  })

  it.each(UNSEEN)('refuses `%s`, whose words do not show what runs', (text) => {
    expect(analyse(text).refusals.map(({ code }) => code)).toContain('unanalysed')
  })

  it.each(SEEN)('accepts `%s`, whose words show what runs', (text) => {
    expect(analyse(text)).toEqual({ commands: [{ argv: text.split(' ') }], refusals: [] })
  })

  it.each([
    ['cd x && git push origin', ['git', 'push', 'origin']],
    ['echo "$(git push)"', ['git', 'push']],
    ['echo `git push`', ['git', 'push']],
    ['if true; then git push; fi', ['git', 'push']],
    ['A=1 B=2 git push', ['git', 'push']],
    ['env -i A=1 git push', ['git', 'push']],
    ["bash -c 'cd x; git push'", ['git', 'push']],
    ['git push >log 2>&1', ['git', 'push']],
    ['g\u200bit push', ['git', 'push']],
    ["git 'push", ['git', 'push']],
  ])('tells what it can of refused text, for deny and ask: %j', (text, argv) => {
    const { commands, refusals } = analyse(text)

    expect(refusals).not.toEqual([])
    expect(commands).toContainEqual({ argv })
  })

  it.each([
    ['an endless list', ';a'.repeat(32 * 1024)],
    ['bare assignments', 'A=1;'.repeat(16 * 1024)],
    ['nested substitutions', '"$('.repeat(20 * 1024)],
    ['nested wrappers', `env ${'env '.repeat(16 * 1024)}`],
    ['nested shells', `sh -c 'sh -c "sh -c ${'a;'.repeat(30 * 1024)}"'`],
    ['one long quoted word', `a '${'\u202e'.repeat(30 * 1024)}'`],
  ])('[H-07] refuses 64 KiB of %s and tells at most 1,000 commands', (_name, text) => {
    const { commands, refusals } = analyse(text)

    expect(refusals.map(({ code }) => code)).toContain('oversize')
    expect(commands.length).toBeLessThanOrEqual(1000)
  })
})
