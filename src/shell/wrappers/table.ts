/** Programs that run another command, one row each (rules.md §5 item 1). Data only. */

import type { OptionSpec } from './options.js'

/** How a wrapper is read. What is not listed for it refuses. */
export interface WrapperSpec extends OptionSpec {
  readonly names: readonly string[]
  /** Words that make the program a wrapper, such as `exec` of `npm exec`. */
  readonly prefix?: readonly string[] | undefined
  /** What it runs needs an allow, it itself does not. */
  readonly transparent?: boolean | undefined
  /** How many operands stand before the command. */
  readonly operands?: number | undefined
  /** `NAME=value` words may stand before the command. */
  readonly assigns?: boolean | undefined
  /** A lone dash among the options. */
  readonly dash?: boolean | undefined
  /** The option whose value is shell text. */
  readonly textOption?: string | undefined
  /** The operands are shell text, joined by blanks; the first one alone for `first`. */
  readonly text?: 'joined' | 'first' | undefined
  /** The text runs in this very shell. */
  readonly sameShell?: boolean | undefined
  /** Without a command it starts a shell that reads its input. */
  readonly shellAlone?: boolean | undefined
  /** Operands that it does not tell follow the command. */
  readonly open?: boolean | undefined
  /** Options whose value is a folder that the command runs in. */
  readonly folder?: string | undefined
  /** The option whose value stands for operands in the words of the command. */
  readonly replaces?: string | undefined
  /** Options with which nothing is run. */
  readonly inert?: string | undefined
}

const TRANSPARENT: readonly WrapperSpec[] = [
  { names: ['nohup', 'builtin'], transparent: true },
  { names: ['command'], transparent: true, flags: 'pvV', inert: 'vV' },
  { names: ['exec'], transparent: true, flags: 'cl', valued: 'a' },
  {
    names: ['nice'],
    transparent: true,
    flags: '0123456789',
    valued: 'n',
    longValued: ['adjustment'],
  },
  {
    names: ['timeout', 'gtimeout'],
    transparent: true,
    operands: 1,
    flags: 'vfp',
    valued: 'ks',
    longFlags: ['foreground', 'preserve-status', 'verbose'],
    longValued: ['kill-after', 'signal'],
  },
  {
    names: ['time', 'gtime'],
    transparent: true,
    flags: 'vpaql',
    valued: 'f',
    longFlags: ['verbose', 'portability', 'append', 'quiet'],
    longValued: ['format'],
  },
  { names: ['stdbuf'], transparent: true, valued: 'ioe', longValued: ['input', 'output', 'error'] },
  { names: ['setsid'], transparent: true, flags: 'cfw', longFlags: ['ctty', 'fork', 'wait'] },
  {
    names: ['env', 'genv'],
    transparent: true,
    assigns: true,
    dash: true,
    folder: '-C',
    flags: 'i0v',
    valued: 'uC',
    longFlags: ['ignore-environment', 'null', 'debug'],
    longValued: ['unset'],
  },
  {
    names: ['xargs', 'gxargs'],
    transparent: true,
    open: true,
    replaces: '-I',
    flags: '0rtpxo',
    valued: 'adEILnPsR',
    optional: 'eil',
    longFlags: ['null', 'no-run-if-empty', 'verbose', 'interactive', 'exit', 'open-tty'],
    longValued: ['arg-file', 'delimiter', 'max-args', 'max-procs', 'max-chars', 'max-lines'],
  },
]

const SHELL_TEXT: readonly WrapperSpec[] = [
  { names: ['eval'], text: 'joined', sameShell: true },
  { names: ['trap'], text: 'first', sameShell: true, flags: 'lp', inert: 'lp' },
  {
    names: ['su', 'runuser'],
    textOption: '-c',
    shellAlone: true,
    dash: true,
    flags: 'lmpPf',
    valued: 'cgGw',
    operands: 1,
    longFlags: ['login', 'pty', 'preserve-environment'],
    longValued: ['command', 'group'],
  },
  {
    names: ['script'],
    textOption: '-c',
    shellAlone: true,
    flags: 'aefq',
    valued: 'cEmoBIOT',
    optional: 't',
    operands: 1,
    longFlags: ['append', 'return', 'flush', 'force', 'quiet'],
  },
  {
    names: ['watch'],
    text: 'joined',
    flags: 'bdegtpcCwr',
    valued: 'nqs',
    longFlags: ['beep', 'color', 'errexit', 'chgexit', 'no-title', 'precise', 'no-wrap'],
    longValued: ['interval', 'equexit'],
  },
]

