/** The built-in `patch`: changes several files at once, or none (rules.md §3). */

import { z } from 'zod'
import type { CallFiles } from '../../contract/files.js'
import type { Tool, ToolContext } from '../../contract/tool.js'
import { ToolError } from '../../core/errors.js'
import { defineTool } from '../define-tool.js'
import { reads, writes } from '../needs.js'
import { exactTextOf } from '../text.js'
import { applyHunks } from './patch/apply.js'
import type { FileChange } from './patch/change.js'
import { parsePatch, pathsOf } from './patch/parse.js'

export interface PatchArgs {
  readonly patch: string
}

/** What became of one file. */
export interface PatchedFile {
  readonly path: string
  readonly change: 'added' | 'updated' | 'deleted' | 'moved'
  /** Where a moved file is now. */
  readonly to?: string | undefined
}

export interface PatchResult {
  readonly files: readonly PatchedFile[]
}

/** A text that is no patch names no path that could be judged, so the call is invalid. */
const inputSchema: z.ZodType<PatchArgs> = z.looseObject({
  patch: z.string().superRefine((text, context) => {
    try {
      parsePatch(text)
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      // Denied: the arguments do not fit.
      context.addIssue({ code: 'custom', message: error.message })
    }
  }),
})

/**
 * Takes unified diffs and the `*** Begin Patch` format. Every file is read and every hunk placed before
 * the first file is written; a file that changed meanwhile stops the patch, and what was written is put
 * back. Paths are opened exactly as they stand in the patch.
 */
export const patch: Tool<PatchArgs, PatchResult> = defineTool({
  name: 'patch',
  description:
    'Change files by a unified diff or a `*** Begin Patch` text: add, update, move, delete. All or nothing.',
  version: '1',
  inputSchema,
  always: ['fs.read', 'fs.write'],
  needs(args) {
    const paths = pathsOf(parsePatch(args.patch))
    return [...writes(...paths), ...reads(...paths)]
  },
  execute,
})

async function execute(args: PatchArgs, { files }: ToolContext): Promise<PatchResult> {
  const changes = parsePatch(args.patch)
  const steps: Step[] = []
  for (const change of changes) steps.push(...(await plan(change, files)))
  // What is taken away goes last: up to then every text still stands somewhere.
  const ordered = [
    ...steps.filter(({ after }) => after !== null),
    ...steps.filter(({ after }) => after === null),
  ]
  await carryOut(ordered, files)
  return { files: changes.map(patchedFile) }
}

/** One file as it is and as it will be; `null`: it is not there. */
interface Step {
  readonly path: string
  readonly before: Uint8Array | null
  readonly after: Uint8Array | null
  /** The file that a moved one was: its permissions move with it. */
  readonly like?: string | undefined
}

async function plan(change: FileChange, files: CallFiles): Promise<readonly Step[]> {
  const { path } = change
  const before = await bytesOf(path, files)
  if (change.kind === 'add') {
    if (before !== null) throw new ToolError('no_match', `\`${path}\` is there already`)
    return [{ path, before, after: bytes(change.content) }]
  }
  if (before === null) throw new ToolError('not_found', `\`${path}\` is not there`)
  if (change.kind === 'delete') {
    if (change.content !== null && !isSameText(exactTextOf(before), change.content)) {
      throw new ToolError('no_match', `\`${path}\` does not hold what the patch takes away`)
    }
    return [{ path, before, after: null }]
  }
  const { hunks, moveTo } = change
  const after = hunks.length === 0 ? before : bytes(applyHunks(exactTextOf(before), hunks))
  if (moveTo === null) return [{ path, before, after }]
  if ((await bytesOf(moveTo, files)) !== null) {
    throw new ToolError('no_match', `\`${moveTo}\` is there already`)
  }
  return [
    { path: moveTo, before: null, after, like: path },
    { path, before, after: null },
  ]
}

/** A patch need not repeat the line ends of a file. */
function isSameText(left: string, right: string): boolean {
  return left.replaceAll('\r\n', '\n') === right.replaceAll('\r\n', '\n')
}

async function bytesOf(path: string, files: CallFiles): Promise<Uint8Array | null> {
  try {
    return await files.read(path)
  } catch (error) {
    if (error instanceof ToolError && error.code === 'not_found') return null
    // Denied: what cannot be looked at is not changed.
    throw error
  }
}

async function carryOut(steps: readonly Step[], files: CallFiles): Promise<void> {
  const done: Step[] = []
  try {
    for (const step of steps) {
      const now = await bytesOf(step.path, files)
      if (!isSame(now, step.before)) {
        throw new ToolError('no_match', `\`${step.path}\` changed while the patch was applied`)
      }
      done.push(step)
      await put(step.path, step.after, { files, like: step.like })
    }
  } catch (error) {
    // Nothing more is changed, and what was changed is put back.
    await putBack(done, files, error)
    throw error
  }
}

async function putBack(done: readonly Step[], files: CallFiles, cause: unknown): Promise<void> {
  const left: string[] = []
  for (const { path, before } of done.toReversed()) {
    // A file that cannot be put back is named; the others still are.
    const isBack = await put(path, before, { files }).then(
      () => true,
      () => holds(path, before, files),
    )
    if (!isBack) left.push(`\`${path}\``)
  }
  if (left.length === 0) return
  const names = left.join(', ')
  throw new ToolError('input_output', `the patch was stopped; not put back: ${names}`, cause)
}

/** What could not be written may never have been changed. */
async function holds(path: string, content: Uint8Array | null, files: CallFiles): Promise<boolean> {
  try {
    return isSame(await bytesOf(path, files), content)
  } catch {
    // Nobody knows, so it is named.
    return false
  }
}

async function put(
  path: string,
  content: Uint8Array | null,
  { files, like }: { readonly files: CallFiles; readonly like?: string | undefined },
): Promise<void> {
  if (content !== null) return files.write(path, content, { like })
  return files.remove(path).catch((error: unknown) => {
    // Gone is what it is to be.
    if (!(error instanceof ToolError) || error.code !== 'not_found') throw error
  })
}

function isSame(left: Uint8Array | null, right: Uint8Array | null): boolean {
  if (left === null || right === null) return left === right
  return left.length === right.length && left.every((byte, index) => byte === right[index])
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function patchedFile(change: FileChange): PatchedFile {
  const { path } = change
  if (change.kind === 'add') return { path, change: 'added' }
  if (change.kind === 'delete') return { path, change: 'deleted' }
  return change.moveTo === null
    ? { path, change: 'updated' }
    : { path, change: 'moved', to: change.moveTo }
}
