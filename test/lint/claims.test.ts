/** What lint claims of two rules holds for every subject: drawn patterns, drawn subjects, the real matchers. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Roots } from '../../src/core/facts.js'
import type { Subject } from '../../src/core/subject.js'
import { bindMatch, compileMatch } from '../../src/policy/rules/match.js'
import type { Claim } from '../../src/policy/rules/lint/cover/claim.js'
import { coversMatch } from '../../src/policy/rules/lint/cover/covers.js'
import { includes } from '../../src/policy/rules/lint/cover/inclusion.js'
import { compileText, matchesTokens } from '../../src/policy/rules/patterns/text.js'
import { compiledOrNull } from '../../src/policy/rules/lint/rule-text.js'
import { analyse } from '../../src/shell/analyse.js'

const ROOTS: Roots = {
  workspace: '/home/u/ws',
  home: '/home/u',
  temporary: ['/tmp'],
  platform: 'linux',
}
const CLAIMS: readonly Claim[] = ['proof_in_proof', 'proof_in_suspicion', 'suspicion_in_suspicion']

/** The claim, asked of one subject. */
function holds(outer: string, inner: string, claim: Claim, subject: Subject): boolean {
  const [left, right] = [outer, inner].map((text) => bindMatch(compileMatch(text), ROOTS))
  const meets =
    claim === 'suspicion_in_suspicion' ? right!.suspects(subject) : right!.proves(subject)
  if (!meets) return true
  return claim === 'proof_in_proof' ? left!.proves(subject) : left!.suspects(subject)
}

const piece = fc.constantFrom(
  'a',
  'b',
  'A',
  '.env',
  '.ssh',
  '*',
  '**',
  '?',
  'a*',
  '*b',
  'x.',
  '{a,b}',
)
const folder = fc.constantFrom('', '', '~/', '/', '/home/u/ws/', './', '../', '**/')
const pathPattern = fc
  .tuple(folder, fc.array(piece, { minLength: 1, maxLength: 4 }))
  .map(([start, names]) => start + names.join('/'))
const name = fc.constantFrom(
  'a',
  'b',
  'A',
  'aa',
  'ab',
  '.env',
  '.ssh',
  'x.',
  'é',
  'e\u0301',
  'proc',
)
const path = fc
  .tuple(
    fc.constantFrom('/home/u/ws', '/home/u', '', '/home/u/ws/..'),
    fc.array(name, { minLength: 1, maxLength: 4 }),
  )
  .map(([start, names]) => `${start.replace('/ws/..', '')}/${names.join('/')}`)
const pathSubject = fc
  .tuple(path, fc.option(path, { nil: null }), fc.constantFrom('read' as const, 'write' as const))
  .map(([given, real, access]): Subject => ({
    kind: 'path',
    access,
    given,
    forms: real === null ? [given] : [given, real],
    real: real ?? given,
    resolved: true,
  }))

const word = fc.constantFrom('git', 'a', 'b', 'a/b', '"x y"', "''", '$X', 'a*', 'ab')
const command = fc
  .tuple(fc.constantFrom('git', '/usr/bin/git', 'ls'), fc.array(word, { maxLength: 4 }))
  .map(([program, rest]): Subject => {
    const text = [program, ...rest].join(' ')
    return { kind: 'command', command: text, shell: 'bash', analysis: analyse(text) }
  })
const commandPattern = fc
  .tuple(
    fc.array(fc.constantFrom('git', 'ls', 'a', 'b', '*', '**', '?', 'a*', 'a/b', '*/*'), {
      minLength: 1,
      maxLength: 4,
    }),
    fc.constantFrom('', ':*', '*', '**'),
  )
  .map(([words, end]) => words.join(' ') + end)

const RUNS = 6_000

/** A second pattern that is like the first, so that claims are often made. */
function near(pattern: string, choices: readonly number[]): string {
  const parts = pattern.split(/(?<=[/ ])|(?=[/ ])/)
  const wide = parts.map((part, at) => {
    const choice = choices[at % choices.length] ?? 0
    if (part === '/' || part === ' ' || choice > 2) return part
    return ['*', '**', part][choice] ?? part
  })
  return wide.join('')
}

function check(
  tool: string,
  pattern: fc.Arbitrary<string>,
  subject: fc.Arbitrary<Subject>,
): { claims: number; met: number } {
  const count = { claims: 0, met: 0 }
  fc.assert(
    fc.property(
      pattern,
      fc.tuple(pattern, fc.array(fc.nat(5), { minLength: 1, maxLength: 7 }), fc.boolean()),
      fc.constantFrom(...CLAIMS),
      fc.array(subject, { minLength: 8, maxLength: 8 }),
      (right, [other, choices, isNear], claim, subjects) => {
        const left = isNear ? near(right, choices) : other
        const [outer, inner] = [`${tool}(${left})`, `${tool}(${right})`]
        const compiled = [compiledOrNull(outer), compiledOrNull(inner)]
        const [one, two] = compiled
        if (!one || !two || !coversMatch(one, two, claim)) return
        count.claims += 1
        for (const each of subjects) {
          if (bindMatch(two, ROOTS).proves(each)) count.met += 1
          expect(holds(outer, inner, claim, each)).toBe(true)
        }
      },
    ),
    { numRuns: RUNS, seed: 20261130 },
  )
  return count
}

