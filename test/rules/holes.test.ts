/** Spellings that once slipped between proof and suspicion (rules.md §4, §5). */

import { describe, expect, it } from 'vitest'
import type { PolicyInput } from '../../src/contract/policy.js'
import type { Need } from '../../src/core/need.js'
import { fold } from '../../src/pipeline/fold.js'
import { analyse } from '../../src/shell/analyse.js'
import { aQuestion } from '../builders/question.js'

function status(policy: PolicyInput, tool: string, need: Need): string {
  const runsIn = need.kind === 'command' ? 'sandbox' : 'process'
  const question = aQuestion({ policy, call: { tool, needs: [need], runsIn } })
  return fold(question).status
}

function runs(command: string): Need {
  return { kind: 'command', command, analysis: analyse(command) }
}

describe('a word that the text does not fix', () => {
  it.each(['cat */*', 'cat *', 'cat ?/*', 'cat */*/*', 'cat src/*'])(
    'is proved by no star of `%s`',
    (pattern) => {
      const policy: PolicyInput = { workMode: 'full', rules: [`allow bash(${pattern})`] }

      expect(status(policy, 'bash', runs('cat $X'))).toBe('suspended')
      expect(status(policy, 'bash', runs('cat $X/y'))).toBe('suspended')
    },
  )

  it('is proved by two stars', () => {
    const policy: PolicyInput = { workMode: 'full', rules: ['allow bash(cat **)'] }

    expect(status(policy, 'bash', runs('cat $X'))).toBe('admitted')
  })
})

describe('a name of invisible characters', () => {
  const policy: PolicyInput = {
    workMode: 'full',
    toolApproval: 'accept_all',
    rules: ['deny write(secret/**)'],
  }

  it.each([
    'secret/\u{200b}',
    'secret/\u{ad}',
    'secret/\u{200b}/x',
    'secret/\u{200b}\u{ad}/\u{200b}',
  ])('hides nothing below a denied folder: %j', (path) => {
    expect(status(policy, 'write', { kind: 'path', access: 'write', path })).toBe('denied')
  })
})

describe('a letter that is written as two characters', () => {
  it.each(['e\u{301}t\u{e9}.txt', '\u{e9}te\u{301}.txt', 'E\u{301}t\u{e9}.txt'])(
    'is met by a star that begins in the middle of it, as an allow would be: %j',
    (path) => {
      const policy: PolicyInput = {
        workMode: 'full',
        toolApproval: 'accept_all',
        rules: ['deny write(e*)'],
      }

      expect(status(policy, 'write', { kind: 'path', access: 'write', path })).toBe('denied')
    },
  )
})
