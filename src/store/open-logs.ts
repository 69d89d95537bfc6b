/** The logs that a ledger has given out, so that closing it closes them (trace.md §1). */

import { RecordError } from '../core/errors.js'
import type { RunLog } from '../trace/ledger.js'

/** After `closeAll` no log is given out: one whose opening was under way is closed again. */
export class OpenLogs {
  readonly #open = new Set<RunLog>()
  #isClosed = false

  /** Remembers what `take` opens; rejects with `writer_closed` once the ledger is closed. */
  async own(take: () => Promise<RunLog>): Promise<RunLog> {
    this.#refuseClosed()
    const log = await take()
    const owned: RunLog = {
      append: log.append,
      close: async () => {
        this.#open.delete(owned)
        await log.close()
      },
    }
    this.#open.add(owned)
    if (this.#isClosed) await owned.close()
    this.#refuseClosed()
    return owned
  }

  async closeAll(): Promise<void> {
    this.#isClosed = true
    const closed = await Promise.allSettled([...this.#open].map((log) => log.close()))
    const failed = closed.find((one) => one.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new RecordError('writer_closed', 'the ledger is closed')
  }
}
