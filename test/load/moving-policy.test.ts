import { describe, expect, it } from 'vitest'
import type { Policy } from '../../src/contract/policy.js'
import type { Session } from '../../src/contract/session.js'
import type { PathResolver } from '../../src/platform/path-resolver.js'
import { definePolicy } from '../../src/policy/define.js'
import { aHost, aWorkspace, memoryPaths, type Host } from './host.js'

const WORKSPACE = aWorkspace()
const OPEN = definePolicy({ workMode: 'full', toolApproval: 'accept_all' })
const SHUT = definePolicy({ workMode: 'full', rules: ['deny work'] })

describe('a policy that moves while the facts of a call are gathered', () => {
  it('is the one that the call is judged by', async () => {
    const { host, session } = await aMovingHost((count) => (count === 1 ? SHUT : null))

    const outcome = await session.evaluate({ tool: 'work', args: { path: 'a' }, callId: 'c1' })

    expect(outcome).toMatchObject({ status: 'denied', matchedRule: 'deny work' })
    const nodes = (await host.records()).flatMap((one) => (one.kind === 'decision' ? [one] : []))
    expect(new Set(nodes.map((node) => node.policy_revision))).toEqual(new Set([session.revision]))
  })

  it('does not keep the call from ending, however often it moves', async () => {
    const { session } = await aMovingHost(() => OPEN)

    const outcome = await session.evaluate({ tool: 'work', args: { path: 'a' }, callId: 'c1' })

    expect(outcome.status).toBe('admitted')
  })
})

/** Each look at a path of a call may bring the next policy. */
async function aMovingHost(
  next: (count: number) => Policy | null,
): Promise<{ readonly host: Host; readonly session: Session }> {
  let looks = 0
  const inner = memoryPaths()
  const paths: PathResolver = {
    ...inner,
    async resolve(path) {
      if (path.endsWith('/a')) {
        looks += 1
        const policy = next(looks)
        if (policy !== null) await host.sixgate.replacePolicy(session, policy)
      }
      return inner.resolve(path)
    },
  }
  const host = aHost({ workspace: WORKSPACE, policy: OPEN, paths, execute: () => null })
  const session = await host.sixgate.session()
  return { host, session }
}
