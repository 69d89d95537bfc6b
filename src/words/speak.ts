/** Finds the words of a language, and the sentence of a reason in it. */

import type { Language } from './language.js'
import type { ReasonCode } from '../core/reasons.js'
import { english } from './english.js'
import type { Words } from './words.js'

/** The words that were loaded. One that was not is spoken for by English: nothing is decided by it. */
export function wordsIn(language: Language): Words {
  return loaded.get(language) ?? english
}

/** Loads the words of a language, once; most hosts need one. Never rejects. */
export async function loadWords(language: Language): Promise<Words> {
  const known = loaded.get(language)
  if (known !== undefined) return known
  try {
    loaded.set(language, await LOAD[language]())
  } catch {
    // A package that lacks the file says it in English; the decision is the same.
  }
  return wordsIn(language)
}

const loaded = new Map<Language, Words>()

const LOAD: { readonly [L in Language]: () => Promise<Words> } = {
  en: () => Promise.resolve(english),
  zh: async () => (await import('./chinese.js')).chinese,
  es: async () => (await import('./spanish.js')).spanish,
}

/** One sentence for a reason, safe to hand to the model. */
export function modelSentence(words: Words, reason: ReasonCode, extra = ''): string {
  const sentences: { readonly [R in string]?: string } = words.reasons
  // The record of a later version may name a reason that this one does not know.
  const sentence = sentences[reason.split('.')[0] ?? ''] ?? words.reasons.layer_fault
  return words.refusal(`${reason}${extra}`, sentence)
}
