/** What comes out for a child, rows S0-38 to S0-44: the same for a spawn, a fork, and a child in a new process. */

import { describe, expect, it } from 'vitest'
import type { Delegation } from '../../src/contract/delegation.js'
import type { PolicyInput } from '../../src/contract/policy.js'
import type { CallRequest, Session } from '../../src/contract/session.js'
import { definePolicy } from '../../src/policy/define.js'
import { aTool, OPEN } from '../builders/session.js'
import { read } from '../../src/tools/builtin/read.js'
import { write } from '../../src/tools/builtin/write.js'
import { aChild, aFamily, aWorld, WAYS, type Family, type Way } from '../builders/tree.js'
import { useHosts } from './hosts.js'

const { inMemory } = useHosts()

const REACH = aTool(() => 'reached', {
  name: 'reach',
  needs: () => [{ kind: 'host', host: 'example.com' }],
})
const CALLS = {
  read: { tool: 'read', args: { file_path: 'a.txt' } },
  write: { tool: 'write', args: { file_path: 'b.txt', content: 'new' } },
  reach: { tool: 'reach', args: {} },
} as const satisfies Readonly<Record<string, CallRequest>>

/** A delegation that asks for nothing: what its child is refused, an ancestor or its own gate refuses. */
const LISTED: Delegation = {
  toolApproval: { policy: 'whitelist_accept', whitelist: ['read', 'write', 'reach'] },
}
const DEEP = { ...OPEN, delegation: { spawnDepth: 4 } } as const satisfies PolicyInput

function family(way: Way, policy: PolicyInput, delegation: Delegation = LISTED): Promise<Family> {
  const world = aWorld(inMemory, { policy, tools: [read, write, REACH] })
  return aFamily(way, world, delegation)
}

/** How a call ended: `ok`, or the layer, rule and reason that denied it. */
async function ends(session: Session, call: CallRequest): Promise<string> {
  const result = await session.run(call)
  return result.status === 'denied'
    ? `${result.layer} ${result.matchedRule} ${result.reason}`
    : result.status
}

async function chainOf(session: Session, call: CallRequest): Promise<readonly string[]> {
  const outcome = await session.evaluate(call)
  const nodes = await session.chain(outcome.callId)
  return [...nodes].reverse().map((node) => `${node.layer} ${node.decision}`)
}

interface Row {
  readonly row: string
  readonly policy: PolicyInput
  readonly delegation?: Delegation
  readonly call: keyof typeof CALLS
  readonly ends: string
}

const ROWS: readonly Row[] = [
  {
    row: '[S0-38] a parent in `ro` has a child that cannot write',
    policy: { ...OPEN, workMode: 'ro' },
    call: 'write',
    ends: 'work_mode builtin:missing_capability missing_capability',
  },
  {
    row: '[S0-38] and one that reads',
    policy: { ...OPEN, workMode: 'ro' },
    call: 'read',
    ends: 'ok',
  },
  {
    row: '[S0-39] a parent without network has a child without network',
    policy: { ...OPEN, network: 'off' },
    call: 'reach',
    ends: 'network builtin:network_off network_off',
  },
  {
    row: '[S0-39] whatever its delegation says',
    policy: { ...OPEN, network: 'off' },
    delegation: { ...LISTED, network: 'on' },
    call: 'reach',
    ends: 'network builtin:network_off network_off',
  },
  {
    row: '[S0-40] an ancestor denies and the child allows: denied',
    policy: { ...OPEN, rules: ['deny write(@workspace)'] },
    delegation: { ...LISTED, rules: ['allow write(@workspace)', 'allow write'] },
    call: 'write',
    ends: 'user_rule deny write(@workspace) rule',
  },
  {
    row: '[S0-41] an ancestor asks and the child allows: asked, and denied',
    policy: { ...OPEN, rules: ['ask write(@workspace)'] },
    delegation: { ...LISTED, rules: ['allow write(@workspace)', 'allow write'] },
    call: 'write',
    ends: 'approval_response default:never never',
  },
  {
    row: '[S0-42] the delegation chose nothing to run unasked: asked, and denied',
    policy: OPEN,
    delegation: {},
    call: 'write',
    ends: 'approval_response default:never never',
  },
  {
    row: '[S0-42] the delegation chose to ask always: asked, and denied',
    policy: { ...OPEN, rules: ['allow write(@workspace)'] },
    delegation: { toolApproval: 'always_ask' },
    call: 'write',
    ends: 'approval_response default:never never',
  },
  {
    row: '[S0-42] the delegation chose what may run unasked: it runs',
    policy: OPEN,
    call: 'write',
    ends: 'ok',
  },
]

describe.each(WAYS)('a child by %s', (way) => {
  it.each(ROWS)('$row', async ({ policy, delegation, call, ends: expected }) => {
    const { child } = await family(way, policy, delegation)

    expect(await ends(child, CALLS[call])).toBe(expected)
  })

  it('[S0-41] shows the ask and then the denial in its trace', async () => {
    const { child } = await family(way, { ...OPEN, rules: ['ask write(@workspace)'] })

    expect(await chainOf(child, CALLS.write)).toEqual([
      'work_mode allow',
      'network no_match',
      'user_rule ask',
      'approval_response deny',
    ])
  })

  it('[S0-43] is under a tightening of its parent at once', async () => {
    const { parent, child } = await family(way, OPEN)
    const before = await ends(child, CALLS.write)

    const durable = parent.tighten({ rules: ['deny write'] })
    const during = await ends(child, CALLS.write)
    await durable

    expect(before).toBe('ok')
    expect(during).toBe('user_rule deny write rule')
  })

  it('[S0-43] keeps what it was tightened to when its parent is restored', async () => {
    const { world, parent, child } = await family(way, OPEN)
    await parent.tighten({ workMode: 'ro', network: 'off' })

    await world.host().sixgate.replacePolicy(parent, definePolicy(OPEN))

    expect(await ends(parent, CALLS.write)).toBe('ok')
    expect(await ends(child, CALLS.write)).toMatch(/^work_mode builtin:missing_capability/)
    expect(await ends(child, CALLS.reach)).toBe('network builtin:network_off network_off')
  })

  it('[S0-44] has children of its own under the rules of all of them', async () => {
    const { child: first } = await family(way, DEEP, { ...LISTED, rules: ['deny reach'] })
    const second = await aChild(way, first, { ...LISTED, rules: ['ask read'] })

    const third = await aChild(way, second, { ...LISTED, rules: ['allow read', 'allow reach'] })

    expect(await ends(third, CALLS.reach)).toBe('user_rule deny reach rule')
    expect(await ends(third, CALLS.read)).toBe('approval_response default:never never')
    expect(await ends(third, CALLS.write)).toBe('ok')
  })

  it('[S0-44] binds its grandchildren when it is tightened', async () => {
    const { parent, child } = await family(way, DEEP)
    const grandchild = await aChild(way, child, LISTED)
    const deeper = await aChild(way, grandchild, LISTED)

    await parent.tighten({ workMode: 'ro' })

    for (const one of [parent, child, grandchild, deeper]) {
      expect(await ends(one, CALLS.write)).toMatch(/^work_mode builtin:missing_capability/)
    }
  })
})
