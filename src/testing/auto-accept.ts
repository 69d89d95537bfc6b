/** A responder that says yes to everything, for tests alone (pipeline.md §5). */

import type { ResponderKind } from '../core/facts.js'
import { scriptedResponder, type ScriptedResponder } from './scripted-responder.js'

/**
 * Approves every request and remembers it. Of kind `script` unless the options say otherwise; a
 * script cannot confirm an escalation.
 */
export function autoAccept(
  options: { readonly kind?: ResponderKind | undefined } = {},
): ScriptedResponder {
  return scriptedResponder(() => ({ answer: 'approve' }), options)
}