const OTHER: readonly WrapperSpec[] = [
  {
    names: ['sudo'],
    assigns: true,
    flags: 'AbEHnPSBkN',
    valued: 'CghprtTu',
    longFlags: ['askpass', 'background', 'preserve-env', 'set-home', 'non-interactive', 'stdin'],
    longValued: ['user', 'group', 'host', 'prompt', 'command-timeout'],
  },
  { names: ['doas'], flags: 'nL', valued: 'u' },
  { names: ['pkexec'], longValued: ['user'], longFlags: ['keep-cwd'] },
  { names: ['gosu', 'su-exec'], operands: 1 },
  {
    names: ['ionice'],
    flags: 't',
    valued: 'cn',
    longFlags: ['ignore'],
    longValued: ['class', 'classdata'],
  },
  { names: ['chrt'], flags: 'bfiorRv', operands: 1, valued: 'TPD' },
  { names: ['taskset'], flags: 'ac', operands: 1 },
  {
    names: ['flock'],
    operands: 1,
    textOption: '-c',
    flags: 'senuxoFv',
    valued: 'wE',
    longFlags: ['shared', 'exclusive', 'nonblock', 'unlock', 'close', 'no-fork', 'verbose'],
    longValued: ['wait', 'timeout', 'conflict-exit-code'],
  },
  { names: ['chroot'], operands: 1, longValued: ['userspec', 'groups'], longFlags: ['skip-chdir'] },
  {
    names: ['unshare'],
    flags: 'mnpuUifrcCT',
    longFlags: ['mount', 'net', 'pid', 'uts', 'user', 'ipc', 'fork', 'map-root-user'],
  },
  {
    names: ['nsenter'],
    flags: 'amunipCUF',
    valued: 't',
    longValued: ['target'],
    longFlags: ['all'],
  },
  {
    names: ['systemd-run'],
    flags: 'Gqrtd',
    valued: 'u',
    longFlags: ['user', 'scope', 'pty', 'wait', 'quiet', 'collect'],
  },
  { names: ['strace', 'ltrace'], flags: 'fqvtTrxyiCc', valued: 'eosapES' },
  { names: ['caffeinate'], flags: 'dimsu', valued: 'tw' },
  { names: ['xvfb-run'], flags: 'al', valued: 'nsw', longFlags: ['auto-servernum'] },
  {
    names: ['dbus-run-session', 'winpty', 'busybox', 'toybox', 'catchsegv', 'unbuffer', 'chronic'],
  },
  { names: ['cross-env', 'cross-env-shell'], assigns: true },
]

/** Package runners: what they run is a package's program, not the one of the system. */
const RUNNERS: readonly WrapperSpec[] = [
  {
    names: ['npx', 'pnpx', 'bunx'],
    flags: 'yq',
    valued: 'p',
    longFlags: ['yes', 'no', 'no-install', 'quiet', 'prefer-offline', 'offline', 'bun'],
    longValued: ['package'],
  },
  {
    names: ['npm'],
    prefix: ['exec'],
    flags: 'y',
    longFlags: ['yes', 'no'],
    longValued: ['package'],
  },
  { names: ['npm'], prefix: ['x'], flags: 'y', longFlags: ['yes', 'no'], longValued: ['package'] },
  { names: ['pnpm', 'yarn'], prefix: ['exec'] },
  { names: ['pnpm', 'yarn'], prefix: ['dlx'], valued: 'p', longValued: ['package'] },
  { names: ['bun'], prefix: ['x'] },
  { names: ['uvx'], flags: 'q', valued: 'p', longValued: ['from', 'with', 'python'] },
  { names: ['pipx'], prefix: ['run'], longValued: ['spec'] },
  {
    names: ['uv'],
    prefix: ['run'],
    flags: 'q',
    valued: 'p',
    longFlags: ['frozen', 'locked', 'no-sync', 'isolated', 'all-extras', 'dev', 'no-dev'],
    longValued: ['with', 'group', 'extra', 'python', 'package'],
  },
  { names: ['poetry', 'pipenv', 'rye', 'hatch', 'pdm'], prefix: ['run'] },
  { names: ['bundle'], prefix: ['exec'] },
  { names: ['mise', 'asdf'], prefix: ['exec'] },
  { names: ['direnv'], prefix: ['exec'], operands: 1 },
  { names: ['dotenv'], valued: 'e' },
]

export const WRAPPERS: readonly WrapperSpec[] = [
  ...TRANSPARENT,
  ...SHELL_TEXT,
  ...OTHER,
  ...RUNNERS,
]

/** Shells by how far this analysis speaks for them. */
export const BASH_LIKE: ReadonlySet<string> = new Set([
  'sh',
  'bash',
  'rbash',
  'dash',
  'ash',
  'ksh',
  'mksh',
])
/** Their `-c` text is told to deny and ask, never to allow. */
export const OTHER_SHELLS: ReadonlySet<string> = new Set([
  'zsh',
  'fish',
  'csh',
  'tcsh',
  'nu',
  'xonsh',
  'elvish',
])
export const WINDOWS_SHELLS: ReadonlySet<string> = new Set(['pwsh', 'powershell', 'cmd', 'wsl'])
