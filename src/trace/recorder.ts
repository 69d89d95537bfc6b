/**
 * The one writer of a run (trace.md §1, §2): gives each record its envelope, makes its bytes and
 * chains its digest. Order is call order: everything up to the store's `append` is synchronous.
 */

import type { RunId } from '../core/ids.js'
import { RecordError } from '../core/errors.js'
import { canonicalBytes } from '../encoding/canonical.js'
import { leafDigest, sha256 } from '../encoding/digest.js'
import type { Clock } from '../platform/clock.js'
import type { CallId } from '../core/ids.js'
import { integrity } from './integrity.js'
import type { Durability, RunLog } from './ledger.js'
import { RECORD_VERSION, type RecordBody, type TraceRecord } from './records.js'

/** Writes records of one run. Rejections are `RecordError`; whoever waited for the record is denied. */
export interface Recorder {
  readonly runId: RunId
  /** One write, all or nothing, in call order. After a failure nothing is ever written again. */
  readonly write: (bodies: readonly RecordBody[], durability: Durability) => Promise<void>
  /** How many records were accepted, for the counts of `run_end`. */
  readonly size: () => number
  readonly openCalls: () => readonly CallId[]
  readonly close: () => Promise<void>
}

/** Starts a run at seq 0; `log` must be new. */
export function recorder(
  identity: { readonly runId: RunId; readonly ledgerId: string },
  log: RunLog,
  clock: Clock,
): Recorder {
  const chains = integrity()
  let seq = 0
  let prev = genesis(identity.ledgerId, identity.runId)
  let isBroken = false
  let isEnded = false

  function seal(body: RecordBody): Uint8Array {
    if (isEnded) throw new RecordError('writer_closed', 'nothing may follow the end of a run')
    chains.check(body)
    isEnded = body.kind === 'run_end'
    const record: TraceRecord = {
      v: RECORD_VERSION,
      run_id: identity.runId,
      seq,
      prev,
      wall_ms: clock.wallMs(),
      mono_us: clock.monotonicUs(),
      epoch: clock.epoch,
      ...body,
    }
    const bytes = canonicalBytes(record)
    prev = leafDigest(bytes)
    seq += 1
    return bytes
  }

  return {
    runId: identity.runId,
    async write(bodies, durability) {
      // A chain with a hole proves nothing: after one failure every later record is refused.
      if (isBroken) throw new RecordError('writer_poisoned', 'an earlier record was not written')
      try {
        await log.append(bodies.map(seal), durability)
      } catch (cause) {
        isBroken = true
        throw cause instanceof RecordError
          ? cause
          : new RecordError('store_failed', 'the record could not be written', {}, cause)
      }
    },
    size: () => seq,
    openCalls: chains.openCalls,
    close: () => log.close(),
  }
}

/** What the first record chains to; binds a run to its ledger, so that it cannot be spliced elsewhere. */
export function genesis(ledgerId: string, runId: RunId): string {
  return sha256(`sixgate-genesis-v1\n${ledgerId}\n${runId}`)
}
