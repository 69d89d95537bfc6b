/** Which hosts a command would reach (rules.md §5 item 6); `null` where its words do not tell. */

import type { HostOperation } from '../../core/need.js'
import type { Context } from '../context.js'
import { programName } from '../programs/name.js'
import type { ShellWord } from '../unfold/word.js'
import { SSH_OPTIONS } from '../wrappers/remote.js'
import { readOperands, type Valued } from './operands.js'
import { CURL, WGET } from './transfers.js'
import { hostOfTarget, hostOfUrl } from './url.js'

/** Notes the hosts of these words; nothing for programs that no table knows. */
export function recordHosts(words: readonly ShellWord[], context: Context): void {
  const [program, ...args] = words
  for (const host of hostsOf(programName(program?.text ?? ''), args)) context.findings.host(host)
}

/** True for programs that these tables know. */
export function isNetworkProgram(name: string): boolean {
  return FETCHERS.has(name) || REMOTES.has(name) || PACKAGES.has(name) || OTHERS.has(name)
}

const UNKNOWN: HostOperation = { host: null }

function hostsOf(name: string, args: readonly ShellWord[]): readonly HostOperation[] {
  const fetcher = FETCHERS.get(name)
  if (fetcher !== undefined) {
    const { operands, values } = readOperands(args, fetcher)
    const urls = [...operands, ...(values.get('--url') ?? [])]
    return urls.flatMap((word) => hostOfUrl(word))
  }
  if (REMOTES.has(name)) return remoteHosts(name, args)
  if (name === 'git') return gitHosts(args)
  const registry = PACKAGES.get(name)
  if (registry !== undefined) {
    const reaches =
      args.some(({ text }) => INSTALLS.has(text)) || (name === 'yarn' && args.length === 0)
    // Settings can name another registry.
    return reaches ? [...registry.map((host) => ({ host })), UNKNOWN] : []
  }
  if (!OTHERS.has(name)) return []
  const { operands } = readOperands(args, { valued: 'cwiIWtpq' })
  return operands.length === 0
    ? [UNKNOWN]
    : operands.slice(0, 1).flatMap((word) => hostOfTarget(word))
}

function remoteHosts(name: string, args: readonly ShellWord[]): readonly HostOperation[] {
  const { operands } = readOperands(args, SSH_OPTIONS)
  if (name === 'ssh' || name === 'autossh' || name === 'mosh' || name === 'sftp') {
    return operands.slice(0, 1).flatMap((word) => hostOfTarget(word))
  }
  return operands.filter(({ text }) => /^[^/]+:/.test(text)).flatMap((word) => hostOfTarget(word))
}

/** A remote by name is in the settings of the repository, which are not read here. */
function gitHosts(args: readonly ShellWord[]): readonly HostOperation[] {
  const { operands } = readOperands(args, { valued: 'CcbojuXsStm' })
  const [command, ...rest] = operands
  const verb = command?.text ?? ''
  if (!GIT_REMOTE.has(verb)) return []
  if (verb === 'remote' && !['update', 'show', 'prune'].includes(rest[0]?.text ?? '')) return []
  const target = rest.find(({ text }) => /^[^/]+:/.test(text))
  return target === undefined ? [UNKNOWN] : hostOfTarget(target)
}

const GIT_REMOTE: ReadonlySet<string> = new Set([
  ...['clone', 'fetch', 'pull', 'push', 'ls-remote', 'remote', 'submodule', 'send-email', 'lfs'],
])

const FETCHERS: ReadonlyMap<string, Valued> = new Map<string, Valued>([
  ['curl', CURL],
  ['wget', WGET],
  ...['http', 'https', 'xh', 'aria2c', 'lynx', 'w3m', 'links'].map(
    (name) => [name, { valued: 'doaA' }] as const,
  ),
])
const REMOTES: ReadonlySet<string> = new Set(['ssh', 'scp', 'sftp', 'rsync', 'mosh', 'autossh'])

const NPM = ['registry.npmjs.org']
const PYPI = ['pypi.org', 'files.pythonhosted.org']
const CRATES = ['index.crates.io', 'static.crates.io']
const PACKAGES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...['npm', 'pnpm', 'bun', 'npx', 'bunx', 'pnpx'].map((name) => [name, NPM] as const),
  ['yarn', ['registry.yarnpkg.com']],
  ...['pip', 'pip3', 'pipx', 'uv', 'uvx', 'poetry', 'pipenv', 'pdm'].map(
    (name) => [name, PYPI] as const,
  ),
  ['cargo', CRATES],
  ['go', ['proxy.golang.org']],
  ['gem', ['rubygems.org']],
  ['bundle', ['rubygems.org']],
  ['composer', ['repo.packagist.org']],
  ...[
    'apt',
    'apt-get',
    'dnf',
    'yum',
    'apk',
    'brew',
    'pacman',
    'docker',
    'podman',
    'helm',
    'conda',
    'mamba',
  ].map((name) => [name, []] as const),
])
/** Subcommands of package managers that fetch or publish. */
const INSTALLS: ReadonlySet<string> = new Set([
  ...[
    'install',
    'i',
    'ci',
    'add',
    'update',
    'upgrade',
    'up',
    'publish',
    'login',
    'audit',
    'outdated',
    'view',
  ],
  ...[
    'info',
    'search',
    'get',
    'mod',
    'fetch',
    'sync',
    'lock',
    'download',
    'pull',
    'push',
    'require',
    'dlx',
    'exec',
  ],
])
/** Programs whose first operand is a host. */
const OTHERS: ReadonlySet<string> = new Set([
  ...[
    'ping',
    'ping6',
    'dig',
    'nslookup',
    'host',
    'telnet',
    'nc',
    'ncat',
    'netcat',
    'traceroute',
    'whois',
    'ftp',
    'nmap',
  ],
])
