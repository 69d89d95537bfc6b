/** Every way to ask for more than the parent has (delegation.md §2): refused as a whole, or clamped and listed. */

import { describe, expect, it } from 'vitest'
import type { Delegation } from '../../src/contract/delegation.js'
import type { PolicyInput } from '../../src/contract/policy.js'
import { DelegationError } from '../../src/core/errors.js'
import { derive, type Derived } from '../../src/delegation/derive.js'
import { tightened, tightenedBelow } from '../../src/delegation/tighten.js'
import { narrowingDocument } from '../../src/delegation/narrow.js'
import { AXIS_NAMES, axes as table } from '../../src/policy/axes.js'
import { definePolicy } from '../../src/policy/define.js'
import type { PolicyAxes } from '../../src/policy/effective-policy.js'
import { unite } from '../../src/policy/unite.js'

/** Something of everything, so that there is more to ask for on each axis. */
const PARENT: PolicyInput = {
  capabilities: ['fs.read', 'process.exec', 'agent.spawn', 'x.pay'],
  tools: { only: ['read', 'bash', 'mcp__git__*'], exclude: ['mcp__git__push'] },
  network: { mode: 'grant', allow: ['*.example.com'], deny: ['evil.example.com'] },
  rules: ['deny bash(git push:*)', { id: 'r1', effect: 'ask', match: 'read(/etc/**)' }],
  approvalResponse: { policy: 'prompt', timeoutMs: 5_000 },
  sandbox: {
    mode: 'workspace_write',
    writable: ['/data/out'],
    readable: ['/data/in'],
    environment: { pass: ['LANG'] },
    limits: {
      timeoutMs: 1_000,
      outputBytes: 1_000,
      diskBytes: 1_000,
      processes: 8,
      memoryBytes: 1_000,
    },
  },
  delegation: {
    mode: 'forbidden',
    spawnDepth: 2,
    delegateDepth: 2,
    targets: ['helper', { agent: 'free', mode: 'bounded' }],
    approvalPolicies: ['whitelist_accept', 'always_ask'],
  },
  budgets: { asksPending: 4, asksPerHour: 10 },
  roots: { rw: ['/ws/src'], ro: ['/ws/docs'], wo: ['/ws/out'] },
  commands: ['git', 'ls'],
  forbiddenPaths: ['/ws/secret'],
  risk: { high: 'deny', medium: 'ask' },
  scopes: { memory: ['me', 'team'] },
}

function axesOf(input: PolicyInput): PolicyAxes {
  return unite([definePolicy(input)])
}

function derived(given: unknown, parent: PolicyInput = PARENT): Derived {
  return derive(axesOf(parent), given as Delegation, 'spawn')
}

function fault(attempt: () => unknown): DelegationError {
  try {
    attempt()
  } catch (error) {
    if (error instanceof DelegationError) return error
    throw error
  }
  throw new TypeError('nothing was refused')
}

function fieldsOf(some: DelegationError['violations']): readonly string[] {
  return some.map(({ axis, field }) => `${axis}.${field}`)
}

/** What was asked, by which trick, and the fields in which it is more. */
type Refusals = readonly (readonly [trick: string, given: unknown, fields: readonly string[]])[]

