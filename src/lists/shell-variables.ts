/** Variables whose assignment in shell text can make a later command run something else (rules.md §5 item 3). Data only. */

import {
  LOADER_PREFIXES,
  LOADER_VARIABLES,
  REHOMED_VARIABLES,
  SECRET_VARIABLES,
} from './environment.js'

/** What a host never passes on either, and what only a shell or its programs read. */
export const STEERING_VARIABLES: readonly string[] = [
  ...LOADER_VARIABLES,
  ...SECRET_VARIABLES,
  ...REHOMED_VARIABLES,
  ...[
    'PATH',
    'OLDPWD',
    'PWD',
    'SHELL',
    'ZDOTDIR',
    'FPATH',
    'INPUTRC',
    'POSIXLY_CORRECT',
    'FIGNORE',
  ],
  ...[
    'CC',
    'CXX',
    'AR',
    'LD',
    'CPP',
    'RUSTC',
    'CARGO',
    'MAKE',
    'GOFLAGS',
    'GOROOT',
    'GOPATH',
    'DEVELOPER_DIR',
  ],
  ...[
    'RUSTC_WRAPPER',
    'RUSTC_WORKSPACE_WRAPPER',
    'RUSTFLAGS',
    'RUSTDOC',
    'RUSTUP_HOME',
    'RUSTUP_TOOLCHAIN',
  ],
  ...[
    'TAR_OPTIONS',
    'GREP_OPTIONS',
    'RSYNC_RSH',
    'RSYNC_CONNECT_PROG',
    'CVS_RSH',
    'SVN_SSH',
    'SVN_EDITOR',
  ],
  ...[
    'LESS',
    'MORE',
    'LESSKEY',
    'SYSTEMD_PAGER',
    'PSQL_PAGER',
    'PSQL_EDITOR',
    'PSQLRC',
    'BAT_PAGER',
    'MANOPT',
  ],
  ...[
    'GH_PAGER',
    'GH_EDITOR',
    'GH_BROWSER',
    'AWS_PAGER',
    'DELTA_PAGER',
    'RIPGREP_CONFIG_PATH',
    'WGETRC',
    'CURL_HOME',
  ],
  ...[
    'FZF_DEFAULT_COMMAND',
    'FZF_DEFAULT_OPTS',
    'VIMINIT',
    'EXINIT',
    'GVIMINIT',
    'EMACSLOADPATH',
    'AWKPATH',
    'AWKLIBPATH',
  ],
  ...[
    'XDG_CONFIG_DIRS',
    'XDG_DATA_DIRS',
    'TERMINFO',
    'TERMINFO_DIRS',
    'TERMCAP',
    'HISTFILE',
    'MAILPATH',
    'MAILCHECK',
  ],
  ...[
    'KUBE_EDITOR',
    'PKG_CONFIG_PATH',
    'LIBRARY_PATH',
    'CPATH',
    'COMPILER_PATH',
    'GCC_EXEC_PREFIX',
    'NODE',
    'TCLLIBPATH',
  ],
  ...[
    'ELECTRON_RUN_AS_NODE',
    'ERL_FLAGS',
    'ELIXIR_ERL_OPTIONS',
    'GUILE_LOAD_PATH',
    'JULIA_LOAD_PATH',
    'FUNCNEST',
  ],
]

/** The same, by the beginning of their name. */
export const STEERING_PREFIXES: readonly string[] = [
  ...LOADER_PREFIXES,
  'BASH_',
  'CARGO_',
  'CORECLR_',
  'DOTNET_',
  'COMPLUS_',
]

const NUMBER = /^\d*$/
const NO_PAGER = /^(?:cat)?$/
const NO_EDITOR = /^(?:true|:)$/
const WORD = /^[a-z]+$/
const ANY = /^/

/**
 * Values with which these run nothing: a pager that is none, an editor that keeps what it is given,
 * a limit, a switch. Names as written, values in full.
 */
export const ORDINARY_VALUES: ReadonlyMap<string, RegExp> = new Map([
  [
    'NODE_OPTIONS',
    /^--(?:max[-_]old[-_]space[-_]size=\d+|enable-source-maps|no-(?:warnings|deprecation))$/,
  ],
  ...['PAGER', 'GIT_PAGER', 'GH_PAGER', 'AWS_PAGER', 'SYSTEMD_PAGER'].map(
    (name) => [name, NO_PAGER] as const,
  ),
  ...['EDITOR', 'VISUAL', 'GIT_EDITOR', 'GIT_SEQUENCE_EDITOR'].map(
    (name) => [name, NO_EDITOR] as const,
  ),
  ...['GIT_TERMINAL_PROMPT', 'GIT_OPTIONAL_LOCKS', 'GIT_LFS_SKIP_SMUDGE'].map(
    (name) => [name, NUMBER] as const,
  ),
  ...['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_AUTHOR_DATE'].map((name) => [name, ANY] as const),
  ...['GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL', 'GIT_COMMITTER_DATE'].map(
    (name) => [name, ANY] as const,
  ),
  ...['PYTHONUNBUFFERED', 'PYTHONDONTWRITEBYTECODE', 'PYTHONHASHSEED', 'PYTHONUTF8'].map(
    (name) => [name, NUMBER] as const,
  ),
  ...['CARGO_INCREMENTAL', 'CARGO_BUILD_JOBS'].map((name) => [name, NUMBER] as const),
  ...['CARGO_TERM_COLOR', 'CARGO_NET_OFFLINE'].map((name) => [name, WORD] as const),
  ...['DOTNET_CLI_TELEMETRY_OPTOUT', 'DOTNET_NOLOGO'].map((name) => [name, NUMBER] as const),
])
