/** The `patch` tool in a session: each file that a patch names is judged before any is changed. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { PolicyInput } from '../../src/contract/policy.js'
import { patch } from '../../src/tools/builtin/patch.js'
import { aHost, OPEN, type Host } from '../builders/session.js'

const hosts: Host[] = []
afterEach(() => {
  for (const { ground } of hosts.splice(0)) ground.clear()
})

function aPatchHost(policy: PolicyInput): Host {
  const host = aHost({ policy, tools: [patch] })
  hosts.push(host)
  mkdirSync(join(host.ground.workspace, 'secret'))
  writeFileSync(join(host.ground.workspace, 'secret/b'), 'text')
  return host
}

const section = (path: string): string => `*** Update File: ${path}\n@@\n-text\n+changed\n`
const patchOf = (...paths: readonly string[]): string =>
  `*** Begin Patch\n${paths.map(section).join('')}*** End Patch\n`

describe('a patch in a session', () => {
  it('changes what the policy lets it change', async () => {
    const host = aPatchHost({ ...OPEN, rules: ['deny write(secret/**)'] })
    const session = await host.session()

    const result = await session.run({ tool: 'patch', args: { patch: patchOf('a.txt') } })

    expect(result).toMatchObject({ status: 'ok' })
    expect(host.ground.text(join(host.ground.workspace, 'a.txt'))).toBe('changed')
    await session.close()
    await host.verify()
  })

  it.each([
    ['deny write(secret/**)', 'user_rule'],
    ['deny read(secret/**)', 'user_rule'],
    ['deny patch(secret/**)', 'user_rule'],
  ])('is denied as a whole when `%s` meets one of its files', async (rule, layer) => {
    const host = aPatchHost({ ...OPEN, rules: ['allow patch', rule] })
    const session = await host.session()

    const args = { patch: patchOf('a.txt', 'secret/b') }
    const result = await session.run({ tool: 'patch', args })

    expect(result).toMatchObject({ status: 'denied', layer, matchedRule: rule })
    expect(host.ground.text(join(host.ground.workspace, 'a.txt'))).toBe('text')
  })

  it('is not allowed by a rule that covers some of its files', async () => {
    const rules = ['allow patch(a.txt)']
    const host = aPatchHost({ ...OPEN, toolApproval: 'deny_unlisted', rules })
    const session = await host.session()

    const one = await session.check({ tool: 'patch', args: { patch: patchOf('a.txt') } })
    const both = await session.check({
      tool: 'patch',
      args: { patch: patchOf('a.txt', 'secret/b') },
    })

    expect([one.decision, both.decision]).toEqual(['allow', 'deny'])
  })

  it('needs `fs.write` and may not leave the writable folders', async () => {
    const host = aPatchHost({ ...OPEN, workMode: 'ro' })
    const open = aPatchHost(OPEN)

    const args = { patch: patchOf('a.txt') }
    const readOnly = await (await host.session()).run({ tool: 'patch', args })
    const outside = await (
      await open.session()
    ).run({ tool: 'patch', args: { patch: patchOf('../out/x') } })

    expect(readOnly).toMatchObject({ status: 'denied', reason: 'missing_capability' })
    expect(outside).toMatchObject({ status: 'denied', reason: 'outside_profile' })
  })

  it('is invalid when it cannot be read, and a person is told where', async () => {
    const host = aPatchHost(OPEN)
    const session = await host.session()
    const text = '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,1 @@\n-text\n'

    const result = await session.run({ tool: 'patch', args: { patch: text } })

    expect(result).toMatchObject({
      status: 'denied',
      layer: 'work_mode',
      reason: 'invalid_args',
      humanMessage: expect.stringContaining('hunk 1 of `a.txt`') as string,
    })
  })
})