const CAPABILITIES = ['capabilities.capabilities']
const REFUSED: Readonly<Record<string, Refusals>> = {
  capabilities: [
    ['a wider work mode', { workMode: 'full' }, CAPABILITIES],
    ['a narrower word for a wider set', { workMode: 'ro' }, CAPABILITIES],
    ['one capability more', { capabilities: ['fs.read', 'fs.write'] }, CAPABILITIES],
    ['a capability of the host', { capabilities: ['x.admin'] }, CAPABILITIES],
    ['a key given twice', JSON.parse('{"workMode":"plan","workMode":"rw"}'), CAPABILITIES],
  ],
  tools: [
    ['the word for all', { tools: 'all' }, ['tools.only', 'tools.exclude']],
    ['another name', { tools: { only: ['write'] } }, ['tools.only']],
    ['another case', { tools: { only: ['WRITE'] } }, ['tools.only']],
    ['a wildcard', { tools: { only: ['*'] } }, ['tools.only', 'tools.exclude']],
    ['a wider pattern', { tools: { only: ['mcp__*'] } }, ['tools.only', 'tools.exclude']],
    ['an excluded name', { tools: { only: ['mcp__git__push'] } }, ['tools.exclude']],
    ['its other case', { tools: { only: ['MCP__git__PUSH'] } }, ['tools.exclude']],
    ['a pattern over it', { tools: { only: ['mcp__git__p*'] } }, ['tools.exclude']],
  ],
  toolApproval: [
    ['a choice beyond the cap', { toolApproval: 'accept_all' }, ['toolApproval.policy']],
    [
      'a whitelist of a whole shell',
      { toolApproval: { policy: 'whitelist_accept', whitelist: ['bash'] } },
      ['toolApproval.whitelist'],
    ],
    [
      'one of an interpreter',
      { toolApproval: { policy: 'whitelist_accept', whitelist: ['bash(python3:*)'] } },
      ['toolApproval.whitelist'],
    ],
    [
      'one of a wrapper',
      { toolApproval: { policy: 'whitelist_accept', whitelist: ['bash(env:*)'] } },
      ['toolApproval.whitelist'],
    ],
    [
      'one of every tool',
      { toolApproval: { policy: 'whitelist_accept', whitelist: ['*'] } },
      ['toolApproval.whitelist'],
    ],
    [
      'one of every command, with a pattern',
      { toolApproval: { policy: 'whitelist_accept', whitelist: ['bash(**)'] } },
      ['toolApproval.whitelist'],
    ],
  ],
  delegation: [
    ['the mode', { delegation: { mode: 'allow' } }, ['delegation.mode']],
    ['a deeper spawn', { delegation: { spawnDepth: 3 } }, ['delegation.spawnDepth']],
    ['a deeper delegate', { delegation: { delegateDepth: 9 } }, ['delegation.delegateDepth']],
    ['another target', { delegation: { targets: ['other'] } }, ['delegation.targets']],
    ['its other case', { delegation: { targets: ['Helper'] } }, ['delegation.targets']],
    [
      'a looser kind of a target',
      { delegation: { targets: [{ agent: 'free', mode: 'independent' }] } },
      ['delegation.targets'],
    ],
    [
      'a higher cap on approval',
      { delegation: { approvalPolicies: ['accept_all'] } },
      ['delegation.approvalPolicies'],
    ],
  ],
  budgets: [
    ['a larger number', { budgets: { asksPending: 5 } }, ['budgets.asksPending']],
    ['the unlimited word', { budgets: { asksPerHour: 'unlimited' } }, ['budgets.asksPerHour']],
  ],
  roots: [
    ['a folder above', { roots: { rw: ['/ws'] } }, ['roots.rw']],
    ['the root', { roots: { rw: ['/'] } }, ['roots.rw']],
    ['a climbing path', { roots: { rw: ['/ws/src/../..'] } }, ['roots.rw']],
    ['a name that only begins alike', { roots: { rw: ['/ws/srcs'] } }, ['roots.rw']],
    ['another case', { roots: { rw: ['/WS/src'] } }, ['roots.rw']],
    ['an alias', { roots: { rw: ['@workspace'] } }, ['roots.rw']],
    ['a wildcard', { roots: { rw: ['/ws/*'] } }, ['roots.rw']],
    ['writing where only reading is open', { roots: { rw: ['/ws/docs'] } }, ['roots.rw']],
    ['reading where only writing is open', { roots: { ro: ['/ws/out'] } }, ['roots.ro']],
    ['writing by the other word', { roots: { wo: ['/ws/docs'] } }, ['roots.wo']],
  ],
  commands: [
    ['another program', { commands: ['git', 'curl'] }, ['commands.commands']],
    ['another case', { commands: ['Git'] }, ['commands.commands']],
  ],
  forbiddenPaths: [
    ['an empty list', { forbiddenPaths: [] }, ['forbiddenPaths.forbiddenPaths']],
    ['another path instead', { forbiddenPaths: ['/ws/other'] }, ['forbiddenPaths.forbiddenPaths']],
    [
      'a climbing spelling',
      { forbiddenPaths: ['/ws/x/../secret'] },
      ['forbiddenPaths.forbiddenPaths'],
    ],
    [
      'only what lies below',
      { forbiddenPaths: ['/ws/secret/a'] },
      ['forbiddenPaths.forbiddenPaths'],
    ],
  ],
  risk: [
    ['a milder effect', { risk: { high: 'ask' } }, ['risk.high']],
    ['none', { risk: { medium: 'none' } }, ['risk.medium']],
  ],
  scopes: [
    ['another name', { scopes: { memory: ['me', 'boss'] } }, ['scopes.memory']],
    ['another case', { scopes: { memory: ['ME'] } }, ['scopes.memory']],
    ['a wildcard', { scopes: { memory: ['*'] } }, ['scopes.memory']],
  ],
}

