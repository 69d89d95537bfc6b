/**
 * Programs that run what a simple command's words do not show: text that they evaluate, or another
 * command. Data only (rules.md §5 items 1 and 3); `unseen.ts` reads it.
 */

/** When a program's own words are no proof of what runs. */
export type Wrapper =
  /** Always. */
  | { readonly kind: 'always'; readonly programs: readonly string[] }
  /** Unless its first word is a script file, a module switch, or the only option is a harmless one. */
  | {
      readonly kind: 'interpreter'
      readonly programs: readonly string[]
      readonly modules: readonly string[]
      readonly harmless: readonly string[]
    }
  /** When a word among its arguments says so; `within` limits that to commands with this word. */
  | {
      readonly kind: 'words'
      readonly programs: readonly string[]
      readonly within?: string | undefined
      /** Whole arguments. */
      readonly exact?: readonly string[] | undefined
      /** Long options, which may be abbreviated and may carry `=value`. */
      readonly long?: readonly string[] | undefined
      /** Letters of short options, alone or in a cluster. */
      readonly letters?: string | undefined
    }

const VERSION = ['--version', '--help'] as const

export const WRAPPERS: readonly Wrapper[] = [
  {
    kind: 'always',
    programs: [
      // Builtins that evaluate text, load files or evaluate array subscripts in their operands.
      ...[
        '.',
        'source',
        'eval',
        'exec',
        'command',
        'builtin',
        'trap',
        'enable',
        'alias',
        'unalias',
      ],
      ...['bind', 'complete', 'compgen', 'compopt', 'coproc', 'declare', 'typeset', 'local', 'fc'],
      ...['export', 'readonly', 'let', 'read', 'mapfile', 'readarray', 'unset', 'getopts', 'hash'],
      ...['history', 'wait', 'shopt', 'set', 'caller', 'fg', 'bg', 'return', 'shift', 'break'],
      // Programs that run another command.
      ...['env', 'sudo', 'sudoedit', 'doas', 'su', 'runuser', 'pkexec', 'gosu', 'su-exec', 'nice'],
      ...['ionice', 'chrt', 'taskset', 'nohup', 'setsid', 'timeout', 'time', 'stdbuf', 'unbuffer'],
      ...['xargs', 'parallel', 'watch', 'entr', 'script', 'chroot', 'unshare', 'nsenter', 'flock'],
      ...['setpriv', 'capsh', 'setarch', 'linux32', 'linux64', 'prlimit', 'choom', 'numactl'],
      ...['strace', 'ltrace', 'gdb', 'lldb', 'valgrind', 'perf', 'rr', 'catchsegv', 'expect'],
      ...['ssh', 'ssh-agent', 'autossh', 'sshpass', 'rsh', 'mosh', 'systemd-run', 'at', 'batch'],
      ...['crontab', 'dbus-run-session', 'dbus-launch', 'xvfb-run', 'fakeroot', 'proot', 'bwrap'],
      ...['firejail', 'start-stop-daemon', 'run-parts', 'socat', 'nc', 'ncat', 'netcat', 'chpst'],
      ...[
        'busybox',
        'toybox',
        'npx',
        'bunx',
        'pnpx',
        'uvx',
        'pipx',
        'direnv',
        'dotenv',
        'hyperfine',
      ],
      ...['ld.so', 'ld-linux.so', 'ld-linux-x86-64.so', 'ld-linux-aarch64.so', 'screen', 'tmux'],
      ...[
        'openssl',
        'cmd',
        'powershell',
        'pwsh',
        'wsl',
        'osascript',
        'open',
        'xdg-open',
        'caffeinate',
      ],
      // Programs whose arguments or scripts are program text.
      ...['awk', 'gawk', 'mawk', 'nawk', 'original-awk', 'sed', 'gsed', 'ed', 'red', 'ex', 'vi'],
      ...[
        'vim',
        'view',
        'nvim',
        'emacs',
        'nano',
        'less',
        'more',
        'man',
        'm4',
        'dc',
        'bc',
        'sqlite3',
      ],
      ...['psql', 'mysql', 'ftp', 'sftp', 'tclsh', 'wish', 'jshell', 'ghci', 'irb', 'pry', 'sbcl'],
    ],
  },
  {
    kind: 'interpreter',
    programs: ['sh', 'bash', 'rbash', 'dash', 'ash', 'zsh', 'ksh', 'mksh', 'fish', 'csh', 'tcsh'],
    modules: [],
    harmless: VERSION,
  },
  {
    kind: 'interpreter',
    programs: ['python', 'pypy'],
    modules: ['-m'],
    harmless: [...VERSION, '-V', '-VV'],
  },
  {
    kind: 'interpreter',
    programs: ['node', 'nodejs'],
    modules: [],
    harmless: [...VERSION, '-v', '--test', '--check', '-c'],
  },
  {
    kind: 'interpreter',
    programs: ['perl', 'ruby', 'php', 'lua', 'luajit', 'rscript', 'r', 'julia', 'groovy', 'scala'],
    modules: [],
    harmless: [...VERSION, '-v'],
  },
  {
    kind: 'words',
    programs: ['find', 'gfind'],
    exact: ['-exec', '-execdir', '-ok', '-okdir'],
  },
  { kind: 'words', programs: ['fd', 'fdfind'], letters: 'xX', long: ['--exec', '--exec-batch'] },
  { kind: 'words', programs: ['rg'], long: ['--pre', '--hostname-bin'] },
  { kind: 'words', programs: ['printf', 'test', '['], letters: 'vR' },
  {
    kind: 'words',
    programs: ['git'],
    exact: ['bisect', 'difftool', 'mergetool', 'filter-branch', 'foreach', 'instaweb'],
    letters: 'cO',
    long: [
      ...['--config-env', '--config', '--exec-path', '--exec', '--ext-diff', '--textconv'],
      ...['--upload-pack', '--receive-pack', '--open-files-in-pager', '--template', '--extcmd'],
    ],
  },
  { kind: 'words', programs: ['git'], within: 'clone', letters: 'u' },
  { kind: 'words', programs: ['git'], within: 'rebase', letters: 'x' },
  {
    kind: 'words',
    programs: ['tar', 'gtar', 'bsdtar'],
    letters: 'IF',
    long: [
      ...['--to-command', '--checkpoint-action', '--use-compress-program', '--rsh-command'],
      ...['--info-script', '--new-volume-script', '--rmt-command'],
    ],
  },
  { kind: 'words', programs: ['rsync'], letters: 'eM', long: ['--rsh', '--rsync-path'] },
  { kind: 'words', programs: ['scp'], letters: 'SoF' },
  { kind: 'words', programs: ['curl'], letters: 'K', long: ['--config'] },
  {
    kind: 'words',
    programs: ['wget'],
    letters: 'e',
    long: ['--execute', '--config', '--use-askpass'],
  },
  { kind: 'words', programs: ['sort', 'gsort'], long: ['--compress-program'] },
  { kind: 'words', programs: ['split', 'gsplit'], long: ['--filter'] },
  { kind: 'words', programs: ['zip'], letters: 'T', long: ['--unzip-command', '--test'] },
  { kind: 'words', programs: ['tcpdump'], letters: 'z' },
  { kind: 'words', programs: ['make', 'gmake'], letters: 'E', long: ['--eval'] },
  {
    kind: 'words',
    programs: ['npm'],
    exact: ['exec', 'x', 'explore', 'init', 'create'],
    long: ['--script-shell'],
  },
  { kind: 'words', programs: ['pnpm', 'yarn'], exact: ['exec', 'dlx', 'node', 'create'] },
  {
    kind: 'words',
    programs: ['bun'],
    exact: ['x', 'exec', 'repl'],
    letters: 'ep',
    long: ['--eval'],
  },
  { kind: 'words', programs: ['deno'], exact: ['eval', 'repl'] },
  { kind: 'words', programs: ['uv', 'poetry', 'pipenv', 'rye', 'hatch'], exact: ['run', 'shell'] },
  {
    kind: 'words',
    programs: ['go'],
    exact: ['-exec', '--exec', '-toolexec', '--toolexec', '-vettool', '--vettool'],
  },
  { kind: 'words', programs: ['cargo'], long: ['--config'] },
]

/** Words that the grammar takes for its own where a command begins. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set([
  ...['if', 'then', 'else', 'elif', 'fi', 'case', 'esac', 'for', 'select', 'while', 'until', 'do'],
  ...['done', 'in', 'function', 'time', '{', '}', '!', '[[', ']]', 'coproc'],
])
