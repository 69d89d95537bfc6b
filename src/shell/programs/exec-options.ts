/** Programs that run what their words do not show: text that they evaluate, or a command of their settings. Data only. */

import type { RefusalCode } from '../../core/need.js'

/** When a program's own words are no proof of what runs (rules.md §5 item 3). */
export type ExecOption =
  /** Always. */
  | { readonly kind: 'always'; readonly code: RefusalCode; readonly programs: readonly string[] }
  /** Unless its first word is a script file, a module switch, or the only option is a harmless one. */
  | {
      readonly kind: 'interpreter'
      readonly programs: readonly string[]
      readonly modules: readonly string[]
      /** Options that may stand before the script and run nothing. */
      readonly quiet?: RegExp | undefined
      readonly harmless: readonly string[]
    }
  /** When a word among its arguments says so; `within` limits that to commands with this word. */
  | {
      readonly kind: 'words'
      readonly programs: readonly string[]
      readonly within?: string | undefined
      /** Subcommands: the first argument, or any when options stand before it. */
      readonly verbs?: readonly string[] | undefined
      /** Whole arguments. */
      readonly exact?: readonly string[] | undefined
      /** Long options, which may be abbreviated and may carry `=value`. */
      readonly long?: readonly string[] | undefined
      /** Letters of short options, alone or in a cluster. */
      readonly letters?: string | undefined
      /** Letters of short options that have a value, so that no letters of others follow. */
      readonly valued?: string | undefined
      /** All arguments, joined by blanks, that run nothing. */
      readonly unless?: RegExp | undefined
      /** Behind `--` the words are those of a program that is built from the sources here. */
      readonly passesOn?: boolean | undefined
    }

const VERSION = ['--version', '--help'] as const

const ALWAYS: readonly ExecOption[] = [
  {
    kind: 'always',
    code: 'program_text',
    programs: [
      ...['awk', 'gawk', 'mawk', 'nawk', 'original-awk', 'ed', 'red', 'ex', 'vi', 'vim'],
      ...['view', 'nvim', 'emacs', 'nano', 'less', 'more', 'man', 'm4', 'dc', 'sqlite3'],
      ...['psql', 'mysql', 'ftp', 'sftp', 'tclsh', 'wish', 'jshell', 'ghci', 'irb', 'pry'],
      ...['sbcl', 'osascript', 'expect', 'ipython'],
    ],
  },
  {
    kind: 'always',
    code: 'unanalysed',
    programs: [
      ...['bind', 'complete', 'compgen', 'compopt', 'fc', 'history', 'fg', 'bg', 'at', 'batch'],
      ...['crontab', 'screen', 'tmux', 'entr', 'run-parts', 'start-stop-daemon', 'socat', 'nc'],
      ...['ncat', 'netcat', 'chpst', 'bwrap', 'firejail', 'proot', 'fakeroot', 'setpriv'],
      ...['capsh', 'setarch', 'linux32', 'linux64', 'prlimit', 'choom', 'numactl', 'gdb'],
      ...['lldb', 'valgrind', 'perf', 'rr', 'sshpass', 'rsh', 'ssh-agent', 'hyperfine'],
      ...['ld.so', 'ld-linux.so', 'ld-linux-x86-64.so.2', 'openssl', 'ld-linux-aarch64.so.1'],
      ...['open', 'xdg-open', 'dbus-launch', 'sudoedit', 'newgrp', 'sg'],
    ],
  },
  { kind: 'always', code: 'shadowing', programs: ['alias', 'unalias', 'enable'] },
  { kind: 'always', code: 'sourced_file', programs: ['.', 'source'] },
  { kind: 'always', code: 'arithmetic', programs: ['let'] },
]

const INTERPRETERS: readonly ExecOption[] = [
  {
    kind: 'interpreter',
    programs: ['python', 'pypy'],
    modules: ['-m'],
    quiet: /^-[BEIOSbdqsuv]+$/,
    harmless: [...VERSION, '-V', '-VV'],
  },
  {
    kind: 'interpreter',
    programs: ['node', 'nodejs'],
    modules: [],
    quiet:
      /^--(?:max-old-space-size=\d+|enable-source-maps|(?:no|trace)-(?:warnings|deprecation)|watch)$/,
    harmless: [...VERSION, '-v', '--test', '--check', '-c'],
  },
  {
    kind: 'interpreter',
    programs: [
      'perl',
      'ruby',
      'php',
      'lua',
      'luajit',
      'rscript',
      'r',
      'julia',
      'groovy',
      'scala',
      'tsx',
      'ts-node',
    ],
    modules: [],
    harmless: [...VERSION, '-v'],
  },
]