describe.each(Object.keys(REFUSED))('more %s', (axis) => {
  it.each(REFUSED[axis] ?? [])('by %s is refused', (_trick, given, fields) => {
    const error = fault(() => derived(given))

    expect(error.code).toBe('escalation')
    expect(fieldsOf(error.violations)).toEqual(fields)
    for (const violation of error.violations) {
      expect(violation.given).not.toEqual(violation.parent)
    }
  })

  it.each(
    (REFUSED[axis] ?? []).filter(([, given]) => !Object.hasOwn(given as object, 'toolApproval')),
  )('by %s is no tightening either, and gives a descendant nothing', (_trick, given) => {
    const axes = axesOf(PARENT)
    const constraints = narrowingDocument(given)

    expect(fault(() => tightened(axes, constraints)).code).toBe('escalation')
    const forced = tightenedBelow(axes, constraints)
    expect(excesses(forced, axes)).toEqual([])
  })
})

describe('everything at once', () => {
  it('names all violations, each with its axis, its field and both values', () => {
    const error = fault(() =>
      derived({
        workMode: 'full',
        tools: 'all',
        toolApproval: 'accept_all',
        delegation: { mode: 'allow', spawnDepth: 3 },
        budgets: { asksPending: 'unlimited' },
        roots: { rw: ['/'] },
        commands: ['sh'],
        forbiddenPaths: [],
        risk: { high: 'ask', medium: 'none' },
        scopes: { memory: ['boss'] },
      }),
    )

    expect(fieldsOf(error.violations)).toEqual([
      'capabilities.capabilities',
      'tools.only',
      'tools.exclude',
      'delegation.mode',
      'delegation.spawnDepth',
      'budgets.asksPending',
      'roots.rw',
      'commands.commands',
      'forbiddenPaths.forbiddenPaths',
      'risk.high',
      'risk.medium',
      'scopes.memory',
      'toolApproval.policy',
    ])
    expect(error.violations[3]).toEqual({
      axis: 'delegation',
      field: 'mode',
      parent: 'forbidden',
      given: 'allow',
    })
  })
})

/** What is clamped: the child has the parent's value, and the delegation's record says so. */
const CLAMPED: readonly (readonly [string, Delegation, readonly string[]])[] = [
  ['network on', { network: 'on' }, ['network.mode', 'network.allow', 'network.deny']],
  [
    'a host above the allowed ones',
    { network: { mode: 'grant', allow: ['example.com', '*.com'] } },
    ['network.allow'],
  ],
  ['an empty list of denied hosts', { network: { mode: 'grant', deny: [] } }, ['network.deny']],
  ['an open sandbox', { sandbox: { mode: 'open' } }, ['sandbox.mode']],
  ['another writable folder', { sandbox: { writable: ['/etc'] } }, ['sandbox.writable']],
  ['a climbing one', { sandbox: { writable: ['/data/out/../..'] } }, ['sandbox.writable']],
  ['one by an alias', { sandbox: { writable: ['@home'] } }, ['sandbox.writable']],
  ['one that begins alike', { sandbox: { writable: ['/data/outer'] } }, ['sandbox.writable']],
  ['a readable folder', { sandbox: { readable: ['/'] } }, ['sandbox.readable']],
  ['a variable', { sandbox: { environment: { pass: ['lang'] } } }, ['sandbox.environment.pass']],
  ['more time', { sandbox: { limits: { timeoutMs: 1_001 } } }, ['sandbox.limits.timeoutMs']],
  ['more output', { sandbox: { limits: { outputBytes: 9_999 } } }, ['sandbox.limits.outputBytes']],
  ['more disk', { sandbox: { limits: { diskBytes: 9_999 } } }, ['sandbox.limits.diskBytes']],
  ['more processes', { sandbox: { limits: { processes: 9 } } }, ['sandbox.limits.processes']],
  ['more memory', { sandbox: { limits: { memoryBytes: 9_999 } } }, ['sandbox.limits.memoryBytes']],
  [
    'the host without a sandbox',
    { sandbox: { onUnavailable: 'ask_host' } },
    ['sandbox.onUnavailable'],
  ],
]

