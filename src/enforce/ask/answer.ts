/** Reading what somebody hands in as an answer (pipeline.md §5): each field once, and never a throw. */

import type { Answer, ResponderIdentity } from '../../contract/approval.js'
import { RESPONDER_KINDS, type ResponderKind } from '../../core/facts.js'

/** The answer, if it is one; exactly `approve` is a yes. */
export function readAnswer(given: unknown): Answer | null {
  const said = fieldOf(given, 'answer')
  if (said === 'approve') {
    const remember = fieldOf(given, 'remember')
    if (remember === undefined) return { answer: 'approve' }
    return typeof remember === 'string' ? { answer: 'approve', remember } : null
  }
  if (said !== 'reject') return null
  const reason = fieldOf(given, 'reason')
  return typeof reason === 'string' ? { answer: 'reject', reason } : { answer: 'reject' }
}

/** Who answered, if that is somebody. */
export function readIdentity(given: unknown): ResponderIdentity | null {
  const kind = fieldOf(given, 'kind')
  const id = fieldOf(given, 'id')
  if (typeof id !== 'string' || !id.isWellFormed()) return null
  return (RESPONDER_KINDS as readonly unknown[]).includes(kind)
    ? { kind: kind as ResponderKind, id }
    : null
}

/** `undefined` for what cannot be read. */
export function fieldOf(given: unknown, name: string): unknown {
  try {
    return Reflect.get(Object(given) as object, name)
  } catch {
    // A getter or a trap that throws has said nothing.
    return undefined
  }
}
