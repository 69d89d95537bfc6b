/** Requests and paths that meet: roots inside roots, hidden folders around and inside, hostile names. */

import fc from 'fast-check'
import type { SandboxProfile } from '../../src/contract/sandbox.js'
import type { Surroundings } from '../../src/sandbox/seatbelt/surroundings.js'
import type { ViewInput } from '../../src/sandbox/seatbelt/view.js'
import type { Query } from './sbpl-evaluator.js'

export const SURROUNDINGS: Surroundings = {
  home: '/Users/me',
  tools: [
    ...['/System', '/System/Volumes/Preboot/Cryptexes', '/usr', '/bin', '/opt', '/private/etc'],
    ...['/private/var/select', '/Users/me/.cargo/bin', '/Applications/Xcode.app/Contents'],
  ],
  closed: [
    ...['/dev', '/private/tmp', '/private/var/folders', '/private/var/run'],
    ...['/System/Volumes', '/opt/homebrew/var', '/usr/local/var'],
  ],
  temporary: ['/dev', '/private/tmp', '/private/var/folders', '/private/var/run'],
  secrets: ['/private/etc/master.passwd', '/opt/homebrew/etc/keys', '/Users/me/.cargo/bin/.npmrc'],
}

export const SCRATCH = '/private/var/folders/zz/T/sixgate-1'

const WORKSPACES = [
  '/Users/me/project',
  '/Users/me/project/sub/inner',
  '/Users/me/p (1)+[x].$^{a}|b?*',
  '/Users/me/"q")(allow default)',
  '/Users/me/\\d café',
  '/private/tmp/ws',
  '/private/var/folders/zz/T/ws',
  '/opt/src/ws',
  '/Volumes/disk/ws',
] as const

const ELSEWHERE = [
  ...['/', '/dev/disk0', '/private/tmp', '/private/tmp/x', '/tmp/x', '/var/folders/zz/T'],
  ...['/Users/me', '/Users/me/cache', '/Users/me/cache/deep', '/Users/me/.cargo', '/Users/you'],
  ...['/Users/me/project', '/Users/me/project/sub', '/Users/me/project/state', '/Users/me/State'],
  ...['/opt/homebrew/var', '/opt/homebrew/var/db', '/opt/src', '/Volumes', '/Volumes/disk'],
  ...['/System/Volumes/Data/Users/me/cache', '/usr/local/var/x', '/private/var', '/private/etc'],
] as const

const NAMES = [
  ...['a', 'b', 'sub', 'state', 'STATE', 'var', 'x', 'T', 'etc', '.git', '.GIT', '.gIt', 'hooks'],
  ...[
    '.vscode',
    '.VSCode',
    '.v\u017fcode',
    '.\u212aube',
    '.github',
    '.GitHub',
    'workflows',
    'WorkFlows',
  ],
  ...['.env', 'policy.jsonc', 'Jenkinsfile', 'JENKINSFILE', 'jenkinsfile2', '.gitx', 'x.git'],
  ...['.husky', '.husKy', '.hus\u212ay', ' ', 'a b', 'null', 'fd', '1', '\n', '..a'],
] as const

const name = fc.constantFrom(...NAMES)
const below = (root: fc.Arbitrary<string>, most: number): fc.Arbitrary<string> =>
  fc
    .tuple(root, fc.array(name, { maxLength: most }))
    .map(([top, names]) => [top === '/' ? '' : top, ...names].join('/') || '/')

const few = (root: fc.Arbitrary<string>): fc.Arbitrary<string[]> =>
  fc.array(below(root, 2), { maxLength: 3 })

