/** A memory store whose writes take time, and around which something else can happen. */

import type { Store } from '../../src/contract/session.js'
import { memoryStore } from '../../src/store/memory.js'
import type { Durability, RunLog } from '../../src/trace/ledger.js'

/** When something happens, seen from one write. */
export const MOMENTS = ['before', 'during', 'after'] as const
export type Moment = (typeof MOMENTS)[number]

/** Told of every write; what it starts is queued behind that write, as it is in a real store. */
export type Watch = (moment: Moment, durability: Durability) => void

/** Keeps call order, whatever the watch appends meanwhile. `turns`: how long a write lasts, in microtasks. */
export function movingStore(watch: Watch, turns: () => number): Store {
  const inner = memoryStore()
  return {
    ...inner,
    open: async (workspaceId) => {
      const ledger = await inner.open(workspaceId)
      return {
        ...ledger,
        createRun: async (run) => moving(await ledger.createRun(run), watch, turns),
      }
    },
  }
}

function moving(log: RunLog, watch: Watch, turns: () => number): RunLog {
  let queue = Promise.resolve()
  return {
    close: async () => {
      await queue
      await log.close()
    },
    append(lines, durability) {
      const turn = queue.then(async () => {
        watch('before', durability)
        await microtasks(turns())
        const written = log.append(lines, durability)
        watch('during', durability)
        await written
        watch('after', durability)
      })
      queue = turn.catch(() => undefined)
      return turn
    },
  }
}

/** Lets that many other continuations run. */
export async function microtasks(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve()
}
