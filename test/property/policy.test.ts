import fc from 'fast-check'
import picomatch from 'picomatch'
import { describe, expect, it } from 'vitest'
import type { Policy, PolicyInput } from '../../src/contract/policy.js'
import { ConfigError } from '../../src/core/errors.js'
import { asWorkspaceSource } from '../../src/policy/compile.js'
import { definePolicy } from '../../src/policy/define.js'
import type { PolicyAxes } from '../../src/policy/effective-policy.js'
import { parsePolicy } from '../../src/policy/load.js'
import { compileMatch } from '../../src/policy/rules/match.js'
import { smallestAllow } from '../../src/policy/rules/smallest-allow.js'
import { judgeRules } from '../../src/policy/rules/verdict.js'
import { unite } from '../../src/policy/unite.js'
import { aCommand, aPath, aQuestion, bound } from './policy-builders.js'

/** Runs it; a `ConfigError` is an answer, anything else fails the test. */
function throwsNothingElse(run: () => unknown): boolean {
  try {
    run()
    return true
  } catch (error) {
    return error instanceof ConfigError
  }
}

const matchText = fc
  .array(
    fc.constantFrom(
      ...['bash', 'read', 'mcp__a', '*', '(', ')', '**', '?', '/', '\\', '{', ',', '}'],
      ...['@workspace', '~', ':*', '[*]', '[', '..', ' ', 'é', '\n', 'web_fetch', 'grep'],
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(''))
const names = fc.constantFrom('a', 'b', '.c', 'src')
const pathText = fc.array(names, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
const pathGlob = fc
  .array(fc.constantFrom('a', 'b', '*', '?', '.c', 'src', '*b', 's*c', '**'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join('/'))

describe('reading policies', () => {
  it('throws nothing but `ConfigError` for any match text', () => {
    fc.assert(
      fc.property(fc.oneof(matchText, fc.string()), (text) =>
        throwsNothingElse(() => compileMatch(text)),
      ),
      { numRuns: 2000 },
    )
  })

  it('throws nothing but `ConfigError` for any document', () => {
    const value = fc.oneof(fc.jsonValue(), matchText, fc.constantFrom('on', 'ro', 'prompt', 0, -1))
    const keys = ['workMode', 'capabilities', 'tools', 'network', 'rules', 'toolApproval'] as const
    const rest = ['approvalResponse', 'sandbox', 'delegation', 'budgets', 'version'] as const
    const document = fc.dictionary(fc.constantFrom(...keys, ...rest), value)
    fc.assert(
      fc.property(fc.oneof(document, fc.anything()), (input) =>
        throwsNothingElse(() => definePolicy(input as PolicyInput)),
      ),
      { numRuns: 1000 },
    )
  })

  it('throws nothing but `ConfigError` for any text', () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '/', '*', '\n', 'a') }),
    )
    fc.assert(
      fc.property(text, (given) => throwsNothingElse(() => parsePolicy(given, 'p', 'user'))),
      { numRuns: 1000 },
    )
  })
})

