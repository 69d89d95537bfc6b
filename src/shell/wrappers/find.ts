/** `find -exec` and its family: one command for each action (rules.md §5 item 1). */

import type { RefusalCode } from '../../core/need.js'
import type { ShellWord } from '../unfold/word.js'
import { fillMark, unreadable, type Inner, type Unwrapped } from './unwrapped.js'

/** `null` for a search that runs nothing. */
export function unwrapFind(name: string, words: readonly ShellWord[]): Unwrapped | null {
  if (name.startsWith('fd')) return words.some(isFdAction) ? unreadable('exec_option') : null
  const runs: Inner[] = []
  for (let index = 1; index < words.length; index += 1) {
    const action = words[index]?.text ?? ''
    if (!ACTIONS.has(action)) continue
    const end = endOfAction(words, index + 1)
    if (end === -1) return unreadable('syntax')
    const inner = words.slice(index + 1, end).map((word) => fillMark(word, '{}'))
    runs.push({ kind: 'words', words: inner, ...(action.endsWith('dir') ? { folder: null } : {}) })
    index = end
  }
  if (runs.length === 0) return null
  const refusals: readonly RefusalCode[] = words.some(isLooseRoot) ? ['dynamic_option'] : []
  return { transparent: !words.some(({ text }) => OWN_EFFECTS.has(text)), runs, refusals }
}

function endOfAction(words: readonly ShellWord[], from: number): number {
  for (let index = from; index < words.length; index += 1) {
    const text = words[index]?.text
    if (text === ';' || (text === '+' && words[index - 1]?.text === '{}')) return index
  }
  return -1
}

/** A root that is filled in later can turn out to be an action. */
function isLooseRoot(word: ShellWord): boolean {
  return word.opensDynamic || word.splits
}

function isFdAction({ text }: ShellWord): boolean {
  return text.startsWith('--exec') || /^-[a-wyzA-WYZ]*[xX]/.test(text)
}

const ACTIONS: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir'])
const OWN_EFFECTS: ReadonlySet<string> = new Set([
  '-delete',
  '-fprint',
  '-fprint0',
  '-fprintf',
  '-fls',
])
