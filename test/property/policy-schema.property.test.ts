/** The published schema against the reader of policies: what the one takes the other takes. */

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PolicyInput } from '../../src/contract/policy.js'
import type { Json } from '../../src/core/json.js'
import { definePolicy } from '../../src/policy/define.js'
import { KEY_MEANINGS, PART_MEANINGS } from '../../src/policy/schema/meanings.js'
import { policySchema, type Schema } from '../../src/policy/schema/policy-schema.js'
import { completedPolicy } from '../../src/testing/case-policy.js'
import { parseCases } from '../../src/testing/case-format.js'
import { breaches } from '../builders/json-schema.js'
import { narrowings } from './delegation-builders.js'

const SCHEMA = policySchema()

function isRead(document: unknown): boolean {
  try {
    definePolicy(document as PolicyInput)
    return true
  } catch {
    return false
  }
}

/** What a file would hold. */
function asJson(document: unknown): Json {
  return JSON.parse(JSON.stringify(document)) as Json
}

const approvals = fc.record(
  {
    toolApproval: fc.constantFrom<PolicyInput['toolApproval']>(
      'always_ask',
      { policy: 'accept_all' },
      { policy: 'whitelist_accept', whitelist: ['read', 'bash(npm test:*)'] },
    ),
    approvalResponse: fc.constantFrom<PolicyInput['approvalResponse']>(
      'never',
      { policy: 'prompt', timeoutMs: 5 },
      { policy: 'route', channel: 'chat', recipient: 'ada' },
    ),
    $schema: fc.constant('./schema.json'),
    version: fc.constant(1 as const),
  },
  { requiredKeys: [] },
)
const longRules = fc.constantFrom<PolicyInput>(
  {},
  { rules: [{ effect: 'deny', match: 'bash(git push:*)', except: [], reason: 'why' }] },
  {
    rules: [
      { id: 'r1', effect: 'ask', match: 'read(**)', examples: { match: ['a'], not_match: [] } },
      'allow read(@workspace)',
    ],
  },
  { capabilities: ['fs.read', 'x.mail.send'], budgets: { costPerDay: 'unlimited' } },
  { delegation: { targets: ['a', { agent: 'b' }, { agent: 'c', mode: 'independent' }] } },
)

/** Every key in every form, in documents that the reader takes. */
const documents = fc
  .tuple(narrowings(), approvals, longRules)
  .map(([narrowing, approval, rules]) => {
    const mode = 'capabilities' in rules ? { workMode: undefined } : {}
    return { ...narrowing, ...mode, ...approval, ...rules }
  })
  .filter(isRead)
  .map(asJson)

