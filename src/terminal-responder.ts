/** `terminalResponder` (api.md): the person at the controlling terminal of this process. */

import type { Responder } from './contract/approval.js'
import { openTerminal } from './platform/terminal.js'
import { askAtTerminal } from './responders/terminal.js'

/** A human responder; without a terminal asking fails, and the call that asked is denied. */
export function terminalResponder(): Responder {
  return askAtTerminal(openTerminal)
}
