import { describe, expect, it } from 'vitest'
import type { Roots } from '../../core/facts.js'
import type { BoundMatch, BoundRule } from '../effective-policy.js'
import {
  aCommand,
  aHost,
  aPath,
  aQuestion,
  aText,
  bound,
  ROOTS,
  theWords,
} from '../../../test/property/policy-builders.js'
import { bindMatch, compileMatch } from './match.js'
import type { Question } from './question.js'
import { coveringEntry, judgeRules, rulesMet } from './verdict.js'

const WINDOWS = (workspace: string): Roots => ({
  workspace,
  home: 'C:\\Users\\u',
  temporary: [],
  platform: 'win32',
})

function decide(rules: readonly string[], question: Question): string {
  return judgeRules(bound({ rules }, question.roots).rules, question).decision
}

function read(path: string, options: Parameters<typeof aPath>[1] = {}): Question {
  const roots = options.roots ?? ROOTS
  return aQuestion('read', [aPath(path, { ...options, access: 'read' })], { roots })
}

function write(path: string, options: Parameters<typeof aPath>[1] = {}): Question {
  const roots = options.roots ?? ROOTS
  return aQuestion('write', [aPath(path, { ...options, access: 'write' })], { roots })
}

function run(command: string): Question {
  return aQuestion('bash', [aCommand(command)])
}