describe('a network or a sandbox that asks for more', () => {
  it.each(CLAMPED)('[S1-04] by %s gets no more than the parent has', (_trick, given, fields) => {
    const parent = axesOf(PARENT)

    const { axes, clamped } = derive(parent, given, 'spawn')

    expect(fieldsOf(clamped)).toEqual(fields)
    expect(excesses(axes, parent)).toEqual([])
  })

  it.each(CLAMPED)('by %s is no tightening: it is refused whole', (_trick, given, fields) => {
    const error = fault(() => tightened(axesOf(PARENT), narrowingDocument(given)))

    expect(error.code).toBe('escalation')
    expect(fieldsOf(error.violations)).toEqual(fields)
  })

  it('keeps what it narrows besides', () => {
    const { axes } = derived({ sandbox: { mode: 'open', limits: { timeoutMs: 10 } } })

    expect(axes.sandbox).toMatchObject({
      mode: 'workspace_write',
      limits: { timeoutMs: 10, processes: 8 },
      writable: ['/data/out'],
    })
  })
})

describe('what a delegation leaves out', () => {
  it("is the parent's on every axis that is met", () => {
    const parent = axesOf(PARENT)

    const { axes, clamped } = derive(parent, {}, 'fork')

    expect(clamped).toEqual([])
    expect({ ...axes, toolApproval: null, approvalResponse: null }).toEqual({
      ...parent,
      toolApproval: null,
      approvalResponse: null,
    })
  })

  it.each([
    ['tools', { tools: {} }],
    ['network', { network: {} }],
    ['sandbox', { sandbox: {} }],
    ['limits', { sandbox: { limits: {} } }],
    ['delegation', { delegation: {} }],
    ['budgets', { budgets: {} }],
    ['risk', { risk: {} }],
    ['scopes', { scopes: {} }],
    ['all, as undefined', { tools: undefined, network: undefined, roots: undefined }],
  ])("in %s is the parent's", (_axis, given) => {
    const { axes } = derived(given)

    expect({ ...axes, toolApproval: null, approvalResponse: null }).toEqual({
      ...axesOf(PARENT),
      toolApproval: null,
      approvalResponse: null,
    })
  })

  it('[S0-24] never is what may run unasked: by default nothing', () => {
    const rich: PolicyInput = {
      ...PARENT,
      toolApproval: { policy: 'accept_all', whitelist: ['read'] },
    }

    expect(derived({}, rich).axes.toolApproval).toEqual([
      { policy: 'whitelist_accept', whitelist: [] },
    ])
  })

  it('[S0-24] stands beside what its parent chose where the parent is the ceiling', () => {
    const strict: PolicyInput = { ...PARENT, toolApproval: 'always_ask' }

    const { axes } = derived(
      {
        toolApproval: { policy: 'whitelist_accept', whitelist: ['read'] },
        approvalCeiling: 'parent',
      },
      strict,
    )

    expect(axes.toolApproval.map(({ policy }) => policy)).toEqual([
      // The outermost ancestor first: on a tie its id is the one that is named.
      'always_ask',
      'whitelist_accept',
    ])
  })
})

