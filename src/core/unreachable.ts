/** Closes a `switch` over a union: a case that is missing does not compile. */

import { InternalError } from './errors.js'

/** Throws `InternalError unreachable`; guarantees at compile time that no case was left out. */
export function unreachable(value: never): never {
  throw new InternalError('unreachable', `unexpected value \`${String(value)}\``)
}
