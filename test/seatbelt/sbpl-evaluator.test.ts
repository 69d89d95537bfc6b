/** The evaluator itself: what it answers where macOS was measured, and what it refuses to read. */

import { describe, expect, it } from 'vitest'
import { createEvaluator, READINGS, type Query, type Reading } from './sbpl-evaluator.js'

const HEAD = '(version 1)\n(deny default)\n'

function permits(rules: string, query: Query, reading: Reading = 'last_rule'): boolean {
  return createEvaluator(HEAD + rules, { ROOT: '/r' }).permits(query, reading)
}

const read = (path: string): Query => ({ operation: 'file-read-data', path })

describe('rules that disagree', () => {
  const wide = '(allow file-read-data (subpath "/"))(deny file-read* (literal "/x"))'

  it('tells the two readings apart, where macOS was seen to take the exact operation', () => {
    expect(permits(wide, read('/x'), 'last_rule')).toBe(false)
    expect(permits(wide, read('/x'), 'exact_operation')).toBe(true)
  })

  it.each(READINGS)('lets the last of two rules about one operation win: %s', (reading) => {
    const rules = '(allow file-read* (subpath "/a"))(deny file-read* (subpath "/a/b"))'

    expect(permits(rules, read('/a/x'), reading)).toBe(true)
    expect(permits(rules, read('/a/b/x'), reading)).toBe(false)
    expect(permits(rules, read('/other'), reading)).toBe(false)
  })
})

describe('filters', () => {
  it.each([
    ['(literal (param "ROOT"))', '/r', '/r/x'],
    ['(subpath (param "ROOT"))', '/r/x', '/rx'],
    ['(regex "^/r/([^/]+/)*(g|G)(/|$)")', '/r/a/b/G/x', '/r/a/bg'],
    ['(require-all (subpath "/r") (require-not (literal "/r/x")))', '/r/y', '/r/x'],
    ['(require-any (literal "/a") (literal "/b"))', '/b', '/c'],
  ])('%s fits %s and not %s', (filter, fits, not) => {
    expect(permits(`(allow file-read* ${filter})`, read(fits))).toBe(true)
    expect(permits(`(allow file-read* ${filter})`, read(not))).toBe(false)
  })

  it('takes a rule about the local side for what it is: about every connection', () => {
    const remote = { protocol: 'tcp', host: '1.1.1.1', port: 443 } as const
    const local = { protocol: 'tcp', host: '127.0.0.1', port: 50_000 } as const
    const query = { operation: 'network-outbound', remote, local }

    expect(permits('(allow network-outbound (local ip "localhost:*"))', query)).toBe(true)
    expect(permits('(allow network-outbound (remote ip "localhost:*"))', query)).toBe(false)
  })
})

it.each([
  '(allow file-read* (literal "/a")',
  '(allow file-read*))',
  '(allow file-everything)',
  '(allow file-read* (sub "/a"))',
  '(allow file-read* (subpath (param "OTHER")))',
  '(allow file-read* (regex "^(?:a)"))',
  '(allow file-read* (regex "a"))',
  '(permit file-read*)',
  '(allow file-read* "unfinished)',
])('reads nothing from %s', (rules) => {
  expect(() => createEvaluator(HEAD + rules, {})).toThrowError(SyntaxError)
})
