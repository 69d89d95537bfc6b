/**
 * The one writer of a run (trace.md §1, §2): gives each record its envelope, makes its bytes and
 * chains its digest. Order is call order: everything up to the store's `append` is synchronous.
 */

import type { CallId, RunId } from '../core/ids.js'
import { RecordError } from '../core/errors.js'
import { canonicalLeaf } from '../encoding/canonical.js'
import { sha256 } from '../encoding/digest.js'
import type { Clock } from '../platform/clock.js'
import { integrity } from './integrity.js'
import type { Durability, RunLog } from './ledger.js'
import { RECORD_VERSION, type RecordBody, type TraceRecord } from './records.js'

/** Writes records of one run. Rejections are `RecordError`; whoever waited for the record is denied. */
export interface Recorder {
  readonly runId: RunId
  /** One write, all or nothing, in call order. After a failure nothing is ever written again. */
  readonly write: (bodies: readonly RecordBody[], durability: Durability) => Promise<void>
  /** False once a record was not written: the chain that others would hang on has a hole. */
  readonly isIntact: () => boolean
  /** How many records were accepted, for the counts of `run_end`. */
  readonly size: () => number
  /** Digest of the last record that was handed to the log. */
  readonly head: () => string
  readonly openCalls: () => readonly CallId[]
  readonly close: () => Promise<void>
}

/** Which run is written, and into which ledger. */
export interface RunIdentity {
  readonly runId: RunId
  readonly ledgerId: string
}

/** Where a run that is taken up again goes on. */
export interface Continuation {
  readonly size: number
  /** Digest of the last record. */
  readonly head: string
  /** What the run holds: its chains go on where they stopped. */
  readonly records: readonly TraceRecord[]
}

/** Starts a run at seq 0 over a new log, or goes on with one that was read. */
export function recorder(
  identity: RunIdentity,
  {
    log,
    clock,
    from,
  }: { readonly log: RunLog; readonly clock: Clock; readonly from?: Continuation | undefined },
): Recorder {
  const chain = new Chain(identity, clock, from)
  let isBroken = false
  return {
    runId: identity.runId,
    async write(bodies, durability) {
      // A chain with a hole proves nothing: after one failure every later record is refused.
      if (isBroken) throw new RecordError('writer_poisoned', 'an earlier record was not written')
      try {
        await log.append(chain.seal(bodies), durability)
      } catch (cause) {
        isBroken = true
        throw cause instanceof RecordError
          ? cause
          : new RecordError('store_failed', 'the record could not be written', {}, cause)
      }
    },
    isIntact: () => !isBroken,
    size: () => chain.size,
    head: () => chain.head,
    openCalls: () => chain.openCalls(),
    close: () => log.close(),
  }
}

/** Numbers and links records; what it has sealed it assumes written. */
class Chain {
  private readonly rules = integrity()
  private readonly runId: RunId
  private readonly clock: Clock
  private isEnded = false
  head: string
  size: number

  constructor({ runId, ledgerId }: RunIdentity, clock: Clock, from?: Continuation) {
    this.runId = runId
    this.clock = clock
    this.head = from?.head ?? genesis(ledgerId, runId)
    this.size = from?.size ?? 0
    for (const record of from?.records ?? []) this.rules.check(record)
  }

  seal(bodies: readonly RecordBody[]): readonly Uint8Array[] {
    return bodies.map((body) => this.sealOne(body))
  }

  openCalls(): readonly CallId[] {
    return this.rules.openCalls()
  }

  private sealOne(body: RecordBody): Uint8Array {
    if (this.isEnded) throw new RecordError('writer_closed', 'nothing may follow the end of a run')
    this.rules.check(body)
    this.isEnded = body.kind === 'run_end'
    const record: TraceRecord = {
      v: RECORD_VERSION,
      run_id: this.runId,
      seq: this.size,
      prev: this.head,
      wall_ms: this.clock.wallMs(),
      mono_us: this.clock.monotonicUs(),
      epoch: this.clock.epoch,
      ...body,
    }
    const { line, digest } = canonicalLeaf(record)
    this.head = digest
    this.size += 1
    return line
  }
}

/** What the first record chains to; binds a run to its ledger, so that it cannot be spliced elsewhere. */
export function genesis(ledgerId: string, runId: RunId): string {
  return sha256(`sixgate-genesis-v1\n${ledgerId}\n${runId}`)
}
