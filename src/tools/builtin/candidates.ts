/** The files below a folder that a broad search may open (tools.md §1, S1-44). */

import type { DirectoryEntry } from '../../contract/files.js'
import type { ToolContext } from '../../contract/tool.js'
import { SandboxError } from '../../core/errors.js'
import { ToolError } from '../../platform/tool-error.js'
import { isCredentialName, isUnsearched } from '../credential-names.js'

/** What a walk has found so far; the search reports it. */
export interface Tally {
  /** Credential files and folders that were left out. */
  skipped: number
  /** True when a limit ended the walk. */
  truncated: boolean
}

const LIMITS = { files: 20_000, depth: 64 } as const

/** Paths in the spelling of `top`, sorted within each folder. A `top` that is a file is its only candidate. */
export async function* candidates(
  top: string,
  context: ToolContext,
  tally: Tally,
): AsyncGenerator<string> {
  const pending: { readonly path: string; readonly isFile: boolean; readonly depth: number }[] = [
    { path: top, isFile: false, depth: 0 },
  ]
  let files = 0
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    context.signal.throwIfAborted()
    if (files >= LIMITS.files || next.depth > LIMITS.depth) {
      tally.truncated = true
      return
    }
    if (next.isFile) {
      files += 1
      yield next.path
      continue
    }
    const { path, depth } = next
    const names = await namesIn(path, top, context, tally)
    if (names === null) yield path
    const kept = (names ?? []).filter((entry) => isCandidate(entry, tally))
    for (const { name, kind } of kept.reverse()) {
      pending.push({ path: join(path, name), isFile: kind === 'file', depth: depth + 1 })
    }
  }
}

/** `null`: the top itself is a file. A folder below that cannot be listed is left out and counted. */
async function namesIn(
  path: string,
  top: string,
  context: ToolContext,
  tally: Tally,
): Promise<readonly DirectoryEntry[] | null> {
  try {
    return await context.files.list(path)
  } catch (error) {
    // Denied: nothing below is searched; at the top the whole search fails unless it is a file.
    if (path === top && error instanceof ToolError && error.fault === 'not_a_folder') return null
    if (path === top || (error instanceof SandboxError && error.code === 'call_ended')) throw error
    tally.skipped += 1
    return []
  }
}

function isCandidate({ name, kind }: DirectoryEntry, tally: Tally): boolean {
  if (kind !== 'file' && kind !== 'directory') return false
  if (kind === 'directory' && isUnsearched(name)) return false
  const isCredential = isCredentialName(name, kind)
  if (isCredential) tally.skipped += 1
  return !isCredential
}

function join(folder: string, name: string): string {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`
}
