/** When two spellings are one name (rules.md §4, H-15): broadly for suspicion, exactly for proof. */

import type { Platform } from '../../core/guarantee.js'
import { Memo } from '../../core/memory/memo.js'

/** Deny, ask and classes: case, composition, invisible characters and trailing dots or blanks never hide a name. */
export function foldForSuspicion(path: string): string {
  const known = folds.get(path)
  if (known !== undefined) return known
  const folded = withoutEmptyNames(stripEndings(foldLetters(path)))
  if (path.length <= LONGEST_KEPT) folds.set(path, folded)
  return folded
}

/** One call folds the same few roots and paths again for every class and every rule. */
const folds = new Memo<string>(256)
const LONGEST_KEPT = 1024

/** As `foldForSuspicion`, for the literal parts of a pattern, whose ends may not be ends of names. */
export function foldLetters(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase()
  // Upper case first: letters such as the long s and the Kelvin sign only meet their kin there.
  return text.normalize('NFC').replace(IGNORABLE, '').toUpperCase().toLowerCase().normalize('NFC')
}

/** A name of invisible characters alone is gone by now; what stood around it stands side by side. */
function withoutEmptyNames(path: string): string {
  return path.replace(/(?<=[^/])\/{2,}/g, '/').replace(/(?<=[^/])\/$/, '')
}

/** Drops dots and blanks at the end of each name that has anything else. */
export function stripEndings(path: string): string {
  return path.replace(/(?<=[^/. ])[. ]+(?=\/|$)/gu, '')
}

/** Allow: as the platform's usual volume compares; where volumes differ, the strict reading. */
export function foldForProof(path: string, platform: Platform): string {
  switch (platform) {
    case 'linux':
      return path
    case 'darwin':
      // Both kinds of volume ignore composition; only one ignores case, so case counts.
      return path.normalize('NFC')
    case 'win32':
      return path.replace(PAIRED, upperPair)
  }
}

/** A volume pairs letters one by one; letters that merely share their capital are different names. */
function upperPair(letter: string): string {
  const upper = letter.toUpperCase()
  return upper.toLowerCase() === letter ? upper : letter
}

const PAIRED = /\p{Ll}/gu
const PLAIN = /^[\x20-\x7e]*$/
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu
