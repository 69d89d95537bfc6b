/**
 * Keeps file tools of a host from credentials and protected names (tools.md §1, S1-43 to S1-45, H-28). It
 * authorises nothing: a call of a model passes the pipeline first.
 */

import type { Policy } from '../../contract/policy.js'
import { ToolError } from '../../core/errors.js'
import { systemMachine } from '../../platform/machine.js'
import { systemOpening, type OpenHandle } from '../../platform/opening/system-opening.js'
import { judgePaths, type Judge, type Judged } from './judge.js'
import { limitsOf } from './limits.js'
import { readFile, writeFile, type ReadableFile, type WritableFile } from './opened-file.js'

/** What a guard is made for. */
export interface PathGuardOptions {
  /** An existing folder. */
  readonly workspace: string
  /** Its folders and forbidden paths count, its rules are the pipeline's; absent: the workspace alone. */
  readonly policy?: Policy | undefined
}

/** What of a list may be opened; the rest is counted, not named. */
export interface Candidates {
  readonly paths: readonly string[]
  readonly skipped: number
}

/** Every refusal is a `ToolError`, or `SandboxError not_judged` for what moved between judging and opening. */
export interface PathGuard {
  /** `closed`: nothing that moves meanwhile is opened. `bounded`: it is noticed before anything is read or cut. */
  readonly race: 'closed' | 'bounded'
  readonly assertReadable: (path: string) => Promise<void>
  readonly assertWritable: (path: string) => Promise<void>
  /** For a broad search: leaves out what must not be opened. */
  readonly filterCandidates: (paths: readonly string[]) => Promise<Candidates>
  /** Opens a regular file for as long as `use` takes. */
  readonly openForRead: <T>(path: string, use: (file: ReadableFile) => Promise<T>) => Promise<T>
  /** Opens or makes a regular file; missing folders are made below the writable folder. */
  readonly openForWrite: <T>(path: string, use: (file: WritableFile) => Promise<T>) => Promise<T>
}

/** A guard over the folders of one workspace. Throws `ToolError not_a_folder` for a workspace that is none. */
export function createPathGuard({ workspace, policy }: PathGuardOptions): PathGuard {
  const machine = systemMachine()
  const judge = judgePaths({ machine, workspace, limits: limitsOf(policy) })
  const { opening, race } = systemOpening()
  return {
    race,
    assertReadable: async (path) => {
      await judge.readable(path)
    },
    assertWritable: async (path) => {
      await judge.writable(path)
    },
    async filterCandidates(paths) {
      const kept = await Promise.all(paths.map((path) => isKept(path, judge.readable)))
      const allowed = paths.filter((_, index) => kept[index])
      return { paths: allowed, skipped: paths.length - allowed.length }
    },
    async openForRead(path, use) {
      const judged = await judge.readable(path)
      return opening.withFile(judged.real, { access: 'read' }, async (handle) => {
        await refuseOpened(handle, judged, judge)
        return use(await readFile(handle))
      })
    },
    async openForWrite(path, use) {
      const judged = await judge.writable(path)
      const purpose = { access: 'write', root: judged.root } as const
      return opening.withFile(judged.real, purpose, async (handle) => {
        await refuseOpened(handle, judged, judge)
        return use(await writeFile(handle))
      })
    },
  }
}

/** By what was opened, not by its name: a name may have come between. */
async function refuseOpened(handle: OpenHandle, judged: Judged, judge: Judge): Promise<void> {
  const { dev, ino, nlink } = await handle.stat()
  judge.refuseAlias({ id: `${dev}:${ino}`, links: nlink }, judged)
}

async function isKept(path: string, judge: (path: string) => Promise<unknown>): Promise<boolean> {
  try {
    await judge(path)
    return true
  } catch (cause) {
    // Denied: this candidate; a mistake of ours is not a reason to skip it.
    if (cause instanceof ToolError && cause.code === 'not_permitted') return false
    throw cause
  }
}
