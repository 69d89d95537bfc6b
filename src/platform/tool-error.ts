/**
 * What an admitted call could not do: the file is missing, the text does not match, the server does not
 * answer. Messages name only what the call itself wrote, so that they may reach the model.
 */

import { SixgateError } from '../core/errors.js'

export const TOOL_FAULTS = [
  'not_found',
  'not_a_file',
  'not_a_folder',
  'not_permitted',
  'too_large',
  'not_text',
  'no_match',
  'ambiguous_match',
  'invalid_input',
  'cross_host_redirect',
  'unreachable',
  'timeout',
  'input_output',
] as const
export type ToolFault = (typeof TOOL_FAULTS)[number]

/** An admitted call failed in its executor. `fault` says how; nothing further was done. */
export class ToolError extends SixgateError {
  override readonly name = 'ToolError'
  readonly code = 'unavailable'
  readonly fault: ToolFault

  constructor(fault: ToolFault, message: string, cause?: unknown) {
    super(message, { cause })
    this.fault = fault
  }
}
