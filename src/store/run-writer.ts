/**
 * The one writer of a run (trace.md §4): call order, one write for callers of the same moment, one
 * flush for those who wait together, and poison after the first failure.
 */

import { RecordError } from '../core/errors.js'
import type { Durability, RunLog } from '../trace/ledger.js'
import { recordFault } from './fault.js'
import { joinBatches, joinLines } from './lines.js'

/** Where bytes go. What it throws or rejects with poisons the writer. */
export interface Medium {
  /** Takes all bytes or throws; nothing of a refused batch may be read back as accepted later. */
  readonly write: (bytes: Uint8Array) => void
  /** Everything written before the call is on the medium when it resolves. */
  readonly flush: () => Promise<void>
  /** Gives up ownership; `clean` when every append was accepted. */
  readonly release: (clean: boolean) => Promise<void>
}

/**
 * A log over a medium. An append that fails for whatever reason poisons it, also when the medium
 * could undo the failed write: the caller has already chained its next record to the lost one. All
 * that was acknowledged before stays; `Ledger.reopenRun` continues from there after `close`.
 */
export class RunWriter implements RunLog {
  readonly #medium: Medium
  #waiting: Entry[] = []
  #unflushed: Entry[] = []
  #flushing: Promise<void> | undefined
  #isDirty = false
  #fault: RecordError | undefined
  #closing: Promise<void> | undefined

  constructor(medium: Medium) {
    this.#medium = medium
  }

  readonly append = (lines: readonly Uint8Array[], durability: Durability): Promise<void> =>
    new Promise((resolve, reject) => {
      const refusal = this.#refusal()
      if (refusal !== undefined) {
        reject(refusal)
        return
      }
      try {
        this.#waiting.push({ bytes: joinLines(lines), durability, resolve, reject })
      } catch (cause) {
        // Those called earlier in this moment are not at fault; this caller and all later are denied.
        this.#write()
        this.#poison(cause)
        reject(recordFault(cause, 'append'))
        return
      }
      if (this.#waiting.length === 1) queueMicrotask(() => this.#write())
    })

  readonly close = (): Promise<void> => (this.#closing ??= this.#finish())

  #refusal(): RecordError | undefined {
    if (this.#closing !== undefined)
      return new RecordError('writer_closed', 'the run log is closed')
    return this.#fault === undefined ? undefined : poisoned(this.#fault)
  }

  #poison(cause: unknown): RecordError {
    const fault = recordFault(cause, 'append')
    this.#fault ??= fault
    return fault
  }

  #write(): void {
    const entries = this.#waiting
    this.#waiting = []
    if (entries.length === 0) return
    try {
      if (this.#fault !== undefined) throw poisoned(this.#fault)
      const bytes = joinBatches(entries.map((entry) => entry.bytes))
      if (bytes.length > 0) this.#medium.write(bytes)
      this.#isDirty ||= bytes.length > 0
    } catch (cause) {
      // Nothing of this write is acknowledged to anyone, and no later append is taken.
      const fault = this.#poison(cause)
      for (const entry of entries) entry.reject(fault)
      return
    }
    for (const entry of entries) {
      if (entry.durability === 'written') entry.resolve()
      else this.#unflushed.push(entry)
    }
    if (this.#unflushed.length > 0) this.#flushing ??= this.#flush()
  }

  /** Whoever comes while one flush runs shares the next. */
  async #flush(): Promise<void> {
    while (this.#unflushed.length > 0) {
      const entries = this.#unflushed
      this.#unflushed = []
      try {
        await this.#sync()
        for (const entry of entries) entry.resolve()
      } catch (cause) {
        // Never flushed a second time: after a failed flush the system may have dropped the pages and
        // would report success. None of these callers may count on its records.
        const fault = this.#poison(cause)
        for (const entry of entries.concat(this.#unflushed.splice(0))) entry.reject(fault)
      }
    }
    this.#flushing = undefined
  }

  async #sync(): Promise<void> {
    if (!this.#isDirty) return
    this.#isDirty = false
    await this.#medium.flush()
  }

  async #finish(): Promise<void> {
    this.#write()
    await this.#flushing
    try {
      if (this.#fault === undefined) await this.#sync()
    } catch (cause) {
      // Ownership is given up all the same; the host learns that the tail may not be on the medium.
      const fault = this.#poison(cause)
      await this.#release()
      throw fault
    }
    await this.#release()
  }

  async #release(): Promise<void> {
    try {
      await this.#medium.release(this.#fault === undefined)
    } catch (cause) {
      // Nothing is lost, but the run may stay locked until this process ends.
      throw recordFault(cause, 'close the run')
    }
  }
}

interface Entry {
  readonly bytes: Uint8Array
  readonly durability: Durability
  readonly resolve: () => void
  readonly reject: (fault: RecordError) => void
}

function poisoned(first: RecordError): RecordError {
  return new RecordError('writer_poisoned', 'an earlier append failed', {}, first)
}
