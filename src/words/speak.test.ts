import { describe, expect, it } from 'vitest'
import { ESCALATIONS } from '../core/escalation.js'
import { COMMAND_HAZARDS, PATH_HAZARDS, REFUSAL_CODES } from '../core/need.js'
import { ANSWER_ENDS, REASON_ROWS, UNRECORDED_REFUSALS, type ReasonCode } from '../core/reasons.js'
import { CAPABILITIES } from '../core/capability.js'
import { english, UNCONFINED_WARNING } from './english.js'
import { LANGUAGES } from './language.js'
import { loadWords, modelSentence, wordsIn } from './speak.js'
import type { Words } from './words.js'

const REASONS = [
  ...REASON_ROWS.flatMap(({ reason }) =>
    reason === null || reason === 'end' || reason.includes('<') ? [] : [reason],
  ),
  ...ANSWER_ENDS,
  ...UNRECORDED_REFUSALS,
  'oversize',
  ...[...PATH_HAZARDS, ...COMMAND_HAZARDS].map((name) => `floor.${name}`),
  ...REFUSAL_CODES.map((code) => `refused.${code}`),
  'budget.asksPerHour',
] as readonly ReasonCode[]

/** Every text of a language by where it stands, functions called with what they are told. */
function textsOf(words: object, at = ''): readonly (readonly [string, string])[] {
  return Object.entries(words).flatMap(([key, value]): readonly (readonly [string, string])[] => {
    const place = `${at}${key}`
    if (typeof value === 'string') return [[place, value]]
    if (typeof value === 'function') {
      return [[place, (value as (...given: unknown[]) => string)(1, 1, 1)]]
    }
    return textsOf(value as object, `${place}.`)
  })
}

for (const language of LANGUAGES) await loadWords(language)

describe.each(LANGUAGES)('the words in %s', (language) => {
  const words = wordsIn(language)

  it('are those of that language', () => {
    expect(words.language).toBe(language)
  })

  it('have a sentence of its own for every reason that a denial can carry', () => {
    const sentences = REASONS.map((reason) => [reason, modelSentence(words, reason)] as const)

    for (const [reason, sentence] of sentences) {
      expect(sentence).toContain(`(${reason})`)
      expect(sentence).not.toContain('undefined')
    }
    const told = Object.values(words.reasons)
    expect(new Set(told).size).toBe(told.length)
  })

  it('say the same things in the same places', () => {
    expect(textsOf(words).map(([place]) => place)).toEqual(textsOf(english).map(([place]) => place))
    expect(textsOf(words).filter(([, text]) => text.trim() === '')).toEqual([])
  })

  it('end each sentence for the model as a sentence', () => {
    const told = [
      ...Object.values(words.reasons),
      ...[words.allowed, words.needsApproval, words.waits, words.failed, words.cannotStart],
      ...[words.discarded, words.notStarted],
    ]

    expect(told.filter((sentence) => !/[.。]$/.test(sentence))).toEqual([])
  })

  it('hold no character that a terminal acts on or hides', () => {
    const hidden = textsOf(words).filter(([, text]) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text))

    expect(hidden).toEqual([])
  })

  it('put every label of the question into one column', () => {
    const widths = Object.values(words.prompt.labels).map(columnsOf)

    expect(new Set(widths).size).toBe(1)
  })

  it('[H-06] warn of an unconfined call in the fixed words as well', () => {
    expect(words.warning).toContain(UNCONFINED_WARNING)
  })

  it('name the whole word that allows in the question', () => {
    expect(words.prompt.question).toContain(words.prompt.yes)
    expect(words.prompt.question).toContain('yes')
    expect(words.prompt.yes.normalize('NFC')).toBe(words.prompt.yes)
  })

  it('leave ids and capabilities as they are', () => {
    const ids = ['network', 'rule-1', ...ESCALATIONS, ...CAPABILITIES]

    for (const id of ids) {
      expect(words.deniedAt('`x`', id, id)).toContain(id)
      expect(words.needs(id)).toContain(id)
    }
  })
})

it('languages do not share a sentence', () => {
  const all = LANGUAGES.flatMap((language) => Object.values(wordsIn(language).reasons))

  expect(new Set(all).size).toBe(all.length)
})

it('a reason that a later version recorded is told as a fault, not as nothing', () => {
  const sentence = modelSentence(english, 'invented' as ReasonCode)

  expect(sentence).toBe('Denied (invented): A part of the policy failed; nothing ran.')
})

it('a language without one of the sentences does not compile', () => {
  // @ts-expect-error: all sentences but one are missing
  const incomplete: Words['reasons'] = { rule: 'A rule denies this.' }

  expect(Object.keys(incomplete)).toEqual(['rule'])
})

/** East Asian characters take two columns. */
function columnsOf(text: string): number {
  return [...text].reduce((sum, character) => sum + (character >= '\u1100' ? 2 : 1), 0)
}