describe('rules and paths', () => {
  it.each<[string, readonly string[], Question, string]>([
    ['B-77', ['allow read(/ws/**)'], read('/ws-evil/a.txt'), 'no_match'],
    [
      'B-78',
      ['allow write(C:\\work\\app\\src\\**)'],
      write('C:\\Work\\App\\src\\a.ts', { roots: WINDOWS('C:\\Work\\App') }),
      'allow',
    ],
    ['B-80', ['deny read(~/.ssh/**)'], read('/home/u/.ssh/config'), 'deny'],
    [
      'B-81',
      ['allow read(~/Projects/**)'],
      read('/home/u/Projects/a.md', { cwd: '/home/u/Downloads' }),
      'allow',
    ],
    ['B-82', ['deny read(~//vault/**)', 'allow read(/home/u/**)'], read('/home/u/vault/k'), 'deny'],
    [
      'B-83',
      ['deny read(C:/secrets/**)'],
      read('\\\\?\\c:\\Secrets\\k.txt', { roots: WINDOWS('C:\\ws') }),
      'deny',
    ],
    [
      'B-85',
      ['deny read(@outside)'],
      read('C:\\other\\s.txt', { roots: WINDOWS('D:\\ws') }),
      'deny',
    ],
    ['B-86', ['allow write(/ws/src/**)'], write('/ws/src/../../etc/x'), 'no_match'],
    [
      'B-69',
      ['deny read(/ws/secret.txt)', 'allow read(/ws/**)'],
      read('/ws/link.txt', { real: ['/ws/secret.txt'] }),
      'deny',
    ],
    [
      'B-70',
      ['allow read(/ws/tmp/**)'],
      read('/ws/tmp/n.txt', { real: ['/home/u/.aws/credentials'] }),
      'deny',
    ],
    ['B-71', ['allow write(/ws/**)'], write('/ws/d/x.txt', { real: ['/etc/x.txt'] }), 'no_match'],
    ['B-94', ['deny read(**/.env)', 'allow read(/ws/**)'], read('/ws/.env'), 'deny'],
    ['T013', ['allow read(src/*.rs)'], read('src/foo/bar.rs'), 'no_match'],
    ['T014', ['allow read(src/**/*.rs)'], read('src/main.rs'), 'allow'],
    ['T015', ['allow read(src/**/*.rs)'], read('src/a/b/c.rs'), 'allow'],
    ['T016', ['allow read(src/?.rs)'], read('src/a.rs'), 'allow'],
    ['T017', ['deny write(**/.env*)'], write('a/b/.env.local'), 'deny'],
    ['T017b', ['deny write(**/.env*)'], write('myapp.env'), 'no_match'],
    ['T019', ['deny write(**/.env*)'], write('a\\.env'), 'deny'],
    [
      'T021',
      ['deny write(C:/Users/**)'],
      write('C:\\Users\\a\\b', { roots: WINDOWS('C:\\ws') }),
      'deny',
    ],
    ['T058', ['allow write(*)', 'deny write(**)'], write('a.txt'), 'deny'],
    ['T060', ['deny write(**/.env*)', 'allow read(*)'], write('cfg/.env.local'), 'deny'],
    ['T065', ['ask read(secret/**)', 'allow read(*)'], read('/ws/secret/a'), 'ask'],
  ])('[%s] %j', (_id, rules, question, expected) => {
    expect(decide(rules, question)).toBe(expected)
  })

  it.each<[string, readonly string[], Question, string]>([
    ['`dir/**` is not `dir` for allow', ['allow read(src/**)'], read('src'), 'no_match'],
    ['`dir/**` is `dir` for deny', ['deny read(src/**)'], read('src'), 'deny'],
    ['`dir/**` is `dir` for ask', ['ask read(src/**)'], read('src'), 'ask'],
    ['dotfiles are matched', ['allow read(src/*)'], read('src/.hidden'), 'allow'],
    ['a glued `**` crosses folders', ['allow read(src**)'], read('srcs/a/b'), 'allow'],
    ['`*` stops at a newline', ['allow read(src/*)'], read('src/a\nb'), 'no_match'],
    ['braces alternate', ['allow read(src/*.{ts,js})'], read('src/a.js'), 'allow'],
    ['braces end', ['allow read(src/*.{ts,js})'], read('src/a.rs'), 'no_match'],
    ['`[*]` is a star', ['allow read(src/[*].ts)'], read('src/*.ts'), 'allow'],
    ['`[*]` is no wildcard', ['allow read(src/[*].ts)'], read('src/a.ts'), 'no_match'],
    ['other brackets are literal', ['allow read(src/[id].ts)'], read('src/[id].ts'), 'allow'],
    ['brackets are no set', ['allow read(src/[id].ts)'], read('src/i.ts'), 'no_match'],
    ['`!` is literal', ['allow read(!a)'], read('!a'), 'allow'],
    ['escaped parentheses', ['allow read(a\\(b\\).ts)'], read('a(b).ts'), 'allow'],
    ['a backslash separates in a pattern', ['allow read(src\\a.ts)'], read('src/a.ts'), 'allow'],
    ['an allow needs both readings', ['allow read(src/**)'], read('src\\a.ts'), 'no_match'],
    ['deny ignores case', ['deny read(/ws/Secret/**)'], read('/ws/sEcret/a'), 'deny'],
    ['allow does not', ['allow read(/ws/Src/**)'], read('/ws/src/a'), 'no_match'],
    ['deny ignores invisible letters', ['deny read(/ws/key)'], read('/ws/k\u200bey'), 'deny'],
    ['deny ignores composition', ['deny read(/ws/é)'], read('/ws/e\u0301'), 'deny'],
    ['deny ignores trailing dots', ['deny read(/ws/key)'], read('/ws/key. .'), 'deny'],
    ['a pattern with trailing dots', ['deny read(/ws/key./**)'], read('/ws/key./a'), 'deny'],
    ['the Kelvin sign is a k', ['deny read(/ws/key)'], read('/ws/\u212aey'), 'deny'],
    ['variables expand', ['deny read(~/x)'], read('$HOME/x'), 'deny'],
    ['braced variables expand', ['deny read(/tmp/x)'], read('${TMPDIR}/x'), 'deny'],
    ['a home of another name', ['allow read(~/**)'], read('~u/x'), 'no_match'],
    ['doubled separators fold', ['allow read(/ws/a/b)'], read('/ws//a/./b'), 'allow'],
    ['a pattern with `..` folds', ['deny read(../other/**)'], read('/other/x'), 'deny'],
    ['@workspace', ['allow read(@workspace)'], read('/ws/a'), 'allow'],
    ['@workspace ends', ['allow read(@workspace)'], read('/wsx/a'), 'no_match'],
    ['@tmp', ['allow read(@tmp)'], read('/tmp/a'), 'allow'],
    ['@home', ['deny read(@home)'], read('/home/u/a'), 'deny'],
    ['@protected', ['deny write(@protected)'], write('/ws/.GIT/config'), 'deny'],
    ['@protected, nested', ['deny write(@protected)'], write('/ws/sub/.git/hooks/x'), 'deny'],
    ['@protected, below only', ['deny write(@protected)'], write('/ws/.github/x'), 'no_match'],
    ['all of several paths', ['allow read(a)'], twoPaths(), 'no_match'],
    ['by any rules', ['allow read(a)', 'allow read(b)'], twoPaths(), 'allow'],
    ['any of several paths', ['allow read', 'deny read(b)'], twoPaths(), 'deny'],
    ['an unresolved path proves nothing', ['allow read'], unresolved(), 'no_match'],
    ['an unresolved path is outside', ['deny read(@outside)'], unresolved(), 'deny'],
    ['an unresolved path is protected', ['deny read(@protected)'], unresolved(), 'deny'],
    ['another tool\u2019s allow', ['allow write(**)'], edit(), 'no_match'],
    ['a write deny sees every write', ['deny write(src/**)'], edit(), 'deny'],
    ['a read deny sees no write', ['deny read(src/**)'], edit(), 'no_match'],
  ])('%s', (_title, rules, question, expected) => {
    expect(decide(rules, question)).toBe(expected)
  })

  it('matches a deny also where its folder really leads', () => {
    const { rules } = bound(
      { rules: ['deny read(/ws/link/**)'] },
      ROOTS,
      new Map([['/ws/link', '/ws/real']]),
    )

    expect(judgeRules(rules, read('/ws/real/a'))).toEqual({
      decision: 'deny',
      matchedRule: 'deny read(/ws/link/**)',
      reason: 'rule',
    })
  })

  it('does not follow the folder of an allow', () => {
    const { rules } = bound(
      { rules: ['allow read(/ws/link/**)'] },
      ROOTS,
      new Map([['/ws/link', '/ws/real']]),
    )

    expect(judgeRules(rules, read('/ws/real/a')).decision).toBe('no_match')
  })

  function twoPaths(): Question {
    return aQuestion('read', [aPath('a'), aPath('b')])
  }

  function unresolved(): Question {
    return aQuestion('read', [aPath('loop', { resolved: false })])
  }

  function edit(): Question {
    return aQuestion('edit', [aPath('src/a', { access: 'write' })])
  }
})

