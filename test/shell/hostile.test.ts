/** Hostile texts: refused, in bounded time, and never more kindly for being large. */

import { describe, expect, it } from 'vitest'
import type { RefusalCode } from '../../src/core/need.js'
import { analyse } from '../../src/shell/analyse.js'
import { decisionOf } from '../builders/shell-decision.js'

const KIB64 = 64 * 1024

/** 64 KiB of a piece. */
function filled(piece: string, before = '', after = ''): string {
  const room = KIB64 - before.length - after.length
  return before + piece.repeat(Math.floor(room / piece.length)) + after
}

/** Of processor time, the least of eight: the first ones compile the code. */
function leastMs(text: string): number {
  analyse(text)
  const times = Array.from({ length: 8 }, () => {
    const start = process.cpuUsage()
    analyse(text)
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

const REFUSED: readonly (readonly [code: RefusalCode, name: string, text: string])[] = [
  ['syntax', 'an open single quote', "echo 'a"],
  ['syntax', 'an open double quote', 'echo "a'],
  ['syntax', 'an open substitution', 'echo $(ls'],
  ['syntax', 'a semicolon at the start of a line', 'while a\n; do b; done'],
  ['syntax', 'a semicolon behind another', 'for a in b; do c; ; done'],
  ['syntax', 'a semicolon behind a background command', 'if a &; then b; fi'],
  ['syntax', 'a backslash at the end of several lines', "a 'b\nc' d\\"],
  ['syntax', 'an open parenthesis behind a program', 'a; b(c d'],
  ['syntax', 'one behind blanks and a line that goes on', 'a; b \\\n ('],
  ['control_character', 'NUL', 'echo a\0b'],
  ['control_character', 'a carriage return', 'echo a\rb'],
  ['control_character', 'an escape', 'echo a\u001b[31mb'],
  ['control_character', 'a bidirectional override', 'echo \u202eb'],
  ['control_character', 'an isolate', "echo 'a\u2066b'"],
  ['control_character', 'a zero-width space', 'ec\u200bho a'],
  ['control_character', 'a no-break space', 'ls\u00a0a'],
  ['control_character', 'a lone surrogate', 'echo \ud800'],
  ['open_heredoc', 'an open here-document', 'cat <<E\na'],
  ['heredoc_line', 'a here-document beside a process substitution', 'cat <(a) <<E\nE'],
  ['array_tail', 'a word glued to an array', 'A=(1)x ls'],
  ['hidden_opener', 'a hash behind a process substitution', 'a <(b)#; c'],
  ['hidden_opener', 'a word glued to a process substitution', 'a x<(b)'],
  ['hidden_opener', 'a process substitution in a default', 'A=${x:-<(a {b,c} d)} e'],
  ['hidden_opener', 'a slash in a substitution in a pattern', 'a "${x//$(b /c; d)/e}"'],
  ['hidden_opener', 'a slash in backquotes in a pattern', 'a ${x/`b /c; d`}'],
  ['hidden_opener', 'a quoted slash beside a substitution', 'a ${x//"$(b "/c; d)"/e}'],
  ['hidden_opener', 'a slash in braces in a pattern', 'a ${x//${y:-$(b)/c}/e}'],
  ['hidden_opener', 'quotes in a default in a here-document', "a <<E\n${x:+'$(b)'}\nE"],
  ['hidden_opener', 'apostrophes in such defaults', "a <<E\n${x:+it's} $(b) don't}\nE"],
  ['hidden_opener', 'such quotes in a list in braces', "a <<E\n${x:+{'`b`',c}\nE"],
  ['hidden_opener', 'ANSI-C quotes in a quoted default', 'a "${x:+$\'$(b)\'}"'],
  ['hidden_opener', 'a brace and a quote between them', 'a "${x:+$\'}"\nb\nc "\'}"'],
  ['hidden_opener', 'braces in a substitution in braces', 'a "${ { b; } | c "\nd\ne "; }"'],
  ['hidden_opener', 'a substitution in braces whose brace closes no list', 'a "${ b }; c; }"'],
  ['hidden_opener', 'an open substitution in braces', 'a ${ b; c'],
  ['hidden_opener', 'a quote in a substitution in braces', 'a ${ b "}"; }'],
  ['hidden_opener', 'the same in a here-document', 'a <<E\n${ b }; c; }\nE'],
  ['extglob', 'a negated pattern', '!(ls)'],
  ['ansi_c', 'a line that goes on between dollar and quote', "a $\\\n'\\x62'"],
  ['ansi_c', 'a line that goes on before a text to translate', 'a $\\\n"b"'],
  ['hidden_opener', 'a line that goes on between dollar and name', '$\\\na git push'],
  ['hidden_opener', 'one in quotes', 'a "$\\\nb"'],
  ['hidden_opener', 'one before a brace', 'a $\\\n{b}'],
  ['hidden_opener', 'one before a special parameter', 'a $\\\n@'],
  ['hidden_opener', 'one in quotes between backquotes', "a `'r\\\nm' x`"],
  ['ansi_c', 'a control escape', "echo $'\\cA'"],
  ['dynamic_program', 'a program from a variable', '$X a'],
  ['dynamic_program', 'a program from braces', '{rm,-rf} a'],
  ['dynamic_program', 'a program from a pattern', '/bin/r? a'],
  ['dynamic_program', 'a subscript with blanks in it', 'a[b c]{d,e}=1'],
  ['dynamic_program', 'text with a variable', 'sh -c "ls; a$X"'],
  ['wrapper_option', 'a variable that may be an option of a shell', 'sh -c "$X"'],
  ['dynamic_option', 'an option from a variable', 'git diff $X'],
  ['variable', 'a path for programs', 'PATH=.:$PATH ls'],
  ['variable', 'an exported loader', 'export LD_PRELOAD=x'],
  ['variable', 'a loop over a loader', 'for PATH in a; do ls; done'],
  ['variable', 'a read loader', 'read -r PATH'],
  ['variable', 'a default that assigns', ': ${PATH:=x}'],
  ['variable', 'a loader behind env', 'env BASH_ENV=x bash -c ls'],
  ['variable', 'field separators', 'IFS=x; ls'],
  ['variable', 'field separators that stay', 'IFS=x\nread a'],
  ['variable', 'field separators for another program', 'IFS=x readx a'],
  ['variable', 'a pager', 'GIT_PAGER=less git log'],
  ['variable', 'a pager with something appended', 'GIT_PAGER+=cat git log'],
  ['variable', 'a pager of an array', 'GIT_PAGER=(cat) git log'],
  ['variable', 'an element of a pager', 'GIT_PAGER[0]=cat git log'],
  ['variable', 'a pager that is read', 'read -r GIT_PAGER'],
  ['variable', 'a pager that stands already', 'export GIT_PAGER'],
  ['variable', 'options of node', 'NODE_OPTIONS="--require ./x" npm test'],
  ['variable', 'a limit of node from a variable', 'NODE_OPTIONS=--max-old-space-size=$x npm test'],
  ['arithmetic', 'a number as a path for programs', '((PATH=1)); ls'],
  ['variable', 'a coprocess as a path for programs', 'coproc PATH { a; }; ls'],
  ['shadowing', 'a function', 'ls() { rm x; }; ls'],
  ['shadowing', 'an alias', "alias ls='rm x'"],
  ['evaluated_operand', 'a subscript of printf', "printf -v 'a[$(id)]' x"],
  ['evaluated_operand', 'a subscript of test', "test -v 'a[$(id)]'"],
  ['evaluated_operand', 'an unquoted test', '[ $x ]'],
  ['evaluated_operand', 'a subscript of unset', "unset 'a[$(id)]'"],
  ['evaluated_operand', 'a callback', "mapfile -C 'id' -c 1 x"],
  ['evaluated_operand', 'a name reference', 'declare -n a=b'],
  ['arithmetic', 'a line that goes on between parentheses', "a='b[$(c)]'; (\\\n(a))"],
  ['arithmetic', 'the same within a word', "a='b[$(c)]'; d $(\\\n\\\n(a))"],
  ['arithmetic', 'a line that goes on between those that close', "a='b[$(c)]'; d $((a)\\\n)"],
  ['unanalysed', 'a coprocess in a substitution', 'a $(coproc b)'],
  ['unanalysed', 'a coprocess in a process substitution', 'a <(b; coproc c)'],
  ['arithmetic', 'an unset variable', 'echo $((x))'],
  ['arithmetic', 'a variable of the loop that is text', 'x=1; while :; do echo $((x)); x=$y; done'],
  ['arithmetic', 'a number of another shell', 'x=1; sh -c "echo \\$((x))"'],
  ['arithmetic', 'let', "let 'a[$(id)]'"],
  ['indirection', 'an indirect variable', 'echo ${!x}'],
  ['indirection', 'a prompt', 'echo ${x@P}'],
  ['redirect_target', 'a target from a variable', 'echo a > $X'],
  ['redirect_target', 'the network', 'echo a > /dev/tcp/a/80'],
  ['program_text', 'awk', "awk '{print}' a"],
  ['program_text', 'python', 'python3 -c "1"'],
  ['program_text', 'a command of sed', "sed '1e id' a"],
  ['program_text', 'a write of sed', "sed 's/a/b/w out' a"],
  ['program_text', 'an executing flag of sed', "sed 's/a/b/e' a"],
  ['piped_program', 'a shell behind a pipe', 'cat a | bash'],
  ['piped_program', 'an interpreter behind a pipe', 'cat a | python3'],
  ['piped_program', 'a shell of a file', 'bash < a'],
  ['sourced_file', 'a sourced file', '. ./a'],
  ['remote_text', 'text for another machine', 'ssh a ls'],
  ['exec_option', 'a setting of git', 'git -c core.pager=x log'],
  ['exec_option', 'a setting of git behind a harmless one', 'git -c user.name=a -c alias.x=!id x'],
  ['exec_option', 'a setting of git behind another option', 'git -C -c alias.x=!id x'],
  ['exec_option', 'a program for bisecting', 'git bisect run id'],
  ['exec_option', 'a viewer for bisecting', 'git bisect view'],
  ['exec_option', 'an initializer', 'npm init -y foo'],
  ['exec_option', 'a setting of cargo', 'cargo run --config x -- a'],
  ['dynamic_option', 'options of make that a program prints', 'make -j$(cat x)'],
  ['exec_option', 'a filter of tar', 'tar xf a --to-comm=x'],
  ['exec_option', 'a shell of rsync', 'rsync -e x a b'],
  ['exec_option', 'settings of curl', 'curl -K a'],
  ['exec_option', 'a proxy of ssh', 'ssh -oProxyCommand=x a'],
  ['wrapper_option', 'an option of sudo', 'sudo --frobnicate ls'],
  ['wrapper_option', 'an option of a shell', 'bash -O extglob -c ls'],
  ['unsupported_shell', 'another shell', "zsh -c 'ls'"],
  ['unsupported_shell', 'PowerShell', 'pwsh -Command ls'],
  ['unanalysed', 'a job', '%1'],
  ['oversize', 'more than 16 KiB', filled('a', "echo '", "'").slice(0, 17_000) + "'"],
  ['unread', 'deep nesting', `echo ${'$(echo '.repeat(40)}x${')'.repeat(40)}`],
  ['unread', 'wrappers within wrappers', `${'nice '.repeat(12)}ls`],
  ['unread', '1 MB of semicolons', ';'.repeat(1024 * 1024)],
  ['unread', '5,000 open substitutions', '$('.repeat(5000)],
  ['unread', 'too many commands', 'a;'.repeat(1200)],
]

const LARGE: readonly (readonly [name: string, text: string])[] = [
  ['an endless list', filled(';a')],
  ['words', filled('a ')],
  ['one quoted word', filled('x', "a '", "'")],
  ['invisible characters', filled('\u202e', "a '", "'")],
  ['assignments', filled('A=1;')],
  ['wrappers', filled('env ')],
  ['nested shells', `sh -c 'sh -c "${filled('a;').slice(0, 60_000)}"'`],
  ['backquotes', filled('`')],
  ['single quotes', filled("'")],
  ['here-documents', filled('cat <<E\n')],
  ['open braces', filled('{a,')],
  ['tests', filled('[[ a ')],
  ['a pipeline', filled('a|', '', 'a')],
  ['redirections', filled('> a ')],
  ['evaluations', filled('eval ')],
  ['conditions', filled('if a;then ')],
  ['searches', filled('find . -exec ')],
  ['brace operands', filled('{a,b}', 'rm ')],
  ['stars', filled('*', 'rm ')],
  ['ranges of one number', filled('{1..1}', 'cat ')],
  ['ranges', filled('{1..63} ', 'git ')],
  ['a long name with a range', filled('a.', 'a https://', 'c{1..60}')],
  ['paths', filled('a/b:c=d@e.f ', 'a ')],
  ['a path in pieces', filled('a/b=:@,', 'a ')],
  ['volumes', filled('a/b:c ', 'docker run -v ')],
  [
    'folders and operands of tar',
    `${filled('-C a ', 'tar ').slice(0, 16_000)}-cf x ${filled('b ').slice(0, 49_000)}`,
  ],
  [
    'folders and operands of wget',
    `${filled('-P a ', 'wget ').slice(0, 16_000)}${filled('b/c ').slice(0, 49_000)}`,
  ],
  [
    'folders and words',
    `${filled('-C a ', 'a ').slice(0, 16_000)}${filled('b/c ').slice(0, 49_000)}`,
  ],
  ['a script of sed', filled('s/a/b/;', "sed '", "'")],
  ['text of an unread wrapper', filled('"a;b $(x)" ', 'sudo -X ')],
]

describe('the refusal guard', () => {
  it.each(REFUSED)('refuses with %s %s', (code, _name, text) => {
    expect(analyse(text).refusals.map((refusal) => refusal.code)).toContain(code)
    expect(decisionOf(['allow bash', 'allow write(**)'], text)).not.toBe('allow')
  })

  it('says where', () => {
    expect(analyse('ls; ls; $X').refusals).toEqual([{ code: 'dynamic_program', at: 8 }])
    expect(analyse('ls && sh -c "ls; $X"').refusals[0]?.at).toBe(6)
  })
})

describe('16 KiB', () => {
  it.each([
    ['ranges', 'git ', '{1..63} '],
    ['folders and operands of tar', 'tar -cf x ', '-C a b '],
    ['folders and words', 'a ', '-C a b/c '],
  ])('of %s is read within 50 ms', (_name, before, piece) => {
    const text = filled(piece, before).slice(0, 16_000)

    expect(leastMs(text)).toBeLessThan(50)
  })
})

describe('64 KiB', () => {
  it.each(LARGE)(
    'of %s is refused within 50 ms and tells at most 1,000 commands',
    (_name, text) => {
      const least = leastMs(text)
      const { commands, refusals } = analyse(text)

      expect(least).toBeLessThan(50)
      expect(commands.length).toBeLessThanOrEqual(1000)
      expect(refusals.map(({ code }) => code)).toContain('oversize')
    },
  )

  it('of text that is not read to its end meets every deny', () => {
    expect(decisionOf(['deny bash(rm:*)', 'allow bash'], filled('a|', '', 'rm x'))).toBe('deny')
  })
})
