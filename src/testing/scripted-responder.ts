/** A responder that answers from a list or a function, for tests and examples. */

import type { Answer, ApprovalRequest, Responder } from '../contract/approval.js'
import { ConfigError } from '../core/errors.js'
import type { ResponderKind } from '../core/facts.js'

/** Answers one after the other, or one function for every request. */
export type Script =
  readonly Answer[] | ((request: ApprovalRequest, signal: AbortSignal) => Answer | Promise<Answer>)

/** A responder that remembers what it was shown. */
export interface ScriptedResponder extends Responder {
  /** Every request so far, in order. */
  readonly requests: readonly ApprovalRequest[]
}

/**
 * Answers as told and shows nobody anything. Kind `script` unless the options say otherwise, and a
 * script cannot confirm an escalation. Rejects when the list has ended, which denies the call.
 */
export function scriptedResponder(
  script: Script,
  options: { readonly kind?: ResponderKind | undefined } = {},
): ScriptedResponder {
  const requests: ApprovalRequest[] = []
  return {
    kind: options.kind ?? 'script',
    requests,
    async ask(request, signal) {
      requests.push(request)
      if (typeof script === 'function') return script(request, signal)
      const answer = script[requests.length - 1]
      if (answer !== undefined) return answer
      throw new ConfigError('invalid_option', 'the script has no answer left')
    },
  }
}
