/** What a confined command may connect to: nothing, or one port of this machine (sandbox.md §5, §7). */

import { SandboxError } from '../../core/errors.js'

/** No connection, no listening, no socket of another program. */
export const NO_NETWORK = '(deny network*)'

/**
 * The rule that opens one loopback port: the mediator's. It follows `NO_NETWORK`. Seatbelt knows no
 * hosts, so the mediator decides what lies behind it, and a credential of the call keeps others out.
 * Throws `setup_failed` for what is no port: `0` or `*` would open all of them.
 */
export function loopbackPortRule(port: number): string {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new SandboxError(
      'setup_failed',
      `\`${port}\` is no port that a command could be let to`,
      'give the port on which the mediator listens, from 1 to 65535',
    )
  }
  // INVARIANT: the remote side alone is named ("opens one port and nothing else"): every connection has
  // a local side, so a rule about that one would open all of them.
  return `(allow network-outbound (remote tcp "localhost:${port}"))`
}
