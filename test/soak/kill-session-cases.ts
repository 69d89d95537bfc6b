/** Kills hosts at random points and takes their sessions up again (delegation.md §4, §5). */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { Session, Sixgate } from '../../src/contract/session.js'
import { SnapshotError } from '../../src/core/errors.js'
import type { Tool } from '../../src/contract/tool.js'
import type { SessionId } from '../../src/core/ids.js'
import { definePolicy } from '../../src/policy/define.js'
import { createSixgate } from '../../src/sixgate.js'
import { jsonlStore } from '../../src/store/jsonl.js'
import { defineTool } from '../../src/tools/define-tool.js'

export interface KillPlan {
  readonly cases: number
  readonly seed: number
  /** The bundled `kill-session-child.ts`. */
  readonly child: string
}

/** One sentence for each session that came back looser, or ran something twice. */
export async function killSession({ cases, seed, child }: KillPlan): Promise<readonly string[]> {
  const random = generator(seed)
  const failures: string[] = []
  for (let n = 0; n < cases; n += 1) {
    const folder = await mkdtemp(join(tmpdir(), 'sixgate-kill-session-'))
    try {
      const [ledger, workspace] = [join(folder, 'ledger'), join(folder, 'ws')]
      await mkdir(workspace)
      const steps = await runUntilKilled(child, [ledger, workspace], random() * 250)
      for (const one of await lookAt(ledger, workspace, steps)) failures.push(`case ${n}: ${one}`)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  return failures
}

async function runUntilKilled(
  child: string,
  args: readonly string[],
  afterMs: number,
): Promise<readonly string[]> {
  const host = spawn(process.execPath, [child, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  host.stdout.setEncoding('latin1')
  host.stdout.on('data', (text: string) => (said += text))
  await Promise.race([once(host.stdout, 'data'), once(host, 'exit')])
  await new Promise((resolve) => setTimeout(resolve, afterMs))
  host.kill('SIGKILL')
  await once(host, 'close')
  // A step without its LF may be cut short; it then counts as not acknowledged.
  return said.split('\n').slice(0, -1)
}

async function lookAt(
  ledger: string,
  workspace: string,
  steps: readonly string[],
): Promise<readonly string[]> {
  const ran = new Set(steps.flatMap((step) => /^ran (\S+)$/.exec(step)?.[1] ?? []))
  const twice: string[] = []
  const sixgate = aHost(ledger, workspace, (mark) => {
    if (ran.has(mark)) twice.push(`${mark} ran twice`)
  })
  try {
    const ids = steps.flatMap((step) => /^(?:root|child) (\S+)$/.exec(step)?.[1] ?? [])
    const reused = new Set(ids).size === ids.length ? [] : ['a session id was used twice']
    const found: string[] = []
    for (const id of ids) found.push(...(await wrongWith(sixgate, id as SessionId, { ids, steps })))
    return [...reused, ...found, ...twice]
  } finally {
    await sixgate[Symbol.asyncDispose]()
  }
}

function aHost(ledger: string, workspace: string, runs: (mark: string) => void): Sixgate {
  const tool = (name: string): Tool<unknown> =>
    defineTool({
      name,
      inputSchema: z.unknown(),
      needs: () => [],
      execute: (args) => runs(String(Reflect.get(Object(args) as object, 'mark'))),
    })
  return createSixgate({
    workspace,
    store: jsonlStore(ledger),
    policy: definePolicy({ workMode: 'full', network: 'on', toolApproval: 'accept_all' }),
    tools: ['probe', ...Array.from({ length: 200 }, (_, n) => `other_${n}`)].map(tool),
  })
}

interface Said {
  readonly ids: readonly string[]
  readonly steps: readonly string[]
}

/** Its own acknowledged tightenings, and those of the root: all of them bind it, or it does not come back. */
async function wrongWith(sixgate: Sixgate, id: SessionId, said: Said): Promise<readonly string[]> {
  const session = await sixgate.resume(id).catch((fault: unknown) => fault)
  if (session instanceof SnapshotError) return []
  if (session instanceof Error) return [`${id} rejected with ${String(session)}`]
  const live = session as Session
  const wrong: string[] = []
  for (const tool of tightenedBy([id, said.ids[0] ?? ''], said.steps)) {
    const { decision } = await live.check({ tool, args: { mark: 'check' } })
    if (decision !== 'deny') wrong.push(`${id} lost \`deny ${tool}\``)
  }
  for (const mark of said.steps.flatMap((step) => /^ran (\S+)$/.exec(step)?.[1] ?? [])) {
    const [owner, callId = ''] = mark.split(':')
    if (owner === id) await live.run({ callId, tool: 'probe', args: { mark } })
  }
  return wrong
}

function tightenedBy(ids: readonly string[], steps: readonly string[]): readonly string[] {
  return steps.flatMap((step) => {
    const [, by = '', tool] = /^tight (\S+) deny (\S+)$/.exec(step) ?? []
    return tool !== undefined && ids.includes(by) ? [tool] : []
  })
}

/** A small deterministic generator of numbers in [0, 1): a failing seed can be tried again. */
function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
