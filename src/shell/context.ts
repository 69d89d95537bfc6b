/** What stays the same, or is handed down, while one text is walked. */

import type { RefusalCode } from '../core/need.js'
import type { Findings } from './findings.js'
import type { Folders } from './folders.js'
import type { Variables } from './guard/variables.js'

export interface Context {
  readonly findings: Findings
  readonly folders: Folders
  readonly variables: Variables
  /** The text that offsets of this tree point into. */
  readonly source: string
  /** Where the whole nested text stands in the outermost one; `null` while that one is walked. */
  readonly at: number | null
  readonly depth: number
  /** The wrappers so far, outermost first. */
  readonly via: readonly string[]
  /** Text that may run somewhere: for deny and ask alone. */
  readonly suspected: boolean
  /** A second walk, for file operations in other folders. */
  readonly again: boolean
  /** What is upstream in the pipeline, when anything is. */
  readonly piped: Piped
  /** Texts that commands upstream may print: a shell downstream would run them. */
  readonly feed: string[]
  /** Walks another text; handed down because the walk comes back to it. */
  readonly unfoldText: (text: string, context: Context) => void
}

/** What a command's standard input comes from. */
export type Piped = 'nothing' | 'program' | 'download'

/** A subshell: what it does to its folder stays inside. */
export function subshell(context: Context): Context {
  return { ...context, folders: context.folders.copy() }
}

/** Refuses at an offset of the tree that is being walked. */
export function refuse(context: Context, code: RefusalCode, at: number): void {
  // The text that led here is refused already; only limits matter to what is merely suspected.
  if (context.suspected && code !== 'unread') return
  context.findings.refuse(code, context.at ?? at)
}