describe('an empty list', () => {
  it.each([
    ['capabilities', { capabilities: [] }],
    ['commands', { commands: [] }],
    ['tools', { tools: { only: [] } }],
    ['network.allow', { network: { mode: 'grant', allow: [] } }],
    ['roots', { roots: { rw: [], ro: [], wo: [] } }],
    ['scopes', { scopes: { memory: [] } }],
  ])('of %s is nothing, not everything', (path, given) => {
    const parent = axesOf(PARENT)

    const { axes } = derive(parent, given as Delegation, 'spawn')

    expect(excesses(axes, parent)).toEqual([])
    expect(excesses(parent, axes).length).toBeGreaterThan(0)
    expect(JSON.stringify(axes[path.split('.')[0] as keyof PolicyAxes])).toContain('[]')
  })
})

describe('rules of a delegation', () => {
  it('[S0-22] only add: those of the ancestors stay, first', () => {
    const { axes } = derived({ rules: ['deny read(/x)', 'ask bash(ls:*)'] })

    expect(axes.rules.map((rule) => rule.id)).toEqual([
      'deny bash(git push:*)',
      'r1',
      'deny read(/x)',
      'ask bash(ls:*)',
    ])
  })

  it('[S0-22] that allow are kept and have no effect', () => {
    const { axes } = derived({ rules: ['allow read(/etc/**)', 'allow bash'] })

    expect(axes.rules.slice(2)).toMatchObject([
      { effect: 'allow', effective: false, source: 'session' },
      { effect: 'allow', effective: false, source: 'session' },
    ])
  })

  it.each([
    ['another effect', [{ id: 'r1', effect: 'allow', match: 'read(/etc/**)' }]],
    ['another match', [{ id: 'r1', effect: 'ask', match: 'read(/nowhere)' }]],
    [
      'an exception',
      [{ id: 'r1', effect: 'ask', match: 'read(/etc/**)', except: ['read(/etc/passwd)'] }],
    ],
  ])('cannot take an ancestor’s id for a rule with %s', (_trick, rules) => {
    expect(fault(() => derived({ rules })).code).toBe('duplicate_rule')
  })

  it('may repeat an ancestor’s rule, which then stands once', () => {
    const { axes } = derived({ rules: [{ id: 'r1', effect: 'ask', match: 'read(/etc/**)' }] })

    expect(axes.rules).toHaveLength(2)
  })

  it.each(['builtin:x', 'axis:roots.read', 'default:prompt', 'origin:host', 'grant:1', 'guard:x'])(
    'cannot call themselves `%s`',
    (id) => {
      const rules = [{ id, effect: 'deny', match: 'read' }]

      expect(fault(() => derived({ rules })).code).toBe('invalid_constraint')
    },
  )
})