describe('the schema of a policy', () => {
  it('takes every policy that the reader takes', () => {
    fc.assert(
      fc.property(documents, (document) => {
        expect(breaches(SCHEMA, document)).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })

  it('takes what the library writes of a policy', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const { document: written } = definePolicy(document as PolicyInput)

        expect(breaches(SCHEMA, asJson(written))).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it('takes the policies of the conformance cases and refuses those with what it can see', () => {
    const text = readFileSync('test/cases/rules.jsonl', 'utf8')
    const cases = parseCases(text, 'rules.jsonl').filter(({ policy }) => policy !== undefined)
    const completed = cases.map((one) => asJson(completedPolicy(one.policy ?? {})))

    const read = completed.filter(isRead)
    const taken = read.filter((document) => breaches(SCHEMA, document).length === 0)

    expect(read.length).toBeGreaterThan(100)
    expect(taken).toEqual(read)
  })

  it.each<[string, unknown]>([
    ['an unknown key', { workmode: 'rw' }],
    ['an unknown word', { workMode: 'rwx' }],
    ['another version', { version: 2 }],
    ['both ways to state capabilities', { workMode: 'rw', capabilities: [] }],
    ['an unknown capability', { capabilities: ['fs.delete'] }],
    ['an unknown network mode', { network: 'maybe' }],
    ['hosts without a mode', { network: { allow: [] } }],
    ['a route without a recipient', { approvalResponse: { policy: 'route', channel: 'c' } }],
    ['a bare route', { approvalResponse: 'route' }],
    ['a limit of zero', { budgets: { asksPerHour: 0 } }],
    ['a limit that is no word', { budgets: { asksPerHour: 'none' } }],
    ['a depth of zero', { delegation: { spawnDepth: 0 } }],
    ['half a millisecond', { sandbox: { limits: { timeoutMs: 0.5 } } }],
    ['a rule without an effect', { rules: [{ match: 'read' }] }],
    ['a rule that begins with no effect', { rules: ['forbid read'] }],
    ['a rule with a source', { rules: [{ effect: 'deny', match: 'read', source: 'managed' }] }],
    ['a list where a word belongs', { tools: ['read'] }],
    ['a program with an argument', { commands: ['git push'] }],
    ['a scope with a capital', { scopes: { Memory: [] } }],
    ['nothing as a value', { network: null }],
    ['no object', []],
  ])('refuses %s, as the reader does', (_, document) => {
    expect(breaches(SCHEMA, asJson(document))).not.toEqual([])
    expect(isRead(document)).toBe(false)
  })

  it('refuses an unknown key and a wrong word wherever they stand, as the reader does', () => {
    fc.assert(
      fc.property(documents, fc.nat(), fc.boolean(), (document, at, isKey) => {
        const places = isKey ? objectsOf(document) : wordsOf(document)
        fc.pre(places.length > 0)
        const place = places[at % places.length]!
        const broken = isKey
          ? changed(document, [...place, 'surplus'], true)
          : changed(document, place, 'surplus!')

        expect(isRead(broken)).toBe(false)
        expect(breaches(SCHEMA, broken)).not.toEqual([])
      }),
      { numRuns: 1000 },
    )
  })

  it('says of every key what it means, and of no other', () => {
    const told = [...new Set(keysOf(SCHEMA, ''))].sort()

    expect(told).toEqual([...Object.keys(KEY_MEANINGS), ...Object.keys(PART_MEANINGS)].sort())
  })

  it.each(Object.entries(KEY_MEANINGS))('gives an example of `%s` that loads', (key, meaning) => {
    const document = { [key]: meaning.example }

    expect(isRead(document)).toBe(true)
    expect(breaches(SCHEMA, asJson(document))).toEqual([])
  })

  it('gives defaults that mean what leaving the key out means', () => {
    const properties = SCHEMA['properties'] as Readonly<Record<string, Schema>>
    const defaults = Object.entries(properties).flatMap(([key, { default: value }]) =>
      value === undefined ? [] : [[key, value] as const],
    )

    expect(defaults.length).toBeGreaterThan(5)
    for (const [key, value] of defaults) {
      expect(breaches(SCHEMA, { [key]: value as Json })).toEqual([])
      expect(isRead({ [key]: value })).toBe(true)
    }
  })

  it('gives examples of its parts that the parts take', () => {
    const broken = partsOf(SCHEMA).filter(
      (part) =>
        Array.isArray(part['examples']) &&
        (part['examples'] as Json[]).some((one) => breaches(part, one).length > 0),
    )

    expect(broken).toEqual([])
  })
})

type Path = readonly (string | number)[]

/** Objects whose keys are fixed. */
function objectsOf(value: Json, at: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null || at[0] === 'scopes') return []
  const inner = Object.entries(value).flatMap(([key, field]) =>
    objectsOf(field, [...at, Array.isArray(value) ? Number(key) : key]),
  )
  return Array.isArray(value) ? inner : [at, ...inner]
}

/** Places that hold one word of a closed list. */
function wordsOf(document: Json): readonly Path[] {
  const words: readonly Path[] = [
    ['workMode'],
    ['network', 'mode'],
    ['toolApproval', 'policy'],
    ['approvalResponse', 'policy'],
    ['sandbox', 'mode'],
    ['sandbox', 'onUnavailable'],
    ['delegation', 'mode'],
    ['risk', 'high'],
    ['rules', 0],
    ['capabilities', 0],
    ['budgets', 'asksPerHour'],
  ]
  return words.filter((path) => at(document, path) !== undefined)
}

function at(value: Json, path: Path): Json | undefined {
  return path.reduce<Json | undefined>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Readonly<Record<string | number, Json>>)[key]
        : undefined,
    value,
  )
}

function changed(document: Json, path: Path, to: Json): Json {
  const copy = structuredClone(document)
  const last = path.at(-1)!
  const inner = at(copy, path.slice(0, -1)) as Record<string | number, Json>
  inner[last] = to
  return copy
}

function keysOf(schema: Schema, at: string): readonly string[] {
  const { properties, anyOf, items } = schema
  const below = Object.entries((properties ?? {}) as Record<string, Schema>)
  return [
    ...below.flatMap(([name, part]) => {
      const path = at === '' ? name : `${at}.${name}`
      return [path, ...keysOf(part, path)]
    }),
    ...((anyOf ?? []) as Schema[]).flatMap((one) => keysOf(one, at)),
    ...(items === undefined ? [] : keysOf(items as Schema, `${at}[]`)),
  ]
}

function partsOf(schema: Schema): readonly Schema[] {
  const { properties, anyOf, items } = schema
  const below = [
    ...Object.values((properties ?? {}) as Record<string, Schema>),
    ...((anyOf ?? []) as Schema[]),
    ...(items === undefined ? [] : [items as Schema]),
  ]
  return [schema, ...below.flatMap(partsOf)]
}
