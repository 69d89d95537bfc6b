/** The best that this system has for opening what was judged (tools.md §1, H-28). */

import { boundedOpening } from './bounded-opening.js'
import { descriptorOpening } from './descriptor-opening.js'
import type { Opening } from './opening.js'

/** A file while it is open; it is its opener's to close. */
export type OpenHandle = Parameters<Parameters<Opening['withFile']>[2]>[0]

/** Closed where descriptors serve as folders, bounded elsewhere. */
export function systemOpening(): {
  readonly opening: Opening
  readonly race: 'closed' | 'bounded'
} {
  return process.platform === 'linux'
    ? { opening: descriptorOpening(), race: 'closed' }
    : { opening: boundedOpening(), race: 'bounded' }
}
