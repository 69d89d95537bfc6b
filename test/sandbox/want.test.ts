/** A host that is short of something while it starts a command: each time a typed refusal, and the host lives on. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNativeSandbox, openSandbox } from '../../src/sandbox/entry.js'

const probe = await createNativeSandbox().probe()
const base = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-want-')))
const workspace = join(base, 'ws')
const program = join(base, 'host.mjs')

/** Leaves so many descriptors free, one case after the other, and prints what became of a command. */
const HOST = `
import { closeSync, openSync } from 'node:fs'
import { openSandbox } from './src/sandbox/entry.js'
const sandbox = await openSandbox({ workspace: process.argv[2] })
const outcomes = []
for (let free = 0; free < 14; free++) {
  const held = []
  try { for (;;) held.push(openSync('/dev/null', 'r')) } catch {}
  for (let at = 0; at < free; at++) closeSync(held.pop())
  const run = sandbox.exec({ command: 'echo hi' })
  outcomes.push(await run.then(({ stdout }) => stdout, ({ name, remedy }) => name + ': ' + remedy))
  for (const descriptor of held) closeSync(descriptor)
}
console.log(JSON.stringify([...outcomes, (await sandbox.exec({ command: 'echo end' })).stdout]))
`

beforeAll(async () => {
  mkdirSync(workspace)
  await build({
    stdin: { contents: HOST, resolveDir: '.', loader: 'js' },
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    mainFields: ['module', 'main'],
    logLevel: 'silent',
  })
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

describe.skipIf(probe.status !== 'ready')('a host that is short of something', () => {
  it('refuses a run for want of descriptors, and lives on', () => {
    const line = `ulimit -n 256; exec ${process.execPath} ${program} ${workspace}`
    const { status, stdout, stderr } = spawnSync('/bin/bash', ['-c', line], { encoding: 'utf8' })

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const outcomes = JSON.parse(stdout) as readonly string[]
    expect(outcomes.slice(0, -1).filter((one) => !/^(?:SandboxError: .|hi\n$)/.test(one))).toEqual(
      [],
    )
    expect(outcomes).toContain('SandboxError: raise the limit of open files: ulimit -n')
    expect(outcomes.at(-1)).toBe('end\n')
  })

  it('says what to do about a command that no system takes', async () => {
    const sandbox = await openSandbox({ workspace })

    await expect(sandbox.exec({ command: `: ${'a'.repeat(131_072)}` })).rejects.toMatchObject({
      code: 'setup_failed',
      remedy: 'hand long text to its standard input, or keep it in a file',
    })
  })

  it.each([
    { command: 5 },
    { argv: 'ls' },
    { argv: ['ls', 5] },
    { command: 'true', cwd: 5 },
    { command: 'true', env: { A: 5 } },
    { command: 'true', stdin: 5 },
  ])('refuses %j before anything starts', async (request) => {
    const sandbox = await openSandbox({ workspace })

    await expect(sandbox.exec(request as object)).rejects.toMatchObject({ code: 'setup_failed' })
  })
})
