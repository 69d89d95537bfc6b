/** Hostile policy texts and match texts: whatever comes, it is read or refused with `ConfigError`, and soon. */

import { ConfigError } from '../../src/core/errors.js'
import { parsePolicy } from '../../src/policy/load.js'
import { compileMatch } from '../../src/policy/rules/match.js'
import { mutate, type Random } from './mutate.js'
import { fuzz, type Fuzzed } from './fuzz.js'

/** Half of the inputs are match texts, half are documents. */
export function fuzzPolicies(cases: number, seed: number): Fuzzed {
  return fuzz({
    cases,
    seed,
    input: (random, index) => (index % 2 === 0 ? aMatch(random) : aDocument(random)),
    read: (text, index) => {
      if (index % 2 === 0) compileMatch(text)
      else parsePolicy(text, 'policy.jsonc', 'user')
    },
    isRefusal: (fault) => fault instanceof ConfigError,
  })
}

const PIECES = [
  ...['bash', 'read', 'write', 'web_fetch', 'search', 'mcp__a__b', 'grep', 'custom', '*', 'r?ad'],
  ...[
    '(',
    ')',
    '()',
    '(**)',
    ':*',
    '**',
    '*',
    '?',
    '[',
    ']',
    '[a-z]',
    '{a,b}',
    '{1..9}',
    '!',
    '\\',
  ],
  ...['@workspace', '@credentials', '~', '$HOME', '..', '/', '//', 'C:\\', '*.', 'example.com'],
  ...[' ', '\t', '\n', '\0', '\u202e', '\u{1f600}', 'é', 'e\u0301', '\ud800', '::1', ':443', '%2e'],
] as const

function aMatch(random: Random): string {
  const pieces = Array.from({ length: random.below(12) }, () => random.pick(PIECES))
  const text = pieces.join('')
  // Long repetitions are where a matcher of globs would go wrong.
  return random.below(200) === 0 ? text.repeat(1 + random.below(400)) : text
}

const DOCUMENTS = [
  '{ "workMode": "rw", "rules": ["deny bash(git push:*)", "allow read(@workspace)"] }',
  '{ "network": { "mode": "grant", "allow": ["*.example.com"], "deny": [] } }',
  '{ "toolApproval": { "policy": "whitelist_accept", "whitelist": ["read", "bash(npm test:*)"] } }',
  '{ "sandbox": { "mode": "workspace_write", "writable": ["/tmp/x"], "limits": { "timeoutMs": 1000 } } }',
  '{ "approvalResponse": { "policy": "prompt", "timeoutMs": 30000 }, "version": 1, "$schema": "x" }',
  '{ "budgets": { "actionsPerHour": 10, "costPerDay": "unlimited" }, "tools": { "only": ["*"] } }',
  '// a comment\n{ "rules": [{ "id": "r1", "effect": "ask", "match": "read(**)", "except": [], }], }',
  '{ "delegation": { "mode": "forbidden", "spawnDepth": 1, "targets": [{ "agent": "a" }] } }',
] as const

const TOKENS = [
  ...['{', '}', '[', ']', '"', ',', ':', '//', '/*', '*/', 'null', 'true', '-0', '1e999', '1E-7'],
  ...['"__proto__"', '"constructor"', '"rules"', '"workMode"', '"deny"', '"\\ud800"', '"\\u0000"'],
  ...['\u{feff}', '9007199254740993', '{"a":{"a":', '[[[['],
] as const

function aDocument(random: Random): string {
  if (random.below(2000) === 0) return '['.repeat(random.below(100_000))
  return mutate(random.pick(DOCUMENTS), random, TOKENS)
}