describe('what is claimed of two rules', () => {
  it('holds for paths', () => {
    const { claims, met } = check('read', pathPattern, pathSubject)

    expect(claims).toBeGreaterThan(500)
    expect(met).toBeGreaterThan(200)
  })

  it('holds for commands', () => {
    const { claims, met } = check('bash', commandPattern, command)

    expect(claims).toBeGreaterThan(500)
    expect(met).toBeGreaterThan(200)
  })

  it('is exactly what the matcher says, for text', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', '/', '\n', 'c'), { maxLength: 6 })
      .map((letters) => letters.join(''))
    const pattern = fc
      .array(fc.constantFrom('a', 'b', '/', '*', '**', '?'), { minLength: 1, maxLength: 5 })
      .map((pieces) => compileText(pieces.join('')))
    let included = 0
    fc.assert(
      fc.property(
        pattern,
        pattern,
        fc.array(text, { minLength: 20, maxLength: 20 }),
        (left, right, texts) => {
          const claimed = includes([left], right)
          if (claimed) included += 1
          for (const one of claimed ? texts : []) {
            if (matchesTokens(right, one)) expect(matchesTokens(left, one)).toBe(true)
          }
        },
      ),
      { numRuns: RUNS, seed: 20261130 },
    )
    expect(included).toBeGreaterThan(500)
  })
})

describe('a claim is not made', () => {
  it.each([
    // A secret is reached by its exact path and by no wildcard.
    ['read(**)', 'read(.env)', 'proof_in_proof'],
    ['read', 'read(@credentials)', 'proof_in_proof'],
    ['read(@workspace)', 'read(src/.env)', 'proof_in_proof'],
    // A bare allow covers no redirection outside of the workspace, a `write` allow does.
    ['*', 'write(/out/**)', 'proof_in_proof'],
    ['bash(git:*)', 'bash(gitk)', 'proof_in_proof'],
    // An empty word is a word to an allow and nothing to a deny.
    ['bash(a ?)', 'bash(a ?)', 'proof_in_suspicion'],
    // The folder that a deny begins with may be a link.
    ['read(src/**)', 'read(src/key)', 'suspicion_in_suspicion'],
    ['read(src/*)', 'read(src/**)', 'proof_in_suspicion'],
    ['mcp__git__push', 'mcp__git', 'proof_in_suspicion'],
    ['web_fetch(*.example.com)', 'web_fetch(example.com)', 'proof_in_suspicion'],
    ['web_fetch(example.com/a/**)', 'web_fetch(example.com)', 'proof_in_suspicion'],
    ['write(src/**)', 'read(src/a)', 'proof_in_suspicion'],
  ] as const)('that %s covers %s (%s)', (outer, inner, claim) => {
    expect(coversMatch(compileMatch(outer), compileMatch(inner), claim)).toBe(false)
  })
})

describe('a claim is made', () => {
  it.each([
    ['read(src/**)', 'read(src/a/*.ts)', 'proof_in_suspicion'],
    ['read(src/**)', 'read(src/*)', 'proof_in_suspicion'],
    ['read(**)', 'read(.env)', 'proof_in_suspicion'],
    ['read(@workspace)', 'read(src/**)', 'proof_in_proof'],
    ['read(**/*.{ts,js})', 'read(src/**/*.ts)', 'proof_in_proof'],
    ['read(src/**)', 'ls(src/a/**)', 'proof_in_suspicion'],
    ['write(src/**)', 'edit(src/**)', 'suspicion_in_suspicion'],
    ['bash(git:*)', 'bash(git push:*)', 'proof_in_proof'],
    ['bash(git **)', 'bash(git push **)', 'proof_in_suspicion'],
    ['bash', 'bash(git:*)', 'proof_in_proof'],
    ['*', 'bash(git:*)', 'suspicion_in_suspicion'],
    ['mcp__git', 'mcp__git__push', 'proof_in_proof'],
    ['mcp__git__*', 'mcp__git', 'proof_in_proof'],
    ['mcp__*', 'mcp__git__push({**})', 'proof_in_proof'],
    ['web_fetch(*.example.com)', 'web_fetch(a.example.com/x)', 'proof_in_proof'],
    ['grep(a**)', 'search(grep ab**)', 'proof_in_proof'],
  ] as const)('that %s covers %s (%s)', (outer, inner, claim) => {
    expect(coversMatch(compileMatch(outer), compileMatch(inner), claim)).toBe(true)
  })
})
