/** Hostile policy texts: whatever comes, it is read or refused with `ConfigError` and a place, and soon. */

import { ConfigError } from '../../src/core/errors.js'
import { parsePolicy } from '../../src/policy/load.js'
import { mutate, type Random } from './mutate.js'
import { fuzz, type Fuzzed } from './fuzz.js'

/** Whatever is refused is refused with the file, the line and the column. */
export function fuzzPolicies(cases: number, seed: number): Fuzzed {
  return fuzz({
    cases,
    seed,
    input: aDocument,
    read: (text) => parsePolicy(text, FILE, 'user'),
    isRefusal: (fault) =>
      fault instanceof ConfigError &&
      fault.file === FILE &&
      (fault.line ?? 0) >= 1 &&
      (fault.column ?? 0) >= 1,
  })
}

const FILE = 'policy.jsonc'

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