describe('a delegation that cannot be read', () => {
  it.each<readonly [string, unknown]>([
    ['no object', 'full'],
    ['a list', []],
    ['null', null],
    ['an unknown key', { workmode: 'plan' }],
    ['a reserved key', { version: 1 }],
    ['an unknown work mode', { workMode: 'god' }],
    ['a work mode in another case', { workMode: 'PLAN' }],
    ['an unknown capability', { capabilities: ['fs.everything'] }],
    ['a capability in another case', { capabilities: ['FS.read'] }],
    ['a wildcard for capabilities', { capabilities: ['*'] }],
    ['both names of one axis', { workMode: 'plan', capabilities: [] }],
    ['a tool scope as null', { tools: null }],
    ['a magic zero of time', { sandbox: { limits: { timeoutMs: 0 } } }],
    ['a magic minus one', { sandbox: { limits: { processes: -1 } } }],
    ['a limit as null', { sandbox: { limits: { memoryBytes: null } } }],
    ['a fraction', { sandbox: { limits: { timeoutMs: 0.5 } } }],
    ['infinity', { sandbox: { limits: { timeoutMs: Infinity } } }],
    ['a magic zero of asks', { budgets: { asksPending: 0 } }],
    ['a budget as null', { budgets: { asksPending: null } }],
    ['another word for no limit', { budgets: { asksPending: 'infinite' } }],
    ['depth zero', { delegation: { spawnDepth: 0 } }],
    ['a depth as text', { delegation: { spawnDepth: '1' } }],
    ['a pattern as a program', { commands: ['*'] }],
    ['a path as a program', { commands: ['/bin/git'] }],
    ['every host', { network: { mode: 'grant', allow: ['*'] } }],
    ['an empty path', { roots: { rw: [''] } }],
    ['a scope with a prototype’s name in capitals', { scopes: { __PROTO__: [] } }],
    ['an unknown approval policy', { toolApproval: 'accept_everything' }],
    ['another ceiling', { approvalCeiling: 'child' }],
    ['a prototype key', JSON.parse('{"__proto__":{"workMode":"full"}}')],
    ['a prototype', Object.create({ workMode: 'full' })],
    ['an inner prototype key', JSON.parse('{"sandbox":{"__proto__":{"mode":"open"}}}')],
    ['a class instance', new Map([['workMode', 'plan']])],
    ['a function', { workMode: () => 'plan' }],
    ['a date', { scopes: { memory: [new Date(0)] } }],
    ['a lone surrogate', { commands: ['\ud800'] }],
  ])('by %s gives no child', (_what, given) => {
    expect(fault(() => derived(given)).code).toBe('invalid_constraint')
  })

  it.each(['prompt', 'parent', 'route', { policy: 'never' }, true])(
    '[S0-25] because it wants the approval response %s',
    (approvalResponse) => {
      expect(fault(() => derived({ approvalResponse })).code).toBe('fixed_response')
    },
  )

  it('[S0-25] may say the fixed response, which a child has anyhow', () => {
    for (const given of [{}, { approvalResponse: 'never' }]) {
      expect(derived(given).axes.approvalResponse.policy).toBe('never')
    }
  })
})

describe('a folder that is open for reading and, elsewhere, for writing', () => {
  it('is open for both, and a child may have both', () => {
    const parent: PolicyInput = { ...PARENT, roots: { ro: ['/ws/a'], wo: ['/ws'] } }

    expect(axesOf(parent).roots).toEqual({ rw: ['/ws/a'], ro: [], wo: ['/ws'] })
    expect(derived({ roots: { rw: ['/ws/a'], ro: [], wo: [] } }, parent).axes.roots).toEqual({
      rw: ['/ws/a'],
      ro: [],
      wo: [],
    })
  })
})

describe('roots that leave a key out', () => {
  it('open nothing by it, in a child as in a tightening of its parent', () => {
    const root = axesOf({ ...PARENT, roots: undefined })
    const child = derive(root, { roots: { ro: ['/ws/docs'] } }, 'spawn').axes
    const constraints = narrowingDocument({ roots: { rw: ['/ws/src'] } })

    expect(child.roots).toEqual({ rw: [], ro: ['/ws/docs'], wo: [] })
    expect(tightened(root, constraints).roots).toEqual({ rw: ['/ws/src'], ro: [], wo: [] })
    expect(tightenedBelow(child, constraints).roots).toEqual({ rw: [], ro: [], wo: [] })
  })
})

describe('names that every object has', () => {
  it.each(['constructor', 'valueof', 'tostring'])('are names of scopes like others: %s', (name) => {
    const scopes = { memory: ['me'], [name]: ['a'] }

    const { axes } = derived({ scopes })

    expect(axes.scopes).toEqual(scopes)
    expect(derived({ scopes: { memory: [] } }, { ...PARENT, scopes }).axes.scopes).toEqual({
      memory: [],
      [name]: ['a'],
    })
  })
})

/** Everything in which `child` has more than `parent`, on every axis. */
function excesses(child: PolicyAxes, parent: PolicyAxes): readonly string[] {
  return AXIS_NAMES.flatMap((name) => excessOf(name, child, parent))
}

function excessOf<Name extends keyof PolicyAxes>(
  name: Name,
  child: PolicyAxes,
  parent: PolicyAxes,
): readonly string[] {
  return table[name].exceeds(child[name], parent[name]).map(({ field }) => `${name}.${field}`)
}
