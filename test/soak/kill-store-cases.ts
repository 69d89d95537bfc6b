/** Kills writers at random points and looks for what they had acknowledged (trace.md §4). */

import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import type { RunId } from '../../src/core/ids.js'
import { systemIds } from '../../src/platform/ids.js'
import { jsonlStore } from '../../src/store/jsonl.js'
import type { Ledger } from '../../src/trace/ledger.js'

export interface KillPlan {
  readonly cases: number
  readonly seed: number
  /** The bundled `kill-store-child.ts`. */
  readonly child: string
}

/** One sentence for each case that lost something; every third run is continued after its first kill. */
export async function killStore({ cases, seed, child }: KillPlan): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sixgate-kill-'))
  const random = generator(seed)
  const failures: string[] = []
  let run = systemIds().run()
  let from = 0
  try {
    for (let n = 0; n < cases; n += 1) {
      if (n % 3 !== 1) {
        run = systemIds().run()
        from = 0
      }
      const acknowledged = await floodUntilKilled(child, [folder, run, `${from}`], random() * 60)
      const ledger = await jsonlStore(folder).open('workspace')
      const found = await recover(ledger, run)
      await ledger.close()
      const isWhole = acknowledged > 0 && found.lines === found.last && found.last >= acknowledged
      if (!isWhole)
        failures.push(`case ${n}: ${acknowledged} acknowledged, ${JSON.stringify(found)}`)
      from = found.last
    }
  } finally {
    await rm(folder, { recursive: true })
  }
  return failures
}

async function floodUntilKilled(
  child: string,
  args: readonly string[],
  afterMs: number,
): Promise<number> {
  const writer = spawn(process.execPath, [child, 'flood', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  writer.stdout.setEncoding('latin1')
  writer.stdout.on('data', (text: string) => (said += text))
  await Promise.race([once(writer.stdout, 'data'), once(writer, 'exit')])
  await new Promise((resolve) => setTimeout(resolve, afterMs))
  writer.kill('SIGKILL')
  await once(writer, 'close')
  // A number without its LF may be cut short; it then counts as not acknowledged.
  return Math.max(0, ...said.split('\n').slice(0, -1).map(Number))
}

/** How many lines the run has, and the number of the last if they count 1, 2, 3 … without a gap. */
async function recover(
  ledger: Ledger,
  run: RunId,
): Promise<{ readonly lines: number; readonly last: number }> {
  const { log } = await ledger.reopenRun(run)
  await log.close()
  let lines = 0
  let last = 0
  for await (const bytes of ledger.read(run)) {
    const [number = '', filling = ''] = new TextDecoder().decode(bytes).split(' ')
    lines += 1
    const isNext = Number(number) === last + 1 && filling.length === (Number(number) * 7919) % 3000
    if (!isNext) return { lines, last: -1 }
    last += 1
  }
  return { lines, last }
}

/** A small deterministic generator of numbers in [0, 1): a failing seed can be tried again. */
function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