describe('rules and commands', () => {
  it.each<[string, readonly string[], Question, string]>([
    ['T001', ['deny bash(rm -rf**)'], run('rm -rf ./x/y'), 'deny'],
    ['T002', ['deny bash(rm -rf*)'], run('rm -rf ./x/y'), 'no_match'],
    ['T003', ['deny bash(rm -rf*)'], run('rm -rf x'), 'deny'],
    ['T007', ['allow bash(cargo:*)'], run('cargo'), 'allow'],
    ['T008', ['allow bash(cargo:*)'], run('npm install'), 'no_match'],
    ['T008b', ['allow bash(cargo:*)'], run('cargox'), 'no_match'],
    ['T009', ['allow bash(npm run:*)'], run('npm install'), 'no_match'],
    ['T011', ['allow BASH(cargo:*)'], run('cargo build'), 'allow'],
    ['T012', ['allow Bash'], run('ls'), 'allow'],
    ['T012b', ['allow Bash'], read('/ws/a'), 'no_match'],
    ['T036', ['deny *'], run('ls'), 'deny'],
    ['T041', ['allow bash(echo \\(a\\))'], words('echo', '(a)'), 'allow'],
    ['T045', ['deny bash(rm -rf**)'], refused('cd sub && rm -rf x'), 'deny'],
    ['T046', ['deny bash(rm -rf**)'], run('rm  -rf  ./y'), 'deny'],
    ['T046b', ['deny bash(rm -rf**)'], run(' rm -rf ./y'), 'deny'],
    ['T050', ['allow bash(*)', 'deny bash(rm:*)'], run('rm -rf ./tmp'), 'deny'],
    ['T051', ['allow bash(cargo:*)', 'ask bash(*)'], run('cargo build'), 'ask'],
    ['T053', [], run('frobnicate'), 'no_match'],
    ['T061', ['ask bash(git push**)'], run('git push origin main'), 'ask'],
    ['T062', ['allow bash(cargo test**)'], run('cargo test'), 'allow'],
    ['B-58', ['allow bash(docker run img:tag:*)'], run('docker run img:tag'), 'allow'],
    ['B-39', ['deny bash(ssh:*)', 'allow bash'], run('/usr/bin/ssh host'), 'deny'],
    ['B-40', ['allow bash(numfmt:*)'], run('./numfmt 5'), 'no_match'],
    ['B-40b', ['allow bash(numfmt:*)'], run('/usr/bin/numfmt 5'), 'allow'],
    ['B-40c', ['allow bash(numfmt:*)'], run('/usr/bin/../../ws/numfmt 5'), 'no_match'],
    ['B-40d', ['allow bash(./numfmt:*)'], run('./numfmt 5'), 'allow'],
  ])('[%s] %j', (_id, rules, question, expected) => {
    expect(decide(rules, question)).toBe(expected)
  })

  it('proves each command of a text by any allow', () => {
    const text = aCommand('go build && go vet')
    const commands = [{ argv: ['go', 'build'] }, { argv: ['go', 'vet'] }]
    const question = aQuestion('bash', [{ ...text, analysis: { commands, refusals: [] } }])

    expect(decide(['allow bash(go build:*)', 'allow bash(go vet:*)'], question)).toBe('allow')
    expect(decide(['allow bash(go build:*)'], question)).toBe('no_match')
  })

  it('does not take a blank within a word for one between words', () => {
    expect(decide(['allow bash(git push origin main)'], words('git', 'push', 'origin main'))).toBe(
      'no_match',
    )
    expect(decide(['allow bash(git commit -m *)'], words('git', 'commit', '-m', 'a b'))).toBe(
      'allow',
    )
    expect(decide(['allow bash(rm a)'], words('rm a'))).toBe('no_match')
  })

  it('says why refused text is not allowed, where an allow would have met it', () => {
    const { rules } = bound({ rules: ['allow bash(echo:*)'] })

    expect(judgeRules(rules, refused('echo $x', 'indirection'))).toEqual({
      decision: 'no_match',
      matchedRule: null,
      reason: 'refused.indirection',
    })
    expect(judgeRules(rules, refused('ls $x', 'indirection')).reason).toBeNull()
  })

  it('never allows the text of another shell', () => {
    const { rules } = bound({ rules: ['allow bash', 'deny bash(del:*)'] })
    const text = (command: string): Question =>
      aQuestion('bash', [{ ...aCommand(command), shell: 'powershell' }])

    expect(judgeRules(rules, text('Get-Item x')).reason).toBe('refused.unsupported_shell')
    expect(judgeRules(rules, text('del x')).decision).toBe('deny')
  })

  function words(...argv: string[]): Question {
    return aQuestion('bash', [theWords(...argv)])
  }

  function refused(command: string, code: 'variable' | 'indirection' = 'variable'): Question {
    return aQuestion('bash', [aCommand(command, code)])
  }
})

