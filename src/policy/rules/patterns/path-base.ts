/** What stands before the first segment of a path pattern (rules.md §1, §4): a root, a share, a home, nothing. */

import type { ConfigError } from '../../../core/errors.js'
import type { PatternFault } from './malformed.js'

/** Where a pattern begins, and what follows. */
export interface PathBase {
  readonly base: 'root' | 'share' | 'home' | 'workspace' | 'anywhere'
  readonly rest: string
}

/** The base of one alternative. Throws for homes of other users, and for drives without a folder. */
export function baseOf(
  pattern: string,
  refuse: (why: string, fault: PatternFault) => ConfigError,
): PathBase {
  if (/^~(?=$|[\\/])/.test(pattern)) return { base: 'home', rest: pattern.slice(1) }
  if (pattern.startsWith('~')) {
    throw refuse('only `~` and `~/…` name a home directory', { suggestion: `./${pattern}` })
  }
  if (pattern.startsWith('**')) return { base: 'anywhere', rest: pattern }
  if (DEVICE.test(pattern)) return deviceBase(pattern.replace(DEVICE, ''))
  if (/^[\\/]{2}[^\\/()]/.test(pattern)) return { base: 'share', rest: pattern.slice(1) }
  if (/^[\\/]|^[A-Za-z]:(?=[\\/]|$)/.test(pattern) && !/^\\[()]/.test(pattern)) {
    return { base: 'root', rest: pattern }
  }
  if (/^[A-Za-z]:/.test(pattern)) {
    throw refuse('a drive without a `/` is relative to a folder that nobody knows', {
      at: 2,
      allowed: ['C:/dir/**', './C:name'],
      suggestion: `${pattern.slice(0, 2)}/${pattern.slice(2)}`,
    })
  }
  return { base: 'workspace', rest: pattern }
}

/** The prefixes of Windows that say the same path, or a device, in another way. */
const DEVICE = /^(?:[\\/]{2}[?.]|[\\/]\?\?)[\\/]/

/** As `windowsSpelling` spells subjects. */
function deviceBase(rest: string): PathBase {
  if (/^[A-Za-z]:[\\/]/.test(rest)) return { base: 'root', rest }
  const share = /^UNC(?=[\\/])/i.exec(rest)
  if (share !== null) return { base: 'share', rest: rest.slice(share[0].length) }
  return { base: 'share', rest: `/[?]/${rest}` }
}
