/** Programs that some table speaks for; any other may be a wrapper of its own (rules.md §5 item 2). */

import { isGuardedBuiltin } from '../guard/builtin.js'
import { isFileProgram } from '../operations/files.js'
import { isNetworkProgram } from '../operations/hosts.js'
import { isSpecialFileProgram } from '../operations/special-files.js'
import { BASH_LIKE, OTHER_SHELLS, WINDOWS_SHELLS, WRAPPERS } from '../wrappers/table.js'
import { programName } from './name.js'
import { hasExecOptions } from './unseen.js'

/** True when the program runs nothing that its tables would not tell. */
export function isKnown(word: string): boolean {
  const name = programName(word)
  return (
    PLAIN.has(name) ||
    WRAPPING.has(name) ||
    isFileProgram(name) ||
    isSpecialFileProgram(name) ||
    isNetworkProgram(name) ||
    hasExecOptions(name) ||
    isGuardedBuiltin(name)
  )
}

/** True for a command that carries another one to a container, a namespace or an environment. */
export function carriesCommand([program = '', ...args]: readonly string[]): boolean {
  const verbs = CARRIERS.get(programName(program))
  return verbs?.some((verb) => args.includes(verb)) === true
}

const CONTAINER = ['exec', 'run', 'debug'] as const
const CARRIERS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...['docker', 'docker-compose', 'podman', 'nerdctl', 'kubectl', 'oc'].map(
    (name) => [name, CONTAINER] as const,
  ),
  ...['conda', 'mamba', 'micromamba', 'heroku'].map((name) => [name, ['run']] as const),
  ['ip', ['exec']],
  ['cargo', ['watch']],
  ['gcloud', ['ssh']],
  ['fly', ['ssh']],
  ['cmake', ['-E']],
])

const WRAPPING: ReadonlySet<string> = new Set([
  ...WRAPPERS.flatMap(({ names }) => names),
  ...BASH_LIKE,
  ...OTHER_SHELLS,
  ...WINDOWS_SHELLS,
  ...['find', 'gfind', 'fd', 'fdfind', 'parallel', 'ssh', 'autossh', 'mosh'],
])

/** Programs of everyday work whose operands are data to them. */
const PLAIN: ReadonlySet<string> = new Set([
  ...[
    ':',
    'true',
    'false',
    'echo',
    'cd',
    'pushd',
    'popd',
    'pwd',
    'exit',
    'return',
    'break',
    'continue',
    'shift',
  ],
  ...[
    'type',
    'which',
    'whereis',
    'hash',
    'umask',
    'ulimit',
    'times',
    'kill',
    'pkill',
    'killall',
    'pgrep',
    'ps',
  ],
  ...[
    'sleep',
    'date',
    'cal',
    'uname',
    'hostname',
    'whoami',
    'id',
    'groups',
    'uptime',
    'free',
    'df',
    'lscpu',
    'nproc',
  ],
  ...[
    'printenv',
    'basename',
    'dirname',
    'seq',
    'yes',
    'tr',
    'expr',
    'factor',
    'numfmt',
    'bc',
    'cal',
    'tput',
    'clear',
  ],
  ...[
    'mktemp',
    'sync',
    'logger',
    'wall',
    'lsof',
    'top',
    'htop',
    'vmstat',
    'iostat',
    'ss',
    'netstat',
    'ip',
    'ifconfig',
  ],
  ...[
    'git',
    'gh',
    'glab',
    'hub',
    'svn',
    'hg',
    'make',
    'cmake',
    'ninja',
    'meson',
    'gradle',
    'mvn',
    'ant',
    'bazel',
  ],
  ...[
    'npm',
    'pnpm',
    'yarn',
    'bun',
    'deno',
    'tsc',
    'eslint',
    'prettier',
    'jest',
    'vitest',
    'mocha',
    'webpack',
    'vite',
  ],
  ...[
    'cargo',
    'rustc',
    'rustfmt',
    'rustup',
    'clippy-driver',
    'go',
    'gofmt',
    'gcc',
    'g++',
    'cc',
    'c++',
    'clang',
    'ld',
  ],
  ...[
    'javac',
    'java',
    'kotlinc',
    'dotnet',
    'swift',
    'xcodebuild',
    'pip',
    'pytest',
    'mypy',
    'ruff',
    'black',
    'flake8',
  ],
  ...[
    'tox',
    'nox',
    'rake',
    'rspec',
    'rubocop',
    'composer',
    'phpunit',
    'docker',
    'docker-compose',
    'podman',
  ],
  ...[
    'kubectl',
    'helm',
    'terraform',
    'tofu',
    'aws',
    'gcloud',
    'az',
    'heroku',
    'vercel',
    'netlify',
    'fly',
  ],
  ...[
    'systemctl',
    'journalctl',
    'service',
    'mount',
    'umount',
    'useradd',
    'usermod',
    'passwd',
    'disown',
    'shutdown',
  ],
  ...[
    'reboot',
    'halt',
    'poweroff',
    'mkfs',
    'fdisk',
    'diskutil',
    'brew',
    'apt',
    'apt-get',
    'dpkg',
    'tsx',
    'lint-staged',
  ],
])