describe('rules and other subjects', () => {
  const search = (text: string): Question => aQuestion('search', [aText(text)])
  const mcp = (tool: string): Question => aQuestion(tool, [aText('{}'), aHost(null, null)])
  const fetch = (host: string, path = '/'): Question => aQuestion('web_fetch', [aHost(host, path)])
  const download = aQuestion('download', [aPath('a', { access: 'write' }), aHost('a.test')])

  it.each<[string, readonly string[], Question, string]>([
    ['T025', ['allow grep(*)'], search('grep foo src'), 'allow'],
    ['T026', ['allow grep(*)'], search('glob **/*.rs'), 'no_match'],
    ['T027', ['allow grep'], search('bm25 a'), 'no_match'],
    ['T028', ['allow glob(*)'], search('glob **/*.rs'), 'allow'],
    ['T029', ['allow search(grep **)'], search('glob grep x'), 'no_match'],
    ['T031', ['allow mcp__github__*'], mcp('mcp__github__get_issue'), 'allow'],
    ['T034', ['deny mcp__pencil'], mcp('mcp__pencil__draw'), 'deny'],
    ['T034b', ['deny mcp__pencil'], mcp('mcp__pencilx__draw'), 'no_match'],
    ['T035', ['deny mcp__*'], run('ls'), 'no_match'],
    ['B-89', ['allow mcp__foo.bar__*'], mcp('mcp__foo_bar__evil'), 'no_match'],
    [
      'B-90',
      ['allow mcp__tracker__get*', 'ask mcp__tracker__*'],
      mcp('mcp__tracker__getIssue'),
      'ask',
    ],
    [
      'B-160',
      ['deny web_fetch(internal.test)', 'allow web_fetch'],
      fetch('internal.test.'),
      'deny',
    ],
    ['B-152', ['deny read(/ws/.env)'], aQuestion('host.env_load', [aPath('/ws/.env')]), 'deny'],
  ])('[%s] %j', (_id, rules, question, expected) => {
    expect(decide(rules, question)).toBe(expected)
  })

  it.each<[string, readonly string[], Question, string]>([
    ['subdomains only', ['allow web_fetch(*.a.test)'], fetch('a.test'), 'no_match'],
    ['subdomains', ['allow web_fetch(*.a.test)'], fetch('x.a.test'), 'allow'],
    ['no suffix of a name', ['allow web_fetch(*.a.test)'], fetch('xa.test'), 'no_match'],
    [
      'a path of a host',
      ['allow web_fetch(a.test/docs/**)'],
      fetch('a.test', '/docs/x/y'),
      'allow',
    ],
    ['another path', ['allow web_fetch(a.test/docs/**)'], fetch('a.test', '/admin'), 'no_match'],
    ['an encoded path', ['deny web_fetch(a.test/admin)'], fetch('a.test', '/%61dmin'), 'deny'],
    ['a host of any tool', ['deny web_fetch(a.test)'], download, 'deny'],
    ['download(p) and its host', ['allow download(a)'], download, 'no_match'],
    ['with a web_fetch allow', ['allow download(a)', 'allow web_fetch(a.test)'], download, 'allow'],
    ['bare download', ['allow download'], download, 'allow'],
    ['an unknown host, bare', ['deny web_fetch'], mcp('mcp__a__b'), 'deny'],
    ['an unknown host, named', ['deny web_fetch(a.test)'], mcp('mcp__a__b'), 'no_match'],
    ['no subjects, bare', ['allow ping'], aQuestion('ping'), 'allow'],
    ['no subjects, pattern', ['allow ping(x)'], aQuestion('ping'), 'no_match'],
    ['no subjects, deny', ['deny ping'], aQuestion('ping'), 'deny'],
    ['a search\u2019s folder only tightens', ['allow grep'], inFolder(), 'allow'],
    ['a search\u2019s folder tightens', ['allow grep', 'deny read(src/**)'], inFolder(), 'deny'],
    [
      'a path of the host\u2019s tool',
      ['allow load(cfg/**)'],
      aQuestion('load', [aPath('cfg/a')]),
      'allow',
    ],
  ])('%s', (_title, rules, question, expected) => {
    expect(decide(rules, question)).toBe(expected)
  })

  function inFolder(): Question {
    return aQuestion('search', [aText('grep x src'), aPath('src')])
  }
})

