import { describe, expect, it } from 'vitest'
import { ConfigError } from '../core/errors.js'
import type { PolicyInput } from '../contract/policy.js'
import { asWorkspaceSource, isPolicy } from './compile.js'
import { definePolicy } from './define.js'

function refusal(input: unknown): ConfigError {
  try {
    definePolicy(input as PolicyInput)
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  return expect.fail('the policy was taken')
}

describe('defining a policy', () => {
  it.each<[string, PolicyInput, PolicyInput]>([
    ['network', { network: 'grant' }, { network: { mode: 'grant' } }],
    ['work mode', { workMode: 'plan' }, { capabilities: ['fs.read'] }],
    ['tools', { tools: 'all' }, { tools: { only: ['*'] } }],
    ['no tools', { tools: 'none' }, { tools: { only: [] } }],
    [
      'approval',
      { toolApproval: 'always_ask' },
      { toolApproval: { policy: 'always_ask', whitelist: [] } },
    ],
    [
      'response',
      { approvalResponse: 'never' },
      { approvalResponse: { policy: 'never', timeoutMs: 30000 } },
    ],
    [
      'rules',
      { rules: ['deny bash(git push:*)'] },
      { rules: [{ effect: 'deny', match: 'bash(git push:*)', except: [], reason: '' }] },
    ],
    [
      'targets',
      { delegation: { targets: ['ops'] } },
      { delegation: { targets: [{ agent: 'ops', mode: 'bounded' }] } },
    ],
    ['budgets', { budgets: { costPerDay: 'unlimited' } }, { budgets: {} }],
    ['version', {}, { version: 1, $schema: 'x' }],
    ['not given', {}, { workMode: undefined, rules: undefined }],
    [
      'order and doubles',
      { capabilities: ['fs.write', 'fs.read'] },
      { capabilities: ['fs.read', 'fs.write', 'fs.read'] },
    ],
  ])('short and long forms of %s are one policy', (_title, short, long) => {
    expect(definePolicy(long).digest).toBe(definePolicy(short).digest)
  })

  it('keeps only what was stated, in a form that defines the same policy', () => {
    const policy = definePolicy({
      workMode: 'rw',
      network: { mode: 'on', allow: ['A.test'] },
      rules: [
        'deny bash',
        { id: 'r', effect: 'ask', match: 'read', reason: 'why', except: ['read(a)'] },
      ],
      sandbox: { limits: { processes: 3 } },
      budgets: { actionsPerHour: 5 },
      delegation: { mode: 'allow' },
      tools: { exclude: ['edit'] },
      toolApproval: { policy: 'accept_all', whitelist: ['read'] },
      approvalResponse: { policy: 'route', channel: 'c', recipient: 'r' },
    })

    expect(definePolicy(policy.document as PolicyInput)).toEqual(policy)
    expect(definePolicy({ network: 'off' }).document).toEqual({
      version: 1,
      network: { mode: 'off' },
    })
  })

  it('gives a frozen policy that no look-alike replaces', () => {
    const policy = definePolicy({})

    expect(Object.isFrozen(policy) && Object.isFrozen(policy.document)).toBe(true)
    expect(isPolicy(policy)).toBe(true)
    expect(isPolicy({ ...policy })).toBe(false)
    expect(isPolicy(null)).toBe(false)
  })

  it('relabels a policy as a workspace source', () => {
    const policy = asWorkspaceSource(definePolicy({ workMode: 'full' }))

    expect(policy).toMatchObject({ source: 'workspace', file: null })
    expect(policy.digest).toBe(definePolicy({ workMode: 'full' }).digest)
    expect(isPolicy(policy)).toBe(true)
  })

  it.each<[string, unknown, Partial<ConfigError>]>([
    [
      'an unknown key',
      { ruels: [] },
      { code: 'unknown_key', path: ['ruels'], suggestion: 'rules' },
    ],
    [
      'an unknown inner key',
      { network: { mode: 'on', alow: [] } },
      { code: 'unknown_key', path: ['network', 'alow'], suggestion: 'allow' },
    ],
    ['a key of the prototype', JSON.parse('{"__proto__": {}}'), { code: 'unknown_key' }],
    [
      'an inner key of the prototype',
      { sandbox: JSON.parse('{"__proto__": 1}') },
      { code: 'unknown_key' },
    ],
    [
      'an unknown value',
      { workMode: 'fulll' },
      {
        code: 'invalid_value',
        path: ['workMode'],
        allowed: ['plan', 'ro', 'rw', 'full'],
        suggestion: 'full',
      },
    ],
    ['two work modes', { workMode: 'ro', capabilities: [] }, { code: 'invalid_value' }],
    [
      'an unknown capability',
      { capabilities: ['fs.teleport'] },
      { code: 'unknown_capability', path: ['capabilities', 0] },
    ],
    [
      'a misspelt capability',
      { capabilities: ['fs.raed'] },
      { code: 'unknown_capability', suggestion: 'fs.read' },
    ],
    ['another version', { version: 2 }, { code: 'invalid_value', path: ['version'] }],
    ['a missing mode', { network: {} }, { code: 'invalid_value', path: ['network', 'mode'] }],
    [
      'a host that is none',
      { network: { mode: 'on', deny: ['a/b'] } },
      { code: 'invalid_value', path: ['network', 'deny', 0] },
    ],
    [
      'a malformed rule',
      { rules: ['deny bash('] },
      { code: 'malformed_rule', path: ['rules', 0, 'match'] },
    ],
    [
      'a misspelt effect',
      { rules: ['dney bash'] },
      { code: 'malformed_rule', path: ['rules', 0], suggestion: 'deny' },
    ],
    [
      'a rule without a pattern text',
      { rules: [{ id: 'r1', effect: 'allow', match: null }] },
      { code: 'invalid_value', path: ['rules', 0, 'match'] },
    ],
    [
      'a written source',
      { rules: [{ effect: 'deny', match: 'bash', source: 'managed' }] },
      { code: 'unknown_key', path: ['rules', 0, 'source'] },
    ],
    [
      'a malformed exception',
      { rules: [{ effect: 'deny', match: 'read', except: ['**/.env'] }] },
      { code: 'malformed_rule', path: ['rules', 0, 'except', 0], suggestion: 'read(**/.env)' },
    ],
    [
      'one id for two rules',
      {
        rules: [
          { id: 'a', effect: 'deny', match: 'bash' },
          { id: 'a', effect: 'ask', match: 'bash' },
        ],
      },
      { code: 'duplicate_rule', path: ['rules', 1] },
    ],
    [
      'an odd id',
      { rules: [{ id: 'A b', effect: 'deny', match: 'bash' }] },
      { code: 'invalid_value', path: ['rules', 0, 'id'] },
    ],
    [
      'a failing example',
      { rules: [{ effect: 'deny', match: 'bash(rm:*)', examples: { match: ['ls'] } }] },
      { code: 'failing_example', path: ['rules', 0, 'examples', 'match', 0] },
    ],
    [
      'a failing counterexample',
      { rules: [{ effect: 'deny', match: 'read(**/.env)', examples: { not_match: ['a/.env'] } }] },
      { code: 'failing_example', path: ['rules', 0, 'examples', 'not_match', 0] },
    ],
    [
      'a malformed whitelist entry',
      { toolApproval: { policy: 'always_ask', whitelist: ['read('] } },
      { code: 'malformed_rule', path: ['toolApproval', 'whitelist', 0] },
    ],
    [
      'a route without a recipient',
      { approvalResponse: { policy: 'route', channel: 'c' } },
      { code: 'invalid_value', path: ['approvalResponse', 'recipient'] },
    ],
    ['a bare route', { approvalResponse: 'route' }, { code: 'invalid_value' }],
    [
      'no time',
      { approvalResponse: { policy: 'prompt', timeoutMs: 0 } },
      { code: 'invalid_value', path: ['approvalResponse', 'timeoutMs'] },
    ],
    [
      'a limit of zero',
      { sandbox: { limits: { timeoutMs: 0 } } },
      { code: 'invalid_value', path: ['sandbox', 'limits', 'timeoutMs'] },
    ],
    ['half a limit', { sandbox: { limits: { processes: 1.5 } } }, { code: 'invalid_value' }],
    [
      'depth zero',
      { delegation: { spawnDepth: 0 } },
      { code: 'invalid_value', path: ['delegation', 'spawnDepth'] },
    ],
    [
      'a target twice',
      { delegation: { targets: ['a', { agent: 'a', mode: 'independent' }] } },
      { code: 'invalid_value', path: ['delegation', 'targets', 1] },
    ],
    [
      'a budget of zero',
      { budgets: { costPerDay: 0 } },
      { code: 'invalid_value', path: ['budgets', 'costPerDay'] },
    ],
    ['a budget of null', { budgets: { costPerDay: null } }, { code: 'invalid_value' }],
    [
      'a tool that is none',
      { tools: { only: ['a b'] } },
      { code: 'invalid_value', path: ['tools', 'only', 0] },
    ],
    [
      'a mode as a tool',
      { tools: { exclude: ['grep'] } },
      { code: 'invalid_value', suggestion: 'search' },
    ],
    ['a list', [], { code: 'invalid_value' }],
    ['a class instance', new Map(), { code: 'invalid_value' }],
  ])('refuses %s', (_title, input, expected) => {
    expect(refusal(input)).toMatchObject(expected)
  })

  it.each(['builtin:x', 'default:x', 'grant:x', 'guard:x', 'origin:x', 'axis:x', 'Builtin:x'])(
    '[H-08] refuses the reserved id `%s`',
    (id) => {
      expect(refusal({ rules: [{ id, effect: 'deny', match: 'bash' }] }).code).toBe(
        'reserved_rule_id',
      )
    },
  )

  it('[H-08] takes the same rule under the same id twice for one rule', () => {
    const rule = { id: 'a', effect: 'deny', match: 'bash' } as const

    expect(definePolicy({ rules: [rule, rule] }).digest).toBe(
      definePolicy({ rules: [rule] }).digest,
    )
  })

  it('checks examples that hold', () => {
    const rules = [
      {
        effect: 'allow',
        match: 'bash(npm test:*)',
        examples: { match: ['npm test -- a'], not_match: ['npm testx', 'npm i'] },
      },
      {
        effect: 'deny',
        match: 'read(~/.ssh/**)',
        examples: { match: ['~/.ssh/id'], not_match: ['src/a'] },
      },
      {
        effect: 'ask',
        match: 'web_fetch(*.a.test)',
        examples: { match: ['https://x.a.test/y'], not_match: ['a.test'] },
      },
      {
        effect: 'deny',
        match: 'grep(secret**)',
        examples: { match: ['grep secret x'], not_match: ['glob secret'] },
      },
      { effect: 'deny', match: 'mcp__a__*', examples: { match: ['{}'] } },
    ] as const

    expect(() => definePolicy({ rules })).not.toThrow()
  })
})
