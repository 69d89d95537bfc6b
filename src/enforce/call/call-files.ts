/** Files as one call's executor sees them: what the call was judged for, while it runs (api.md, H-28). */

import type { CallFiles } from '../../contract/files.js'
import { SandboxError } from '../../core/errors.js'
import type { Files } from '../../platform/files.js'

/** One path need with where it led when it was judged. */
export interface JudgedPath {
  /** The exact spelling of the need. */
  readonly given: string
  readonly access: 'read' | 'write'
  /** Real, absolute, normalised. */
  readonly real: string
}

/** What the handle acts through. */
export interface CallFilesPorts {
  readonly files: Files
  /** Real; missing folders are made only below it. */
  readonly workspace: string
  /** True for files below a judged folder that the policy keeps from this call; absent: none. */
  readonly isHidden?: ((real: string) => boolean) | undefined
}

/**
 * The handle of one call. A path is known by the exact spelling of a need; below a folder that was judged
 * for reading, plain further names are known as well. Anything else rejects with `not_judged`, and
 * everything with `call_ended` once `isAlive` says no.
 */
export function callFiles(
  judged: readonly JudgedPath[],
  isAlive: () => boolean,
  { files, workspace, isHidden = () => false }: CallFilesPorts,
): CallFiles {
  const readable = (path: string): string => locate(judged, path, isHidden)
  const writable = (path: string): string => {
    const need = judged.find(({ given, access }) => access === 'write' && given === path)
    if (need === undefined) throw notJudged()
    return need.real
  }
  return {
    read: (path, options = {}) =>
      whileAlive(isAlive, () =>
        files.readRegularFile(readable(path), options.maximumBytes ?? DEFAULT_MAXIMUM_BYTES),
      ),
    ...changes({ readable, writable }, isAlive, { files, workspace }),
    list: (path) => whileAlive(isAlive, () => files.listFolder(readable(path))),
    async *walk(path, limit) {
      demandAlive(isAlive)
      const folder = readable(path)
      for await (const name of files.walkFolder(folder, limit)) {
        demandAlive(isAlive)
        if (!isHidden(join(folder, name))) yield join(path, name)
      }
    },
  }
}

/** Where paths of the call lead; both throw `not_judged`. */
interface Places {
  readonly readable: (path: string) => string
  readonly writable: (path: string) => string
}

function changes(
  { readable, writable }: Places,
  isAlive: () => boolean,
  { files, workspace }: CallFilesPorts,
): Pick<CallFiles, 'write' | 'remove'> {
  // What this call took away, with its permissions: put back, it is no wider than it was.
  const removed = new Map<string, number>()
  return {
    write: (path, content, { like } = {}) =>
      whileAlive(isAlive, async () => {
        const real = writable(path)
        // A copy: the executor may go on changing its own bytes.
        const bytes = copyOf(content)
        const mode = like === undefined ? removed.get(real) : await files.modeOf(readable(like))
        demandAlive(isAlive)
        await files.writeRegularFile(real, bytes, { root: workspace, mode })
      }),
    remove: (path) =>
      whileAlive(isAlive, async () => {
        const real = writable(path)
        removed.set(real, await files.removeRegularFile(real))
      }),
  }
}

const DEFAULT_MAXIMUM_BYTES = 8 * 1024 * 1024

async function whileAlive<T>(isAlive: () => boolean, act: () => Promise<T>): Promise<T> {
  demandAlive(isAlive)
  const result = await act()
  // What arrives after the end belongs to nobody.
  demandAlive(isAlive)
  return result
}

function demandAlive(isAlive: () => boolean): void {
  if (isAlive()) return
  throw new SandboxError(
    'call_ended',
    'the call has ended',
    'use the handle only while the call runs',
  )
}

/** Where a path that this call may read leads. */
function locate(
  judged: readonly JudgedPath[],
  path: string,
  isHidden: (real: string) => boolean,
): string {
  const readable = judged.filter(({ access }) => access === 'read')
  const exact = readable.find(({ given }) => given === path)
  if (exact !== undefined) return exact.real
  for (const { given, real } of readable) {
    // A real path starts with `/` exactly where names may hold any other character.
    const rest = below(given, path, real.startsWith('/'))
    if (rest !== null && !isHidden(join(real, rest))) return join(real, rest)
  }
  throw notJudged()
}

/** The plain names that lead from a judged folder to a path, or `null`. */
function below(folder: string, path: string, isPosix: boolean): string | null {
  const prefix = folder.endsWith('/') ? folder : `${folder}/`
  if (typeof path !== 'string' || !path.startsWith(prefix)) return null
  const names = path.slice(prefix.length).split('/')
  return names.every((name) => isPlainName(name, isPosix)) ? names.join('/') : null
}

/** Neither empty nor a step up; where a backslash or a colon means something, neither of them. */
function isPlainName(name: string, isPosix: boolean): boolean {
  if (name === '' || name === '.' || name === '..' || name.includes('\0')) return false
  return isPosix || !/[\\:]/.test(name)
}

function join(folder: string, rest: string): string {
  return folder.endsWith('/') ? folder + rest : `${folder}/${rest}`
}

function copyOf(content: Uint8Array | string): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : Uint8Array.from(content)
}

function notJudged(): SandboxError {
  const remedy = 'state the path in the needs of the tool'
  return new SandboxError('not_judged', 'the path was no need of this call', remedy)
}
