/** Parts that fail or lie: what enforcement must survive. */

import type { SandboxDriver } from '../../src/contract/sandbox.js'
import type { OpenStore, Store } from '../../src/contract/session.js'
import type { Durability, RunLog } from '../../src/trace/ledger.js'
import type { RecordBody } from '../../src/trace/records.js'
import { memoryStore } from '../../src/store/memory.js'

/** What one append holds. */
export interface Append {
  readonly kinds: readonly RecordBody['kind'][]
  readonly durability: Durability
  /** Counts from 0, over every run of the store. */
  readonly index: number
}

/** Does what it likes around each append; throwing refuses it. */
export type Around = (append: Append, next: () => Promise<void>) => Promise<void>

/** A store whose every append goes through `around`. */
export function watchedStore(around: Around, inner: Store = memoryStore()): Store {
  let index = 0
  const log = (real: RunLog): RunLog => ({
    append(lines, durability) {
      const kinds = lines.map((line) => kindOf(line))
      return around({ kinds, durability, index: index++ }, () => real.append(lines, durability))
    },
    close: () => real.close(),
  })
  const ledger = (real: OpenStore): OpenStore => ({
    ...real,
    createRun: async (run) => log(await real.createRun(run)),
  })
  return { ...inner, open: async (id) => ledger(await inner.open(id)) }
}

/** A store that refuses every append for which `fails` says so. */
export function failingStore(fails: (append: Append) => boolean, inner?: Store): Store {
  return watchedStore(async (append, next) => {
    if (fails(append)) throw new Error('the disk is gone')
    return next()
  }, inner)
}

function kindOf(line: Uint8Array): RecordBody['kind'] {
  return (JSON.parse(new TextDecoder().decode(line)) as { kind: RecordBody['kind'] }).kind
}

/** A driver with some parts replaced. */
export function aLyingDriver(honest: SandboxDriver, lies: Partial<SandboxDriver>): SandboxDriver {
  return { ...honest, ...lies }
}
