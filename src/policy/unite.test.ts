import { describe, expect, it } from 'vitest'
import type { Policy, PolicyInput } from '../contract/policy.js'
import { asWorkspaceSource } from './compile.js'
import { definePolicy } from './define.js'
import type { PolicyAxes } from './effective-policy.js'
import { parsePolicy } from './load.js'
import { reviseAxes } from './revision.js'
import { unite } from './unite.js'

const managed = (input: PolicyInput): Policy =>
  parsePolicy(JSON.stringify(input), 'managed.jsonc', 'managed')
const untrusted = (input: PolicyInput): Policy => asWorkspaceSource(definePolicy(input))
const united = (...inputs: readonly PolicyInput[]): PolicyAxes => unite(inputs.map(definePolicy))

describe('uniting policies', () => {
  it('gives the strict defaults where nobody states anything', () => {
    expect(unite([])).toEqual({
      capabilities: ['agent.delegate', 'agent.spawn', 'fs.read', 'process.exec'],
      tools: { only: null, exclude: [] },
      network: { mode: 'off', allow: null, deny: null },
      rules: [],
      toolApproval: [{ policy: 'whitelist_accept', whitelist: [] }],
      approvalResponse: { policy: 'prompt', timeoutMs: 30_000 },
      sandbox: {
        mode: 'workspace_write',
        writable: [],
        readable: [],
        environment: { pass: [] },
        limits: {
          timeoutMs: 120_000,
          outputBytes: 1_048_576,
          diskBytes: 1_073_741_824,
          processes: null,
          memoryBytes: null,
        },
        onUnavailable: 'deny',
      },
      delegation: {
        mode: 'forbidden',
        spawnDepth: 1,
        delegateDepth: 3,
        targets: [],
        approvalPolicies: ['deny_unlisted', 'always_ask', 'whitelist_accept'],
      },
      budgets: {
        actionsPerHour: null,
        costPerDay: null,
        costPerMonth: null,
        treeIterations: null,
        asksPending: 8,
        asksPerHour: 30,
        evaluationsPerMinute: null,
      },
      roots: null,
      commands: null,
      forbiddenPaths: [],
      risk: { high: null, medium: null },
      scopes: {},
    })
  })

  it('lets one policy state more than the defaults', () => {
    expect(united({ workMode: 'full', network: 'on' })).toMatchObject({ network: { mode: 'on' } })
  })

  it.each<[string, PolicyInput, PolicyInput, unknown]>([
    [
      'work modes',
      { workMode: 'rw' },
      { capabilities: ['fs.write', 'host.escape'] },
      { capabilities: ['fs.write'] },
    ],
    [
      'tool scopes',
      { tools: { only: ['mcp__a', 'read'] } },
      { tools: { only: ['mcp__a__b', 're*'], exclude: ['x'] } },
      { tools: { only: ['mcp__a__b', 'read'], exclude: ['x'] } },
    ],
    [
      'networks',
      { network: { mode: 'on', allow: ['*.a.test'], deny: ['x.a.test'] } },
      { network: { mode: 'grant', allow: ['y.a.test', 'b.test'], deny: [] } },
      { network: { mode: 'grant', allow: ['y.a.test'], deny: ['x.a.test'] } },
    ],
    [
      'responses',
      { approvalResponse: 'prompt' },
      { approvalResponse: { policy: 'parent', timeoutMs: 5 } },
      { approvalResponse: { policy: 'parent', timeoutMs: 5 } },
    ],
    [
      'routes',
      { approvalResponse: { policy: 'route', channel: 'a', recipient: 'b' } },
      { approvalResponse: { policy: 'route', channel: 'a', recipient: 'c' } },
      { approvalResponse: { policy: 'never', timeoutMs: 30_000 } },
    ],
    [
      'sandboxes',
      {
        sandbox: {
          mode: 'open',
          writable: ['/a', '/b'],
          onUnavailable: 'ask_host',
          limits: { processes: 5 },
        },
      },
      {
        sandbox: {
          mode: 'workspace_write',
          writable: ['/a/x', '/ab', '/b/../c'],
          limits: { timeoutMs: 9 },
        },
      },
      {
        sandbox: {
          mode: 'workspace_write',
          writable: ['/a/x'],
          onUnavailable: 'deny',
          limits: { processes: 5, timeoutMs: 9 },
        },
      },
    ],
    [
      'delegations',
      {
        delegation: {
          mode: 'allow',
          spawnDepth: 2,
          targets: [{ agent: 'a', mode: 'independent' }, 'b'],
        },
      },
      { delegation: { mode: 'allow', targets: ['a'] } },
      { delegation: { mode: 'allow', spawnDepth: 1, targets: [{ agent: 'a', mode: 'bounded' }] } },
    ],
    [
      'budgets',
      { budgets: { actionsPerHour: 9, costPerDay: 'unlimited' } },
      { budgets: { actionsPerHour: 'unlimited', costPerDay: 4 } },
      { budgets: { actionsPerHour: 9, costPerDay: 4 } },
    ],
    [
      'approvals',
      { toolApproval: 'accept_all' },
      { toolApproval: 'always_ask' },
      {
        toolApproval: [
          { policy: 'accept_all', whitelist: [] },
          { policy: 'always_ask', whitelist: [] },
        ],
      },
    ],
  ])('meets %s', (_title, left, right, expected) => {
    expect(united(left, right)).toMatchObject(expected as object)
  })

  it('unites rules and says where each comes from', () => {
    const axes = unite([definePolicy({ rules: ['deny bash'] }), managed({ rules: ['ask read'] })])

    expect(axes.rules.map(({ id, source }) => [id, source])).toEqual([
      ['ask read', 'managed'],
      ['deny bash', 'user'],
    ])
  })

  it('[H-08] takes the same rule of two policies for one, and refuses another under its id', () => {
    const rule = { id: 'a', effect: 'deny', match: 'bash' } as const

    expect(united({ rules: [rule] }, { rules: [rule] }).rules).toHaveLength(1)
    expect(() => united({ rules: [rule] }, { rules: [{ ...rule, effect: 'ask' }] })).toThrow(
      expect.objectContaining({ code: 'duplicate_rule' }),
    )
  })

  it('[H-01] keeps an untrusted allow without effect, and its denies with theirs', () => {
    const { rules } = unite([untrusted({ rules: ['allow bash', 'deny read', 'ask write'] })])

    expect(rules.map(({ id, effective }) => [id, effective])).toEqual([
      ['allow bash', false],
      ['deny read', true],
      ['ask write', true],
    ])
  })

  it('[H-01] an untrusted copy does not weaken a trusted allow', () => {
    const copy = untrusted({ rules: ['allow bash'] })
    const { rules } = unite([copy, definePolicy({ rules: ['allow bash'] })])

    expect(rules).toMatchObject([{ source: 'user', effective: true }])
  })

  it('[H-01] an untrusted policy narrows and never widens', () => {
    const wide: PolicyInput = {
      workMode: 'full',
      network: 'on',
      toolApproval: 'accept_all',
      sandbox: { mode: 'open', onUnavailable: 'ask_host', writable: ['/'] },
      delegation: { mode: 'allow', spawnDepth: 9 },
      budgets: { asksPending: 'unlimited' },
    }
    const { toolApproval, ...rest } = unite([untrusted(wide)])
    const { toolApproval: defaults, ...strict } = unite([])

    expect(rest).toEqual(strict)
    expect(toolApproval).toEqual([...defaults, { policy: 'accept_all', whitelist: [] }])
    expect(
      unite([definePolicy({ network: 'on' }), untrusted({ network: 'off' })]).network.mode,
    ).toBe('off')
  })

  it('refuses a look-alike', () => {
    expect(() => unite([{ ...definePolicy({}) }])).toThrow(
      expect.objectContaining({ code: 'invalid_option' }),
    )
  })

  it('names a revision by count and content', () => {
    const axes = unite([])

    expect(reviseAxes(axes, 2)).toMatch(/^2:sha256:[0-9a-f]{64}$/)
    expect(reviseAxes(axes, 1)).toBe(reviseAxes(unite([definePolicy({})]), 1))
    expect(reviseAxes(united({ workMode: 'plan' }), 1)).not.toBe(reviseAxes(axes, 1))
  })
})
