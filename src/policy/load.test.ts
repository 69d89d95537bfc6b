import { describe, expect, it } from 'vitest'
import { ConfigError } from '../core/errors.js'
import { definePolicy } from './define.js'
import { parsePolicy } from './load.js'

function refusal(text: string): ConfigError {
  try {
    parsePolicy(text, 'p.jsonc', 'user')
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  return expect.fail('the policy was taken')
}

describe('loading a policy', () => {
  it('takes comments, trailing commas and a byte order mark', () => {
    const text = '\u{feff}{ // why\n "workMode": "rw", /* and */ "rules": ["deny bash",], }'
    const policy = parsePolicy(text, 'p.jsonc', 'managed')

    expect(policy).toMatchObject({ source: 'managed', file: 'p.jsonc' })
    expect(policy.digest).toBe(definePolicy({ workMode: 'rw', rules: ['deny bash'] }).digest)
  })

  it.each([
    ['{\n  "ruels": []\n}', { code: 'unknown_key', line: 2, column: 3, suggestion: 'rules' }],
    ['{\n  "rules": [\n    "deny bash("\n  ]\n}', { code: 'malformed_rule', line: 3, column: 5 }],
    ['{"workMode":\n "best"}', { code: 'invalid_value', line: 1, column: 2 }],
    ['{"rules": [{"effect": "deny",\r\n"match": ""}]}', { code: 'malformed_rule', line: 2 }],
    ['{"network": {"mode": "on", "x": 1}}', { code: 'unknown_key', line: 1, column: 28 }],
    ['{"network": {}}', { code: 'invalid_value', line: 1 }],
    ['{"workMode": "ro", "workMode": "full"}', { code: 'syntax', line: 1, column: 20 }],
    ['{"a": {"b": 1, "b": 2}}', { code: 'syntax' }],
    ['{"workMode" "ro"}', { code: 'syntax', line: 1 }],
    ['{"workMode": "ro"} x', { code: 'syntax' }],
    ['', { code: 'syntax' }],
    ['// nothing', { code: 'syntax' }],
    ['[]', { code: 'invalid_value', line: 1, column: 1 }],
    ['null', { code: 'invalid_value' }],
    ['{"rules": ["\\ud800"]}', { code: 'invalid_value' }],
    ['['.repeat(100_000), { code: 'syntax' }],
    [`{"$schema": "${'x'.repeat(1024 * 1024)}"}`, { code: 'syntax' }],
  ])('refuses %j with its place', (text, expected) => {
    expect(refusal(text)).toMatchObject({ file: 'p.jsonc', ...expected })
  })

  it.each([
    ['\\"'.repeat(300_000)],
    ['"a'.repeat(300_000)],
    ['/*'.repeat(300_000)],
    ['{"a":'.repeat(100_000)],
  ])('refuses hostile text soon', (text) => {
    const start = performance.now()

    expect(refusal(text).code).toBe('syntax')
    expect(performance.now() - start).toBeLessThan(2000)
  })
})
