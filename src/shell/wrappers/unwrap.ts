/** One step of unwrapping: what a command runs besides itself (rules.md §5 item 1). */

import { programName } from '../programs/name.js'
import type { ShellWord } from '../unfold/word.js'
import { unwrapFind } from './find.js'
import { unwrapParallel } from './parallel.js'
import { unwrapRemote } from './remote.js'
import { unwrapShell } from './shells.js'
import { unwrapSpec } from './spec.js'
import { BASH_LIKE, OTHER_SHELLS, WINDOWS_SHELLS } from './table.js'
import type { Unwrapped } from './unwrapped.js'

/** `null` for a command that is no wrapper. */
export function unwrap(words: readonly ShellWord[], input: ShellWord | null): Unwrapped | null {
  const name = programName(words[0]?.text ?? '')
  if (BASH_LIKE.has(name) || OTHER_SHELLS.has(name) || WINDOWS_SHELLS.has(name)) {
    return unwrapShell(name, words, input)
  }
  switch (name) {
    case 'find':
    case 'gfind':
    case 'fd':
    case 'fdfind':
      return unwrapFind(name, words)
    case 'parallel':
      return unwrapParallel(words)
    case 'ssh':
    case 'autossh':
    case 'mosh':
      return unwrapRemote(words)
    default:
      return unwrapSpec(name, words)
  }
}