describe('secrets and kernel files', () => {
  it.each<[string, readonly string[], Question, string, string | null]>([
    ['a read', [], read('/ws/.env'), 'deny', 'builtin:credential'],
    ['a template', [], read('/ws/.env.example'), 'no_match', null],
    [
      'a wildcard',
      ['allow read(**)', 'allow read'],
      read('~/.ssh/id'),
      'deny',
      'builtin:credential',
    ],
    [
      'an allow by class',
      ['allow read(@credentials)'],
      read('/ws/.env'),
      'allow',
      'allow read(@credentials)',
    ],
    [
      'an allow by path',
      ['allow read(/ws/.env)'],
      read('/ws/.env'),
      'allow',
      'allow read(/ws/.env)',
    ],
    [
      'an ask by class',
      ['ask read(@credentials)'],
      read('/ws/.env'),
      'ask',
      'ask read(@credentials)',
    ],
    ['an ask by path', ['ask read(.env)'], read('/ws/.env'), 'ask', 'ask read(.env)'],
    ['an ask by wildcard', ['ask read(**)'], read('/ws/.env'), 'deny', 'builtin:credential'],
    ['a write', ['allow write(**)'], write('/ws/.env'), 'ask', 'builtin:credential'],
    [
      'a write by class',
      ['allow write(@credentials)'],
      write('/ws/.env'),
      'allow',
      'allow write(@credentials)',
    ],
    ['a deny of its own', ['deny read(**)'], read('/ws/.env'), 'deny', 'deny read(**)'],
    ['another case', [], read('/ws/.ENV'), 'deny', 'builtin:credential'],
    ['a listing', [], aQuestion('ls', [aPath('~/.ssh')]), 'no_match', null],
    ['kernel', ['allow read(**)'], read('/proc/self/environ'), 'ask', 'builtin:kernel'],
    [
      'kernel by class',
      ['allow read(@kernel)'],
      read('/proc/cpuinfo'),
      'allow',
      'allow read(@kernel)',
    ],
    ['the null device', ['allow read(/dev/*)'], read('/dev/null'), 'allow', 'allow read(/dev/*)'],
  ])('%s', (_title, rules, question, decision, matchedRule) => {
    expect(judgeRules(bound({ rules }).rules, question)).toMatchObject({ decision, matchedRule })
  })

  it('judges kernel files of a sandboxed call only when it would run outside', () => {
    const subjects = [aPath('/proc/self/environ')]

    const inside = judgeRules([], aQuestion('bash', subjects))
    const outside = judgeRules([], aQuestion('bash', subjects, { unconfined: true }))

    expect(inside.decision).toBe('no_match')
    expect(outside.matchedRule).toBe('builtin:kernel')
  })
})

