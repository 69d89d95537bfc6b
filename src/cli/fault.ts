/** Faults as people and programs read them, and the exit code of each. */

import { ConfigError, RecordError, SixgateError } from '../index.js'
import { EXIT } from './command.js'
import type { Output } from './output.js'

/** Prints the fault and returns its exit code. */
export function reportFault(fault: unknown, output: Output, json: boolean): number {
  if (json) output.json({ error: documentOf(fault) })
  else for (const line of linesOf(fault)) output.note(line)
  return codeOf(fault)
}

function linesOf(fault: unknown): readonly string[] {
  if (!(fault instanceof ConfigError)) return [`sixgate: ${messageOf(fault)}`]
  const { file, line, column, allowed, suggestion } = fault
  const place = [file, line, column].filter((part) => part !== undefined).join(':')
  return [
    `${place === '' ? 'sixgate' : place}: ${fault.message}`,
    ...(allowed === undefined ? [] : [`  allowed: ${allowed.join(', ')}`]),
    ...(suggestion === undefined ? [] : [`  suggestion: ${suggestion}`]),
  ]
}

function documentOf(fault: unknown): object {
  const code = fault instanceof SixgateError ? fault.code : 'internal'
  if (!(fault instanceof ConfigError)) return { code, message: messageOf(fault) }
  const { file = null, line = null, column = null, path, allowed = null } = fault
  const { message, suggestion = null } = fault
  return { code, message, file, line, column, path, allowed, suggestion }
}

function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : 'an unknown fault'
}

function codeOf(fault: unknown): number {
  if (fault instanceof RecordError)
    return NO_INPUT.includes(fault.code) ? EXIT.noInput : EXIT.internal
  if (!(fault instanceof ConfigError)) return EXIT.internal
  if (fault.code === 'unreadable_file') return EXIT.noInput
  return USAGE.includes(fault.code) ? EXIT.usage : EXIT.malformed
}

const NO_INPUT: readonly string[] = ['store_failed', 'run_missing', 'unknown_call']
/** What is wrong with how the command was called; anything else is wrong with a file. */
const USAGE: readonly string[] = ['invalid_option', 'workspace_refused', 'control_plane_exposed']
