/** What `accept_all`, and a bare name in a whitelist, do not accept (pipeline.md §4 note 3): writes that leave the boundary. */

import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PolicyInput } from '../../src/contract/policy.js'
import { fakeSandbox } from '../../src/testing/fake-sandbox.js'
import { aGround, type HostParts } from '../builders/session.js'
import { useHosts } from './hosts.js'

const { inMemory } = useHosts()

const ALL: PolicyInput = { workMode: 'full', network: 'on', toolApproval: 'accept_all' }
const HOME = '/home/u'

/** What is said to a command; whoever could be asked is there. */
async function said(command: string, parts: HostParts = {}): Promise<string> {
  const host = inMemory({
    policy: ALL,
    responder: 'suspend',
    sandbox: fakeSandbox({ status: 'ready' }),
    ...parts,
    ports: { home: HOME, ...parts.ports },
  })
  const session = await host.session()
  const { decision } = await session.check({ tool: 'bash', args: { command } })
  return decision
}

describe('accept_all asks about a command that', () => {
  it.each([
    ['redirects out of the workspace', 'echo x > /etc/app.conf'],
    ['appends there', 'echo x >> /etc/app.conf'],
    ['does so in a part of it', 'ls && (echo x | cat 2> /etc/app.conf)'],
    ['names the file by an option', 'sort -o /etc/app.conf a.txt'],
    ['names it by another option', 'git diff --output=/etc/app.conf'],
    ['climbs out of the private folder', 'echo x > /tmp/../etc/app.conf'],
    ['climbs out of the home', 'echo x > ~/../../etc/app.conf'],
    ['writes to the home by its name on the host', `echo x > ${HOME}/f`],
    ['writes to another home', 'echo x > ~root/f'],
    ['moves the home first', 'export HOME=/etc; echo x > ~/f'],
  ])('%s', async (_, command) => {
    expect(await said(command)).toBe('ask')
  })
})

describe('accept_all accepts a command that', () => {
  it.each([
    ['writes to the workspace', 'echo x > f && sort -o g a.txt'],
    ['writes nowhere', 'ls > /dev/null 2>&1'],
    ['writes to the private temporary folder', 'echo x > /tmp/f'],
    ['writes to the home of its sandbox', 'echo x > ~/f'],
  ])('%s', async (_, command) => {
    expect(await said(command)).toBe('allow')
  })

  it('writes to a folder that the policy opens, which is asked about when it is not', async () => {
    // A folder that is no sandbox's own: not below the temporary folder.
    const policy: PolicyInput = { ...ALL, sandbox: { writable: ['/var/lib'] } }

    expect(await said('echo x > /var/lib/f', { policy })).toBe('allow')
    expect(await said('echo x > /var/lib/f')).toBe('ask')
  })
})

it('the temporary folder is private on Linux alone: elsewhere it is the host’s', async () => {
  const parts: HostParts = {
    ports: { platform: 'darwin' },
    sandbox: fakeSandbox({ status: 'ready', platform: 'darwin' }),
  }

  expect(await said('echo x > /tmp/f', parts)).toBe('ask')
})

it('a link that leads out of the workspace is followed', async () => {
  const ground = aGround()
  symlinkSync('/etc', join(ground.workspace, 'link'))
  const host = inMemory(
    { policy: ALL, responder: 'suspend', sandbox: fakeSandbox({ status: 'ready' }) },
    ground,
  )
  const session = await host.session()

  const check = await session.check({ tool: 'bash', args: { command: 'echo x > link/app.conf' } })

  expect(check.decision).toBe('ask')
})

it.each(['accept_all', { policy: 'whitelist_accept', whitelist: ['bash'] }] as const)(
  'a policy that asks nobody denies it (%j)',
  async (toolApproval) => {
    const policy: PolicyInput = { profile: 'terminal.auto', toolApproval }

    expect(await said('echo x > f', { policy })).toBe('allow')
    expect(await said('echo x > /etc/app.conf', { policy })).toBe('deny')
  },
)
