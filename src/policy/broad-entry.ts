/** Whitelist entries that are `accept_all` by another name (delegation.md §2). */

import { compileMatch } from './rules/match.js'
import { runsPrograms } from './rules/smallest-allow.js'

/** True for an entry that covers every call of a shell, names no tool in particular, or names an interpreter or wrapper. */
export function isBroadEntry(entry: string): boolean {
  const { tool, pattern } = partsOf(entry)
  if (/[*?]/.test(tool)) return true
  if (tool.toLowerCase() !== 'bash') return false
  if (pattern === null || /^[*?\s]*(?::\*)?$/.test(pattern)) return true
  const program = pattern.trim().split(/[\s:*?]/)[0] ?? ''
  return program === '' || runsPrograms(program)
}

function partsOf(entry: string): { readonly tool: string; readonly pattern: string | null } {
  compileMatch(entry) // an entry that is no match text was refused when the axis was read
  const open = entry.indexOf('(')
  if (open === -1) return { tool: entry, pattern: null }
  return { tool: entry.slice(0, open), pattern: entry.slice(open + 1, -1) }
}
