import { describe, expect, it } from 'vitest'
import type { BoundMatch, BoundRule } from '../../effective-policy.js'
import {
  aCommand,
  aHost,
  aPath,
  aQuestion,
  aText,
  bound,
  ROOTS,
} from '../../../../test/property/policy-builders.js'
import { bindMatch, compileMatch } from '../match.js'
import type { Question } from '../question.js'
import { judgeRules } from '../verdict.js'
import { candidatesOf, indexed } from './bound-rules.js'
import { everyRule } from './candidates.js'
import { RuleIndex } from './rule-index.js'

function tried(rules: readonly string[], question: Question): readonly string[] {
  const index = new RuleIndex(bound({ rules }).rules)
  const [subject] = question.subjects
  if (subject === undefined) return []
  return index.suspecting('deny', question.tool, subject).map(({ rule }) => rule.id)
}

describe('an index of rules', () => {
  it('tries few of many rules', () => {
    const rules = Array.from({ length: 500 }, (_, n) => `deny read(src/f${n}/**)`)

    expect(tried(rules, aQuestion('read', [aPath('src/f7/a')]))).toEqual(['deny read(src/f7/**)'])
  })

  it('tries a rule by its end, by what is inside of it, and where nothing tells', () => {
    const rules = ['deny read(**/*.pem)', 'deny read(/**/k/**)', 'deny read(@tmp)', 'deny read']
    const { length } = rules

    expect(tried(rules, aQuestion('read', [aPath('a/b.txt')]))).toHaveLength(length - 2)
    expect(tried(rules, aQuestion('read', [aPath('k/b.pem')]))).toHaveLength(length)
  })

  it('finds the folder that `dir/**` means as well, in every spelling of its name', () => {
    expect(tried(['deny read(key./**)'], aQuestion('read', [aPath('key')]))).toHaveLength(1)
    expect(tried(['deny read(a./key./**)'], aQuestion('read', [aPath('a/KEY')]))).toHaveLength(1)
  })

  it('tries hosts, texts and commands by theirs', () => {
    const rules = [
      'deny web_fetch(*.a.com)',
      'deny web_fetch(b.com)',
      'deny mcp__s__t(drop**)',
      'deny bash(rm:*)',
    ]

    expect(tried(rules, aQuestion('web_fetch', [aHost('x.a.com')]))).toEqual([rules[0]])
    expect(tried(rules, aQuestion('web_fetch', [aHost('A.com')]))).toEqual([])
    expect(tried(rules, aQuestion('mcp__s__t', [aText('drop it')]))).toEqual([rules[2]])
    expect(tried(rules, aQuestion('bash', [aCommand('/bin/rm x')]))).toEqual([rules[3]])
    expect(tried(rules, aQuestion('bash', [aCommand('rmdir x')]))).toEqual([])
  })

  it('keeps the order of declaration where a rule is found in several ways', () => {
    const rules = ['deny r*', 'deny read(src/{a,a*}/**)', 'deny read(**/a/**)', 'deny READ(src/**)']

    expect(tried(rules, aQuestion('read', [aPath('src/a/b')]))).toEqual(rules)
  })

  it('[H-09] tries every rule when a look-up fails', () => {
    const { rules } = bound({ rules: ['deny read(a)', 'allow read(b)'] })
    const subject = { ...aPath('b') }
    Object.defineProperty(subject, 'forms', {
      get: () => {
        throw new RangeError('broken')
      },
    })
    const index = new RuleIndex(rules)

    expect(index.suspecting('deny', 'read', subject)).toHaveLength(1)
    expect(index.proving('read', subject)).toHaveLength(1)
  })

  it('[H-09] tries a rule whose match is of somebody else on every call', () => {
    const foreign: BoundMatch = { ...plain('write(x)'), suspects: () => true }
    const rules = indexed([aRule('deny', foreign)])

    expect(candidatesOf(rules).suspecting('deny', 'read', aPath('a'))).toHaveLength(1)
  })

  it('[H-09] tries the rules of a tool name that cannot be told', () => {
    const match = bindMatch(compileMatch('read(a)'), ROOTS)
    Object.defineProperty(match, 'namesTool', {
      value: () => {
        throw new RangeError('broken')
      },
    })

    expect(
      judgeRules(indexed([aRule('deny', match)]), aQuestion('ls', [aPath('z')])).decision,
    ).toBe('no_match')
    expect(
      judgeRules(indexed([aRule('deny', match)]), aQuestion('ls', [aPath('a')])).decision,
    ).toBe('deny')
  })

  it('indexes only lists that cannot change', () => {
    const list = [aRule('deny', plain('read(a)'))]

    const own = indexed(list)

    expect(Object.isFrozen(own)).toBe(true)
    expect(candidatesOf(own)).toBeInstanceOf(RuleIndex)
    expect(candidatesOf([...own])).not.toBeInstanceOf(RuleIndex)
    expect(everyRule(list).written('deny', 'read')).toEqual([[{ rule: list[0], rank: 0 }]])
  })

  it('forgets what it said when the folders are others', () => {
    const { rules } = bound({ rules: ['allow read(/ws/.env)'] })
    const elsewhere = { ...ROOTS, workspace: '/other', home: '/ws' }
    const question = aQuestion('read', [aPath('/ws/.ssh/id')])

    expect(judgeRules(rules, question).decision).toBe('no_match')
    expect(judgeRules(rules, { ...question, roots: elsewhere }).decision).toBe('deny')
    expect(judgeRules(rules, question).decision).toBe('no_match')
  })
})

function plain(text: string): BoundMatch {
  const match = bindMatch(compileMatch(text), ROOTS)
  return {
    text,
    argumentFree: false,
    namesTool: (tool) => match.namesTool(tool),
    proves: (subject) => match.proves(subject),
    suspects: (subject) => match.suspects(subject),
  }
}

function aRule(effect: BoundRule['effect'], match: BoundMatch): BoundRule {
  return { id: 'r', effect, source: 'user', effective: true, reason: null, match, except: [] }
}