describe('precedence, exceptions, limits and faults', () => {
  it('[S0-23] deny beats ask beats allow, whatever the order', () => {
    const rules = ['allow read', 'ask read(a)', 'deny read(a)']

    expect(decide(rules, read('a'))).toBe('deny')
    expect(decide([...rules].reverse(), read('a'))).toBe('deny')
    expect(decide(rules.slice(0, 2), read('a'))).toBe('ask')
  })

  it('[S0-08] names the first rule of the strictest effect', () => {
    const { rules } = bound({ rules: ['deny read(b)', 'deny read(*)', 'deny read(a)'] })

    expect(judgeRules(rules, read('a')).matchedRule).toBe('deny read(*)')
  })

  it('takes exceptions out subject by subject', () => {
    const except = ['read(public/**)']
    const rules = bound({ rules: [{ effect: 'deny', match: 'read(**)', except }] }).rules
    const both = aQuestion('read', [aPath('public/a'), aPath('b')])

    expect(judgeRules(rules, read('public/a')).decision).toBe('no_match')
    expect(judgeRules(rules, both).decision).toBe('deny')
  })

  it('needs proof of an exception to a deny and only suspicion of one to an allow', () => {
    const except = ['read(public/**)']
    const deny = bound({ rules: [{ effect: 'deny', match: 'read(**)', except }] }).rules
    const allow = bound({ rules: [{ effect: 'allow', match: 'read(**)', except }] }).rules
    const linked = read('public/a', { real: ['/ws/b'] })

    expect(judgeRules(deny, linked).decision).toBe('deny')
    expect(judgeRules(allow, linked).decision).toBe('no_match')
    expect(judgeRules(allow, read('c')).decision).toBe('allow')
  })

  it('[S0-22] ignores an allow of an untrusted source', () => {
    const rules = bound({ rules: ['allow read'] }).rules.map((rule) => ({
      ...rule,
      effective: false,
    }))

    expect(judgeRules(rules, read('a')).decision).toBe('no_match')
  })

  it('[H-07] past its limits every deny and ask of the tool counts and no allow does', () => {
    const long = aCommand(`echo ${'x'.repeat(65_536)}`)
    const many = Array.from({ length: 257 }, () => aPath('a'))
    const judge = (rules: readonly string[], question: Question): unknown =>
      judgeRules(bound({ rules }).rules, question)

    expect(judge(['deny bash(rm:*)'], aQuestion('bash', [long]))).toEqual({
      decision: 'deny',
      matchedRule: 'deny bash(rm:*)',
      reason: 'oversize',
    })
    expect(judge(['ask read(b)'], aQuestion('read', many))).toMatchObject({ decision: 'ask' })
    expect(judge(['deny write(b)', 'allow read'], aQuestion('read', many))).toEqual({
      decision: 'no_match',
      matchedRule: null,
      reason: 'oversize',
    })
    const commands = Array.from({ length: 1001 }, () => ({ argv: ['true'] }))
    const compound = { ...aCommand('true'), analysis: { commands, refusals: [] } }
    expect(judge(['allow bash'], aQuestion('bash', [compound]))).toMatchObject({
      reason: 'oversize',
    })
  })

  it('asks in a moment where the words of an unknown program are too many to try', () => {
    const argv = ['unknown', ...new Array<string>(8000).fill('a')]
    const command = theWords(...argv)
    const subject = { ...command, analysis: { commands: [{ argv, unknown: true }], refusals: [] } }
    const question = aQuestion('bash', [subject])
    const judge = (...rules: string[]): unknown => judgeRules(bound({ rules }).rules, question)
    const before = process.cpuUsage()

    expect(judge('deny bash(*a b*)', 'allow bash')).toMatchObject({
      decision: 'ask',
      matchedRule: 'builtin:denied_suffix',
    })
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000)
    // Nothing can hide where no rule names a pattern.
    expect(judge('allow bash')).toMatchObject({ decision: 'allow' })
  })

  it('[H-09] a deny or ask that throws counts, an allow that throws does not', () => {
    expect(judgeRules([aRule('deny', throwing)], read('a')).decision).toBe('deny')
    expect(judgeRules([aRule('ask', throwing)], read('a')).decision).toBe('ask')
    expect(judgeRules([aRule('allow', throwing)], read('a')).decision).toBe('no_match')
  })

  it('[H-09] an exception that throws takes nothing out of a deny and all out of an allow', () => {
    const everything = bindMatch(compileMatch('read'), ROOTS)

    expect(judgeRules([aRule('deny', everything, throwing)], read('a')).decision).toBe('deny')
    expect(judgeRules([aRule('allow', everything, throwing)], read('a')).decision).toBe('no_match')
  })

  const fail = (): never => {
    throw new RangeError('broken')
  }
  const throwing: BoundMatch = {
    text: 'read(x)',
    argumentFree: false,
    namesTool: (tool) => tool === 'read',
    proves: fail,
    suspects: fail,
  }

  function aRule(
    effect: BoundRule['effect'],
    match: BoundMatch,
    ...except: BoundMatch[]
  ): BoundRule {
    return { id: 'r', effect, source: 'user', effective: true, reason: null, match, except }
  }
})

