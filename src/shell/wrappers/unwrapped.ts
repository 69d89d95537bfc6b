/** What one step of unwrapping finds (rules.md §5 item 1). */

import type { RefusalCode } from '../../core/need.js'
import type { ShellWord } from '../unfold/word.js'

/** Something that a wrapper runs. */
export type Inner =
  | {
      readonly kind: 'words'
      readonly words: readonly ShellWord[]
      readonly open?: boolean | undefined
      /** A folder that the wrapper enters first; `null` for one that nobody knows. */
      readonly folder?: ShellWord | null | undefined
    }
  | {
      readonly kind: 'text'
      readonly text: string
      readonly sameShell?: boolean | undefined
      readonly suspected?: boolean | undefined
    }

/** What is known of a wrapper. `runs` is empty when this time it runs nothing. */
export interface Unwrapped {
  readonly transparent: boolean
  readonly runs: readonly Inner[]
  readonly refusals: readonly RefusalCode[]
}

/** A wrapper that could not be read: nothing of it proves anything. */
export function unreadable(code: RefusalCode): Unwrapped {
  return { transparent: false, runs: [], refusals: [code] }
}

/** The word with a mark that another text takes the place of. */
export function fillMark(word: ShellWord, mark: string): ShellWord {
  if (mark === '' || !word.text.includes(mark)) return word
  const opensDynamic = word.text.startsWith(mark)
  return { ...word, dynamic: true, opensDynamic, pathUnknown: true, path: '${}' }
}
