/** A policy of ten thousand rules: a clear answer for every call, and a clear error for every fault. */

import { describe, expect, it } from 'vitest'
import { ConfigError } from '../../src/core/errors.js'
import { definePolicy } from '../../src/policy/define.js'
import { decide } from './judge.js'

const RULES = [
  ...Array.from({ length: 9996 }, (_, at) => `allow read(src/part-${at}/*-${at % 7}*/**)`),
  'deny read(**/secret/**)',
  'ask read(src/asked/**)',
  'deny bash(git push:*)',
  'allow bash(git:*)',
]

describe('a policy of 10,000 rules', () => {
  it.each([
    ['a read that one of them allows', 'read', { file_path: 'src/part-9995/x-6y/a.ts' }, 'allow'],
    [
      'a read that the last deny takes out',
      'read',
      { file_path: 'src/part-1/a-1/secret/k' },
      'deny',
    ],
    ['a read that is asked about', 'read', { file_path: 'src/asked/a.ts' }, 'ask'],
    ['a command that is allowed', 'bash', { command: 'git status && git log' }, 'allow'],
    ['a command that is denied', 'bash', { command: 'git status && git push' }, 'deny'],
  ])('decides %s', async (_title, tool, args, expected) => {
    const [decision] = await decide({ tool, args }, { policy: { rules: RULES } })

    expect(decision).toBe(expected)
  })

  it.each([
    ['an unknown effect', 'permit read(a)', 'malformed_rule'],
    ['an unbalanced parenthesis', 'allow read(a', 'malformed_rule'],
  ])('names the place of %s', (_title, rule, code) => {
    const rules = RULES.with(7777, rule)

    expect(() => definePolicy({ rules })).toThrow(ConfigError)
    expect(() => definePolicy({ rules })).toThrow(
      expect.objectContaining({ code, path: expect.arrayContaining(['rules', 7777]) as unknown }),
    )
  })
})
