/** bubblewrap's options for one command, in the order that matters (sandbox.md §4). Pure text. */

import type { EnteredRequest } from '../grant/entrance.js'
import type { GuardedRequest, Mask } from '../protection/guard.js'
import { SandboxError } from '../../core/errors.js'
import { rehome } from '../environment.js'
import type { Surroundings } from './surroundings.js'
import { planView, type Shown, type View } from './view.js'

/** The descriptor that carries these options. */
export const OPTIONS_DESCRIPTOR = 3

/** The descriptor on which bubblewrap reports. */
export const STATUS_DESCRIPTOR = 4

/** The descriptor that carries the system-call filter. */
export const FILTER_DESCRIPTOR = 5

/** The first descriptor that holds a file or folder of the host to be mounted. */
const FIRST_FILE_DESCRIPTOR = 6

/** Options, and the paths that must be open at a descriptor when the launcher starts. */
export interface Options {
  readonly words: readonly string[]
  readonly files: readonly { readonly descriptor: number; readonly path: string }[]
}

/**
 * Namespaces, an empty root, what is shown, what is covered, the environment. The root starts empty
 * instead of covering the host's folders one by one: a name that appears later is not shown, and it
 * costs fewer mounts.
 */
export function bubblewrapOptions(request: EnteredRequest, surroundings: Surroundings): Options {
  const view = planView(request.profile, surroundings, guardOf(request))
  const isOpen = request.profile.fileSystem.mode === 'open'
  const files = descriptors(view.guarded, request.scratch)
  const words = [
    ...namespaces(request),
    ...(isOpen ? ['--bind', '/', '/'] : system(surroundings)),
    ...kernel(surroundings),
    ...scratch(
      request.profile.limits.diskBytes,
      request.scratch === undefined ? undefined : files[0],
    ),
    ...view.shown.flatMap((one) => ('kind' in one ? mask(one) : show(one))),
    ...files
      .filter(({ path }) => path !== request.scratch)
      .flatMap(({ option, descriptor, path }) => [option, `${descriptor}`, path]),
    ...view.guarded.closed.flatMap(close),
    ...view.masks.flatMap(mask),
    ...(isOpen ? [] : ['--remount-ro', '/']),
    ...['--chdir', request.cwd],
    ...environment(request),
    ...['--seccomp', `${FILTER_DESCRIPTOR}`],
    ...['--json-status-fd', `${STATUS_DESCRIPTOR}`],
  ]
  return { words, files: files.map(({ descriptor, path }) => ({ descriptor, path })) }
}

/** A workspace that nobody looked at may hold what must not change. */
function guardOf({ guard }: GuardedRequest): NonNullable<GuardedRequest['guard']> {
  if (guard !== undefined) return guard
  throw new SandboxError(
    'setup_failed',
    'the workspace was not searched for what must be protected',
    'run commands through a sandbox handle or a session',
  )
}

// INVARIANT: what lies in a writable root is mounted by descriptor, opened without following a link
// ("refuses %s when a folder above has become a link"): by its path another command could
// put a link there in between, and the launcher would mount what that leads to.
function descriptors(
  { pinned, fixed }: View['guarded'],
  kept: string | undefined,
): readonly Descriptor[] {
  return [
    ...(kept === undefined ? [] : [{ option: '--bind-fd' as const, path: kept }]),
    ...pinned.map((path) => ({ option: '--bind-fd' as const, path })),
    ...fixed.map((path) => ({ option: '--ro-bind-fd' as const, path })),
  ].map((one, index) => ({ ...one, descriptor: FIRST_FILE_DESCRIPTOR + index }))
}

interface Descriptor {
  readonly option: '--bind-fd' | '--ro-bind-fd'
  readonly descriptor: number
  readonly path: string
}

/** Cheaper than a read-only mount: without privileges nothing can be made in such a folder. */
function close(path: string): readonly string[] {
  return ['--perms', '0555', '--size', EMPTY_BYTES, '--tmpfs', path]
}

const NAMESPACES = [
  '--unshare-user',
  '--unshare-ipc',
  '--unshare-pid',
  '--unshare-net',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--disable-userns',
  '--die-with-parent',
  '--new-session',
  ...['--cap-drop', 'ALL'],
] as const

// INVARIANT: without a grant the network namespace is fresh, with one it is the grant's, which the launcher was
// started in ("never shares the network of the host"): a third way would be the host's own network.
function namespaces({ profile, entrance }: EnteredRequest): readonly string[] {
  if (profile.network === 'none' && entrance === undefined) return NAMESPACES
  if (profile.network !== 'none' && entrance !== undefined) {
    return NAMESPACES.filter((option) => option !== '--unshare-net')
  }
  throw new SandboxError(
    'setup_failed',
    'a network grant and the network that it opens do not come together',
    'run commands with a grant through a sandbox handle or a session',
  )
}

/** Home of each call, inside its private `/tmp`. */
const HOME = '/tmp/home'

/** A covered folder holds nothing; 0 would mean no limit. */
const EMPTY_BYTES = '4096'

function system(surroundings: Surroundings): readonly string[] {
  return [
    ...surroundings.system.flatMap((path) => ['--ro-bind', path, path]),
    ...surroundings.links.flatMap(({ path, target }) => ['--symlink', target, path]),
  ]
}

/** Fresh `/dev` and `/proc`; the host's settings read-only. */
function kernel(surroundings: Surroundings): readonly string[] {
  return [
    ...['--dev', '/dev'],
    ...['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys'],
    ...surroundings.kernel.flatMap(mask),
  ]
}

/** All that can be written without a root of the host, under one limit but for what is kept; `/dev` is closed. */
function scratch(diskBytes: number, kept: Descriptor | undefined): readonly string[] {
  if (!Number.isSafeInteger(diskBytes) || diskBytes < LEAST_DISK) {
    throw new SandboxError(
      'invalid_limit',
      `\`diskBytes\` is not a whole number of at least ${LEAST_DISK}`,
      'give temporary files at least a mebibyte',
    )
  }
  const shared = Math.floor(diskBytes / 4)
  const run = Math.min(Math.floor(diskBytes / 16), 1_048_576)
  return [
    ...['--size', `${shared}`, '--perms', '1777', '--tmpfs', '/dev/shm'],
    ...['--remount-ro', '/dev'],
    ...(kept === undefined
      ? ['--size', `${diskBytes - shared - run}`, '--perms', '1777', '--tmpfs', '/tmp']
      : [kept.option, `${kept.descriptor}`, '/tmp']),
    ...['--size', `${run}`, '--tmpfs', '/run'],
    ...['--perms', '0700', '--dir', HOME],
  ]
}

const LEAST_DISK = 1_048_576

function show(one: Shown): readonly string[] {
  const option = one.access === 'write' ? '--bind' : one.optional ? '--ro-bind-try' : '--ro-bind'
  return [option, one.path, one.path]
}

function mask(one: Mask): readonly string[] {
  return one.kind === 'file'
    ? ['--ro-bind', '/dev/null', one.path]
    : ['--size', EMPTY_BYTES, '--tmpfs', one.path, '--remount-ro', one.path]
}

function environment(request: GuardedRequest): readonly string[] {
  const variables = rehome(request.environment, HOME, '/tmp')
  return [
    '--clearenv',
    ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
  ]
}
