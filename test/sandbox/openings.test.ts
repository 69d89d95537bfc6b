/** What a policy opens beyond the rest of its sandbox: who gets it, and what layer 6 makes of it. */

import { describe, expect, it } from 'vitest'
import type { Delegation } from '../../src/contract/delegation.js'
import type { PolicyInput } from '../../src/contract/policy.js'
import { derive } from '../../src/delegation/derive.js'
import { narrowingDocument } from '../../src/delegation/narrow.js'
import { tightened } from '../../src/delegation/tighten.js'
import { definePolicy } from '../../src/policy/define.js'
import type { PolicyAxes } from '../../src/policy/effective-policy.js'
import { unite } from '../../src/policy/unite.js'
import { createTestSixgate } from '../../src/testing/create-test-sixgate.js'
import { bash } from '../../src/tools/builtin/bash.js'

const OPEN = { git: 'write', packageStores: 'writable', scratch: 'session' } as const
const CLOSED = { git: 'read', packageStores: 'guarded', scratch: 'call' } as const

function axesOf(sandbox: PolicyInput['sandbox']): PolicyAxes {
  return unite([definePolicy({ workMode: 'full', sandbox })])
}

describe.each(['git', 'packageStores', 'scratch'] as const)('`sandbox.%s`', (name) => {
  const open = axesOf({ [name]: OPEN[name] })
  const closed = axesOf({ [name]: CLOSED[name] })

  it('is closed unless it is stated, and a policy that states so has the same digest', () => {
    expect(axesOf({}).sandbox[name]).toBeUndefined()
    expect(definePolicy({ sandbox: { [name]: CLOSED[name] } }).digest).toBe(
      definePolicy({ sandbox: {} }).digest,
    )
    expect(open.sandbox[name]).toBe(OPEN[name])
  })

  it('is open in several policies only if all that state a sandbox open it', () => {
    const both = unite([
      definePolicy({ sandbox: { [name]: OPEN[name] } }),
      definePolicy({ sandbox: { mode: 'open' } }),
    ])

    expect(both.sandbox[name]).toBeUndefined()
  })

  it('is given to a child only by a parent that has it', () => {
    const given: Delegation = { sandbox: { [name]: OPEN[name] } }

    expect(derive(open, {}, 'spawn').axes.sandbox[name]).toBe(OPEN[name])
    expect(derive(open, given, 'spawn')).toMatchObject({ clamped: [] })
    const { axes, clamped } = derive(closed, given, 'spawn')
    expect(axes.sandbox[name]).toBeUndefined()
    expect(clamped).toMatchObject([
      { axis: 'sandbox', field: name, parent: CLOSED[name], given: OPEN[name] },
    ])
  })

  it('is taken away by a delegation and a tightening, and given by none', () => {
    const narrowing = { sandbox: { [name]: CLOSED[name] } }

    expect(derive(open, narrowing, 'fork').axes.sandbox[name]).toBeUndefined()
    const less = tightened(open, narrowingDocument(narrowing))
    expect(less.sandbox[name]).toBeUndefined()
    expect(() =>
      tightened(closed, narrowingDocument({ sandbox: { [name]: OPEN[name] } })),
    ).toThrowError(expect.objectContaining({ code: 'escalation' }))
  })

  it('refuses another word', () => {
    const sandbox = JSON.parse(`{"${name}": "yes"}`) as PolicyInput['sandbox']

    expect(() => definePolicy({ sandbox })).toThrowError(
      expect.objectContaining({ code: 'invalid_value' }),
    )
  })
})

describe('a redirect into the repository', () => {
  async function verdict(command: string, sandbox: PolicyInput['sandbox']): Promise<unknown> {
    const sixgate = createTestSixgate(
      {
        policy: definePolicy({ workMode: 'full', rules: ['allow bash'], sandbox }),
        workspace: '/ws',
        tools: [bash],
        responder: 'suspend',
      },
      { links: {}, home: '/home/u', sandbox: 'ready' },
    )
    const session = await sixgate.session()
    const { decision, visits } = await session.check({ tool: 'bash', args: { command } })
    return [decision, visits.at(-1)?.matchedRule]
  }

  it('is denied without the profile', async () => {
    expect(await verdict('echo x > .git/description', {})).toEqual([
      'deny',
      'builtin:protected_path',
    ])
  })

  it('is a question of the escalation alone under it', async () => {
    expect(await verdict('echo x > .git/description', { git: 'write' })).toEqual([
      'ask',
      'builtin:escalation.protected_metadata',
    ])
  })

  it.each([
    '.git',
    '.git/config',
    '.Git/Config',
    '.git/hooks/pre-commit',
    '.git/info',
    '.git/info/attributes',
    '.git/worktrees/a/commondir',
    '.git/modules/a/config',
    '.git/commondir',
    '.git/a/.git/hooks/x',
    'sub/.git/description',
    '.vscode/tasks.json',
    '.git/../.envrc',
  ])('stays denied under it at %s', async (path) => {
    expect(await verdict(`echo x > ${path}`, { git: 'write' })).toEqual([
      'deny',
      'builtin:protected_path',
    ])
  })
})