describe('matching', () => {
  it('agrees with picomatch on plain path patterns', () => {
    fc.assert(
      fc.property(pathGlob, pathText, (glob, path) => {
        // Here a folder is no match of `folder/**`, there it is; and a lone star is any argument.
        fc.pre(glob !== '*' && !glob.endsWith('/**') && !glob.startsWith('**'))
        const rules = bound({ rules: [`allow list(${glob})`] }).rules
        const question = aQuestion('list', [aPath(path)])

        const expected = picomatch(glob, { dot: true })(path)
        expect(judgeRules(rules, question).decision === 'allow').toBe(expected)
      }),
      { numRuns: 1000 },
    )
  })

  it('no allow lifts a deny', () => {
    const allow = fc.constantFrom(
      'allow read',
      'allow read(**)',
      'allow *',
      'allow read(@workspace)',
    )
    fc.assert(
      fc.property(pathGlob, pathText, fc.array(allow), (glob, path, allows) => {
        const question = aQuestion('read', [aPath(path)])
        const deny = `deny read(${glob})`

        const before = judgeRules(bound({ rules: [deny] }).rules, question)
        const after = judgeRules(bound({ rules: [...allows, deny] }).rules, question)
        expect(after.decision === 'deny').toBe(before.decision === 'deny')
      }),
      { numRuns: 500 },
    )
  })

  it('what a pattern proves it also suspects', () => {
    fc.assert(
      fc.property(pathGlob, pathText, (glob, path) => {
        const match = bound({ rules: [`allow read(${glob})`] }).rules[0]?.match
        const subject = aPath(path)

        expect(match?.proves(subject) === true && !match.suspects(subject)).toBe(false)
      }),
      { numRuns: 1000 },
    )
  })

  it('the proposed rule allows the call, whatever its words', () => {
    const word = fc.string({
      unit: fc.constantFrom('a', '-', '*', '(', '\\', '/', '?'),
      minLength: 1,
    })
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (argv) => {
        const text = aCommand(argv.join(' '))
        const analysis = { commands: [{ argv }], refusals: [] }
        const question = aQuestion('bash', [{ ...text, analysis }])
        const proposal = smallestAllow(question)?.match

        if (proposal === undefined) return
        const { rules } = bound({ rules: [`allow ${proposal}`] })
        expect(judgeRules(rules, question).decision).toBe('allow')
      }),
    )
  })
})

describe('uniting', () => {
  const policy = fc
    .record(
      {
        workMode: fc.constantFrom('plan', 'ro', 'rw', 'full'),
        network: fc.constantFrom('off', 'grant', 'on'),
        rules: fc.subarray(['deny bash', 'ask read', 'allow write', 'allow bash(ls)']),
        toolApproval: fc.constantFrom('accept_all', 'always_ask', 'deny_unlisted'),
        sandbox: fc.record({
          mode: fc.constantFrom('read_only', 'workspace_write', 'open'),
          onUnavailable: fc.constantFrom('deny', 'ask_host'),
        }),
      },
      { requiredKeys: [] },
    )
    .map((input) => definePolicy(input as PolicyInput))

  it('an untrusted policy never widens what stands', () => {
    fc.assert(
      fc.property(fc.array(policy, { maxLength: 3 }), policy, (trusted: Policy[], other) => {
        const before = unite(trusted)
        const after = unite([...trusted, asWorkspaceSource(other)])

        expect(isNarrower(after, before)).toBe(true)
      }),
    )
  })

  it('the order of policies moves no gate', () => {
    fc.assert(
      fc.property(fc.array(policy, { maxLength: 4 }), (policies) => {
        const gates = ['capabilities', 'network', 'sandbox', 'tools', 'budgets'] as const
        const forwards = unite(policies)
        const backwards = unite([...policies].reverse())

        for (const name of gates) expect(backwards[name]).toEqual(forwards[name])
      }),
    )
  })
})

function isNarrower(after: PolicyAxes, before: PolicyAxes): boolean {
  const networks = ['off', 'grant', 'on']
  const sandboxes = ['read_only', 'workspace_write', 'open']
  const allows = ({ rules }: PolicyAxes): readonly string[] =>
    rules.filter((rule) => rule.effect === 'allow' && rule.effective).map(({ id }) => id)
  return (
    after.capabilities.every((name) => before.capabilities.includes(name)) &&
    networks.indexOf(after.network.mode) <= networks.indexOf(before.network.mode) &&
    sandboxes.indexOf(after.sandbox.mode) <= sandboxes.indexOf(before.sandbox.mode) &&
    (after.sandbox.onUnavailable === 'deny' || before.sandbox.onUnavailable === 'ask_host') &&
    before.toolApproval.every(
      (choice, index) => after.toolApproval[index]?.policy === choice.policy,
    ) &&
    allows(after).every((id) => allows(before).includes(id))
  )
}
