/** The files below a folder that a broad search may open (tools.md §1, S1-44). */

import type { DirectoryEntry } from '../../contract/files.js'
import type { ToolContext } from '../../contract/tool.js'
import { SandboxError, ToolError } from '../../core/errors.js'
import { isCredentialName, isUnsearched } from '../credential-names.js'

/** One step of the way: a file, something that is left out, or the limit that ends it. */
export type Candidate =
  | { readonly kind: 'file'; readonly path: string }
  /** A credential file or folder, or a folder that cannot be listed. */
  | { readonly kind: 'skipped' }
  | { readonly kind: 'limit' }

const LIMITS = { files: 20_000, depth: 64 } as const

/** Paths in the spelling of `top`, sorted within each folder. A `top` that is a file is its only one. */
export async function* candidates(top: string, context: ToolContext): AsyncGenerator<Candidate> {
  const names = await topNames(top, context)
  if (names === null) {
    yield { kind: 'file', path: top }
    return
  }
  const pending = steps(top, names, 0)
  let files = 0
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    context.signal.throwIfAborted()
    if (files >= LIMITS.files || next.depth > LIMITS.depth) {
      yield { kind: 'limit' }
      return
    }
    if (next.kind === 'directory') {
      const below = await namesBelow(next.path, context)
      if (below === null) yield { kind: 'skipped' }
      else pending.push(...steps(next.path, below, next.depth + 1))
    } else {
      if (next.kind === 'file') files += 1
      yield next
    }
  }
}

type Step = (Exclude<Candidate, { kind: 'limit' }> | { kind: 'directory'; path: string }) & {
  readonly depth: number
}

/** In reverse: the last one is taken first. */
function steps(folder: string, names: readonly DirectoryEntry[], depth: number): Step[] {
  const found: Step[] = []
  for (const { name, kind } of names.toReversed()) {
    if (kind !== 'file' && kind !== 'directory') continue
    if (kind === 'directory' && isUnsearched(name)) continue
    if (isCredentialName(name, kind)) found.push({ kind: 'skipped', depth })
    else found.push({ kind, path: join(folder, name), depth })
  }
  return found
}

function join(folder: string, name: string): string {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`
}

/** `null`: the top is a file. */
async function topNames(
  top: string,
  context: ToolContext,
): Promise<readonly DirectoryEntry[] | null> {
  context.signal.throwIfAborted()
  try {
    return await context.files.list(top)
  } catch (error) {
    // Denied: the search fails, unless its top is a file.
    if (error instanceof ToolError && error.code === 'not_a_folder') return null
    throw error
  }
}

/** `null`: the folder cannot be listed. */
async function namesBelow(
  folder: string,
  context: ToolContext,
): Promise<readonly DirectoryEntry[] | null> {
  try {
    return await context.files.list(folder)
  } catch (error) {
    // Denied: nothing below is searched; once the call has ended, nothing is.
    if (error instanceof SandboxError && error.code === 'call_ended') throw error
    return null
  }
}
