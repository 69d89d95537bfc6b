/** What a command that could not be read may run, for deny and ask rules alone (rules.md §5 item 3). */

import type { Context } from '../context.js'
import { SHELL_LIMITS } from '../findings.js'
import type { ShellWord } from './word.js'

/** Every tail of its words, and every word that reads like a text of its own. */
export function suspectWords(words: readonly ShellWord[], context: Context): void {
  const { findings } = context
  // No limit may end in a weaker decision: what is not told here meets every deny and ask.
  if (words.length > SHELL_LIMITS.tails) findings.refuse('unread', 0)
  const argv = words.slice(0, SHELL_LIMITS.tails).map((word) => word.text)
  for (let start = 1; start < argv.length; start += 1) {
    findings.command({ argv: argv.slice(start), role: 'suspected', via: context.via })
  }
  suspectTexts(argv.slice(1).flatMap(textsIn), words[0]?.at ?? 0, context)
}

/** Texts that some shell may read. */
export function suspectTexts(texts: readonly string[], at: number, context: Context): void {
  const inner = {
    ...context,
    at: context.at ?? at,
    depth: context.depth + 1,
    suspected: true,
    feed: [],
  }
  for (const text of texts) if (text !== '') context.unfoldText(text, inner)
}

/** The word, and what follows `key=` or `!` in it. */
function textsIn(word: string): readonly string[] {
  if (!/[\s;&|()`$]/.test(word)) return []
  const value = word.replace(/^[^\s!=]*[=!]+/, '')
  return value === word ? [word] : [word, value]
}
