/** The lines of one file that hold a literal text, for the `search` tool. */

import type { ToolContext } from '../../contract/tool.js'
import { SandboxError } from '../../core/errors.js'
import { textOf } from '../text.js'

export interface SearchMatch {
  readonly path: string
  /** Counted from 1. For `glob` it is 0 and the text empty. */
  readonly line: number
  readonly text: string
}

const LIMITS = { fileBytes: 2 * 1024 * 1024, lineLength: 400, matches: 200 } as const

/** Binary, larger and vanished files have none. Long lines are cut. */
export async function matchingLines(
  query: string,
  path: string,
  context: ToolContext,
): Promise<readonly SearchMatch[]> {
  const text = await readText(path, context)
  if (text?.includes(query) !== true) return []
  return text
    .split('\n')
    .flatMap((content, index) => (content.includes(query) ? [match(path, index, content)] : []))
    .slice(0, LIMITS.matches)
}

function match(path: string, index: number, content: string): SearchMatch {
  const text = content.replace(/\r$/, '').slice(0, LIMITS.lineLength).toWellFormed()
  return { path, line: index + 1, text }
}

async function readText(path: string, context: ToolContext): Promise<string | null> {
  try {
    return textOf(await context.files.read(path, { maximumBytes: LIMITS.fileBytes }))
  } catch (error) {
    // Denied: this file is not searched; once the call has ended, nothing is.
    if (error instanceof SandboxError && error.code === 'call_ended') throw error
    return null
  }
}
