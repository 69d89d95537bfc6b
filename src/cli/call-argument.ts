/** A call as a person writes it: `bash(npm test)`, `read(src/a.ts)`, or a tool with JSON arguments. */

import { usageFault } from './arguments.js'

/** A call that can be judged. */
export interface WrittenCall {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

/**
 * First `(` to the final `)`. Throws `ConfigError invalid_option` for text around it, and for plain text
 * as the argument of a tool that has no main argument.
 */
export function parseCall(text: string): WrittenCall {
  const { tool, inner } =
    /^\s*(?<tool>[\w.-]+)\s*(?:\((?<inner>.*)\)\s*)?$/s.exec(text)?.groups ?? {}
  if (tool === undefined) {
    const message = `\`${text}\` is no call: write <tool>(<args>)`
    throw usageFault(
      message,
      `for a command: '${text.includes("'") ? 'bash(…)' : `bash(${text})`}'`,
    )
  }
  if (inner === undefined || inner.trim() === '') return { tool, args: {} }
  return { tool, args: jsonObject(inner) ?? mainArgument(tool, inner) }
}

function jsonObject(text: string): Readonly<Record<string, unknown>> | null {
  if (!text.trimStart().startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    // Nothing is allowed by it: a text such as `{ ls; }` is judged as the tool's main argument.
    return null
  }
}

function mainArgument(tool: string, text: string): Readonly<Record<string, unknown>> {
  if (tool === 'search') return searchArguments(text)
  const name = MAIN_ARGUMENTS[tool]
  if (name !== undefined) return { [name]: text }
  throw usageFault(`\`${tool}\` has no main argument: give its arguments as a JSON object`)
}

const MAIN_ARGUMENTS: { readonly [T in string]?: string } = {
  bash: 'command',
  read: 'file_path',
  write: 'file_path',
  edit: 'file_path',
  ls: 'path',
  web_fetch: 'url',
}

/** `mode query` as rules write it; a folder needs the JSON form. */
function searchArguments(text: string): Readonly<Record<string, unknown>> {
  const [mode = '', ...query] = text.trim().split(' ')
  return { mode, query: query.join(' ') }
}
