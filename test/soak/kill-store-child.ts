/** A process that owns a run, to be stopped, starved or killed by its test. */

import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { RunId } from '../../src/core/ids.js'
import { jsonlStore } from '../../src/store/jsonl.js'
import type { RunLog } from '../../src/trace/ledger.js'

const [mode, folder = '', run = '', from = '0'] = process.argv.slice(2)
const ledger = await jsonlStore(folder).open('workspace')

if (mode === 'flood') await flood(await own(), Number(from))
else await obey()

function own(): Promise<RunLog> {
  return from === '0'
    ? ledger.createRun(run as RunId)
    : ledger.reopenRun(run as RunId).then(({ log }) => log)
}

/** Numbered lines without end, several appends under way; says a number once it is acknowledged. */
async function flood(log: RunLog, first: number): Promise<void> {
  let next = first
  const lane = async (durability: 'written' | 'durable'): Promise<void> => {
    for (;;) {
      const lines = Array.from({ length: 1 + (next % 5) }, () => {
        next += 1
        return Buffer.from(`${next} ${'x'.repeat((next * 7919) % 3000)}`)
      })
      const last = next
      await log.append(lines, durability)
      writeSync(1, `${last}\n`)
    }
  }
  await Promise.all([lane('written'), lane('durable'), lane('durable')])
}

/** One command a line: `create`, `reopen`, `close`, or text to append; answers `ok` or a code. */
async function obey(): Promise<void> {
  let log: RunLog | undefined
  writeSync(1, 'ready\n')
  for await (const command of createInterface({ input: process.stdin })) {
    try {
      if (command === 'create') log = await ledger.createRun(run as RunId)
      else if (command === 'reopen') log = (await ledger.reopenRun(run as RunId)).log
      else if (command === 'close') await log?.close()
      else await log?.append([Buffer.from(command)], 'durable')
      writeSync(1, 'ok\n')
    } catch (fault) {
      writeSync(1, `${(fault as { readonly code: string }).code}\n`)
    }
  }
}