describe('whitelists and reports', () => {
  const whitelist = (...entries: string[]): readonly BoundMatch[] =>
    entries.map((entry) => bindMatch(compileMatch(entry), ROOTS))

  it('names the entry that covers a call', () => {
    expect(coveringEntry(whitelist('write', 'read(src/**)'), read('src/a'))).toBe('read(src/**)')
  })

  it('needs every subject covered', () => {
    const both = aQuestion('read', [aPath('src/a'), aPath('b')])

    expect(coveringEntry(whitelist('read(src/**)'), both)).toBeNull()
    expect(coveringEntry(whitelist('read(src/**)', 'read(b)'), both)).toBe('read(src/**)')
  })

  it('covers no refused text, no secret and nothing oversize', () => {
    const refused = aQuestion('bash', [aCommand('echo $x', 'indirection')])
    const long = aQuestion('bash', [aCommand('x'.repeat(70_000))])

    expect(coveringEntry(whitelist('bash'), refused)).toBeNull()
    expect(coveringEntry(whitelist('read'), read('/ws/.env'))).toBeNull()
    expect(coveringEntry(whitelist('bash'), long)).toBeNull()
  })

  it('covers a call without subjects by a bare name only', () => {
    expect(coveringEntry(whitelist('ping(x)'), aQuestion('ping'))).toBeNull()
    expect(coveringEntry(whitelist('ping'), aQuestion('ping'))).toBe('ping')
  })

  it('shows every rule that a subject met', () => {
    const { rules } = bound({ rules: ['allow read', 'deny read(b)', 'ask read(*)'] })

    expect(rulesMet(rules, aQuestion('read', [aPath('a'), aPath('b')]))).toEqual([
      { subject: 'a', rules: ['allow read', 'ask read(*)'] },
      { subject: 'b', rules: ['allow read', 'deny read(b)', 'ask read(*)'] },
    ])
  })
})
