/** Finds the words of a language, and the sentence of a reason in it. */

import type { Language } from './language.js'
import type { ReasonCode } from '../core/reasons.js'
import { chinese } from './chinese.js'
import { english } from './english.js'
import { spanish } from './spanish.js'
import type { Words } from './words.js'

const WORDS: { readonly [L in Language]: Words } = { en: english, zh: chinese, es: spanish }

export function wordsIn(language: Language): Words {
  return WORDS[language]
}

/** One sentence for a reason, safe to hand to the model. */
export function modelSentence(words: Words, reason: ReasonCode, extra = ''): string {
  const sentences: { readonly [R in string]?: string } = words.reasons
  // The record of a later version may name a reason that this one does not know.
  const sentence = sentences[reason.split('.')[0] ?? ''] ?? words.reasons.layer_fault
  return words.refusal(`${reason}${extra}`, sentence)
}
