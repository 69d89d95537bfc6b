/** `sixgate run --grant` as a person uses it: asked at a terminal, answered by a typed word (sandbox.md §7). */

import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createNativeSandbox } from '../../src/sandbox/select.js'
import { buildCommand, ground, type Ground } from '../cli/command.js'
import { CLIENT, clientLine } from './inside.js'
import { anOrigin, type Origin } from './mediated.js'

const hasScript = String(spawnSync('script', ['--version']).stdout).includes('util-linux')
let built: Awaited<ReturnType<typeof buildCommand>>
let here: Ground
let there: Origin
let reason: string | null = hasScript ? null : '`script` of util-linux gives the pseudo terminal'

beforeAll(async () => {
  built = await buildCommand()
  const row = (await createNativeSandbox().probe()).guarantees.network_grant
  if (row.status !== 'enforced') reason ??= row.cause
  if (reason !== null) console.warn(`grants at a terminal are skipped: ${reason}`)
}, 60_000)
afterAll(() => built.remove())
beforeEach(async () => {
  here = ground(built.file)
  there = await anOrigin()
  writeFileSync(join(here.workspace, 'client.cjs'), CLIENT)
  here.file(
    'policy.json',
    JSON.stringify({ workMode: 'full', network: 'grant', toolApproval: 'accept_all' }),
  )
})
afterEach(async () => {
  await there.close()
  here.remove()
})

/** Runs the command at a pseudo terminal and types `answer` once it is asked. */
function atTerminal(
  options: string,
  answer: string,
): Promise<{ text: string; code: number | null }> {
  const policy = join(here.workspace, '../policy.json')
  const client = clientLine(`127.0.0.1:${there.port}`)
  const line = `${process.execPath} ${built.file} run --policy ${policy} ${options} -- '${client}'`
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd: here.workspace,
    env: { ...process.env, XDG_STATE_HOME: here.state },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let text = ''
  let isAsked = false
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
    if (isAsked || !text.includes('network_grant') || !/yes.*$/.test(text)) return
    isAsked = true
    child.stdin.write(`${answer}\n`)
  })
  return new Promise((resolve) => child.once('close', (code) => resolve({ text, code })))
}

describe('sixgate run --grant', () => {
  it('[S1-38] lets the command reach the one origin that a person agreed to', async (context) => {
    if (reason !== null) return context.skip(reason)
    const ran = await atTerminal(`--grant 127.0.0.1:${there.port} --allow-private`, 'yes')

    expect(ran.text).toContain(`127.0.0.1:${there.port}`)
    expect(ran.text).toContain('<hello>')
    expect(ran.code).toBe(0)
    expect(there.text()).toBe('hello')
  })

  it('[S1-37] starts nothing when the person says no', async (context) => {
    if (reason !== null) return context.skip(reason)
    const ran = await atTerminal(`--grant 127.0.0.1:${there.port} --allow-private`, 'no')

    expect(ran.code).toBe(4)
    expect(there.sockets).toHaveLength(0)
  })

  it('opens no private address without a word for it', async (context) => {
    if (reason !== null) return context.skip(reason)
    const ran = await atTerminal(`--grant 127.0.0.1:${there.port}`, 'yes')

    expect(ran.text).toContain('403 Forbidden')
    expect(there.sockets).toHaveLength(0)
  })

  it('[S1-37] denies where nobody can be asked', () => {
    const policy = join(here.workspace, '../policy.json')

    const ran = here.sixgate(['run', '--policy', policy, '--grant', 'a.example', '--', 'true'])

    expect(ran.code).toBe(3)
  })

  it.each(['', ':80', 'a:b', 'a:0', 'a:65536', 'a:1:2', '::1', 'a b', '[::1', '[::1]x'])(
    '[S1-36] takes %j for no origin',
    (grant) => {
      const ran = here.sixgate(['run', `--grant=${grant}`, '--', 'true'])

      expect(ran.code).toBe(64)
      expect(ran.stderr).toContain('--grant')
    },
  )

  it('[S1-35] asks for no host with a wildcard', () => {
    const policy = join(here.workspace, '../policy.json')

    const ran = here.sixgate(['run', '--policy', policy, '--grant', '*.example', '--', 'true'])

    expect(ran.code).toBe(4)
    expect(ran.stderr).toContain('invalid_escalation')
  })
})