const OPTIONS: readonly ExecOption[] = [
  { kind: 'words', programs: ['rg'], long: ['--pre', '--hostname-bin'] },
  {
    kind: 'words',
    programs: ['git'],
    verbs: [
      ...['bisect--helper', 'difftool', 'mergetool', 'filter-branch', 'foreach', 'instaweb'],
      ...['submodule--helper', 'remote-ext', 'for-each-repo', 'web--browse', 'daemon', 'shell'],
    ],
    letters: 'O',
    valued: 'mCFtbBuSGUMX',
    long: [
      ...['--config-env', '--config', '--exec-path', '--exec', '--ext-diff', '--textconv'],
      ...['--upload-pack', '--receive-pack', '--open-files-in-pager', '--template', '--extcmd'],
    ],
  },
  { kind: 'words', programs: ['git'], within: 'clone', letters: 'uc', valued: 'bojt' },
  { kind: 'words', programs: ['git'], within: 'rebase', letters: 'xi', valued: 'sXCm' },
  { kind: 'words', programs: ['git'], within: 'submodule', exact: ['foreach'] },
  { kind: 'words', programs: ['git'], within: 'bisect', exact: ['run', 'view', 'visualize'] },
  {
    kind: 'words',
    programs: ['git'],
    within: 'send-email',
    long: ['--sendmail-cmd', '--to-cmd', '--cc-cmd', '--header-cmd', '--smtp-server'],
  },
  {
    kind: 'words',
    programs: ['tar', 'gtar', 'bsdtar'],
    letters: 'IF',
    valued: 'fCTX',
    long: [
      ...['--to-command', '--checkpoint-action', '--use-compress-program', '--rsh-command'],
      ...['--info-script', '--new-volume-script', '--rmt-command'],
    ],
  },
  {
    kind: 'words',
    programs: ['rsync'],
    letters: 'eM',
    valued: 'fBT',
    long: ['--rsh', '--rsync-path'],
  },
  { kind: 'words', programs: ['scp'], letters: 'SoFD', valued: 'PiJlcX' },
  {
    kind: 'words',
    programs: ['curl'],
    letters: 'K',
    valued: 'dHXoAubeFTmwxrUEcCDPQYyzt',
    long: ['--config', '--engine'],
  },
  {
    kind: 'words',
    programs: ['wget'],
    letters: 'e',
    valued: 'OPoaiUTtBDIXlQwRA',
    long: ['--execute', '--config', '--use-askpass'],
  },
  { kind: 'words', programs: ['sort', 'gsort'], long: ['--compress-program'] },
  { kind: 'words', programs: ['split', 'gsplit'], long: ['--filter'] },
  { kind: 'words', programs: ['zip'], letters: 'T', long: ['--unzip-command', '--test'] },
  { kind: 'words', programs: ['tcpdump'], letters: 'z' },
  {
    kind: 'words',
    programs: ['make', 'gmake', 'bmake'],
    letters: 'E',
    valued: 'CfIjlo',
    long: ['--eval'],
    // Rules on standard input.
    exact: ['-', '-f-', '--file=-', '--makefile=-', '/dev/stdin', '/dev/fd/0'],
  },
  { kind: 'words', programs: ['rake'], letters: 'eEpr', long: ['--execute', '--require'] },
  {
    kind: 'words',
    programs: ['gcc', 'g++', 'cc', 'c++', 'clang'],
    exact: ['-wrapper', '-load', '-Xclang', '-B'],
    long: ['--specs', '--prefix', '--ld-path'],
  },
  { kind: 'words', programs: ['cmake'], letters: 'CPE', valued: 'DGSBUITA' },
  { kind: 'words', programs: ['helm'], long: ['--post-renderer'], verbs: ['plugin'] },
  { kind: 'words', programs: ['hg'], long: ['--config'] },
  {
    kind: 'words',
    programs: ['svn'],
    long: ['--config-option', '--config-dir', '--diff-cmd', '--diff3-cmd', '--editor-cmd'],
  },
  {
    kind: 'words',
    programs: ['apt', 'apt-get'],
    letters: 'oc',
    valued: 't',
    long: ['--option', '--config-file'],
  },
  {
    kind: 'words',
    programs: ['dpkg'],
    long: ['--pre-invoke', '--post-invoke', '--status-logger', '--path-include'],
  },
  { kind: 'words', programs: ['gh'], verbs: ['alias', 'extension', 'ext', 'config'] },
  {
    kind: 'words',
    programs: ['npm'],
    verbs: ['exec', 'x', 'explore', 'init', 'create', 'set', 'edit'],
    // Without the name of an initializer it asks some questions and writes a package.json.
    unless: /^init(?: (?:-y|--yes))?$/,
    long: ['--script-shell', '--node-options', '--git', '--editor', '--shell', '--viewer'],
  },
  { kind: 'words', programs: ['npm', 'pnpm', 'yarn'], within: 'config', exact: ['set', 'edit'] },
  { kind: 'words', programs: ['npm', 'pnpm'], within: 'c', exact: ['set', 'edit'] },
  { kind: 'words', programs: ['pnpm', 'yarn'], verbs: ['exec', 'dlx', 'node', 'create'] },
  {
    kind: 'words',
    programs: ['bun'],
    verbs: ['x', 'exec', 'repl'],
    letters: 'ep',
    long: ['--eval', '--print'],
  },
  { kind: 'words', programs: ['deno'], verbs: ['eval', 'repl'] },
  {
    kind: 'words',
    programs: ['uv', 'poetry', 'pipenv', 'rye', 'hatch', 'pdm', 'pipx'],
    verbs: ['run', 'shell'],
  },
  { kind: 'words', programs: ['bundle', 'mise', 'asdf', 'direnv'], exact: ['exec', 'x'] },
  {
    kind: 'words',
    programs: ['nix', 'nix-shell'],
    exact: ['run', 'shell', 'develop', '--run', '--command', '-c'],
  },
  {
    kind: 'words',
    programs: ['go'],
    exact: ['-exec', '--exec', '-toolexec', '--toolexec', '-vettool', '--vettool'],
  },
  { kind: 'words', programs: ['cargo'], long: ['--config'], passesOn: true },
  { kind: 'words', programs: ['hash'], letters: 'p' },
]

export const EXEC_OPTIONS: readonly ExecOption[] = [...ALWAYS, ...INTERPRETERS, ...OPTIONS]