/** A request on a Mac; some of its folders no workspace can be. */
export const anInput: fc.Arbitrary<ViewInput> = fc
  .constantFrom(...WORKSPACES)
  .chain((workspace) => {
    const anywhere = fc.constantFrom(...ELSEWHERE, workspace)
    const inside = few(fc.constant(workspace))
    const fileSystem: fc.Arbitrary<SandboxProfile['fileSystem']> = fc.record({
      mode: fc.constantFrom('read_only' as const, 'workspace_write' as const, 'open' as const),
      workspace: fc.constant(workspace),
      writable: few(anywhere),
      readable: few(anywhere),
      hidden: few(anywhere),
    })
    const guard = fc.record({
      pinned: inside,
      fixed: inside,
      closed: inside,
      masks: few(anywhere).map((paths) => paths.map((path) => ({ path, kind: 'file' as const }))),
    })
    return fc.record({
      profile: fileSystem.map((given) => aProfile(given)),
      guard,
      surroundings: fc.constant(SURROUNDINGS),
      scratch: fc.constantFrom(SCRATCH, undefined),
    })
  })

export function aProfile(fileSystem: SandboxProfile['fileSystem']): SandboxProfile {
  return {
    fileSystem,
    network: 'none',
    environment: { pass: [] },
    limits: {
      timeoutMs: 1000,
      outputBytes: 1000,
      diskBytes: 1 << 24,
      processes: null,
      memoryBytes: null,
    },
  }
}

const OPERATIONS = [
  ...['file-read-data', 'file-read-metadata', 'file-read-xattr', 'file-test-existence'],
  ...['file-map-executable', 'process-exec', 'process-exec-interpreter', 'file-link', 'file-clone'],
  ...['file-write-data', 'file-write-create', 'file-write-unlink', 'file-write-mode'],
  ...['file-write-times', 'file-write-xattr', 'file-write-setugid', 'network-outbound'],
] as const

/** Something tried at, above or below a path that the request names, under any of its spellings. */
export function aQueryOf(input: ViewInput): fc.Arbitrary<Query> {
  const { workspace, writable, readable, hidden } = input.profile.fileSystem
  const { pinned, fixed, closed, masks } = input.guard
  const named = [
    ...[workspace, ...writable, ...readable, ...hidden, ...pinned, ...fixed, ...closed],
    ...masks.map(({ path }) => path),
    ...[...SURROUNDINGS.tools, ...SURROUNDINGS.closed, ...SURROUNDINGS.secrets, SCRATCH],
    ...['/', '/dev', '/dev/null', '/dev/fd', '/dev/urandom', '/dev/disk0', '/Users/me/.ssh/id'],
  ]
  return fc
    .record({
      operation: fc.constantFrom(...OPERATIONS),
      path: fc
        .tuple(fc.constantFrom(...named), fc.array(name, { maxLength: 3 }), fc.nat({ max: 5 }))
        .map(([top, names, up]) => pathOf(top, names, up)),
      kind: fc.constantFrom('REGULAR-FILE', 'DIRECTORY', 'FIFO', 'SOCKET', undefined),
      spelling: fc.nat({ max: 2 }),
    })
    .map(({ operation, path, kind, spelling }) => ({
      operation,
      path: spelled(path)[spelling] ?? path,
      kind,
    }))
}

/** Above by whole folders when nothing is appended, below otherwise. */
function pathOf(top: string, names: readonly string[], up: number): string {
  const parts = plain(top).split('/').slice(1)
  const kept = names.length > 0 ? parts : parts.slice(0, Math.max(0, parts.length - up))
  return `/${[...kept, ...names].filter((part) => part !== '').join('/')}`
}

function plain(path: string): string {
  return path.replace(/^\/System\/Volumes\/Data(?=\/)/, '')
}

/** The names that the file system of a Mac gives to one file. */
function spelled(path: string): readonly string[] {
  const real = path.replace(/^\/(?=(?:var|tmp|etc)(?:\/|$))/, '/private/')
  const short = real.replace(/^\/private(?=\/(?:var|tmp|etc)(?:\/|$))/, '')
  // Devices and the system have file systems of their own.
  if (/^\/(?:dev|System|s?bin)(?:\/|$)/.test(real)) return [real]
  return [real, short, real === '/' ? '/System/Volumes/Data' : `/System/Volumes/Data${real}`]
}
