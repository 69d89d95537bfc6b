/** Hosts of one test file: made on demand, and after each test closed, held against the oracle and cleared. */

import { afterEach, expect } from 'vitest'
import type { TraceRecord } from '../../src/trace/records.js'
import { aFileHost, aHost, type Ground, type Host, type HostParts } from '../builders/session.js'

/** Two makers: with records as files, and with records in memory (or in the store that is given). */
export interface Hosts {
  readonly onDisk: (parts?: HostParts, ground?: Ground) => Host
  readonly inMemory: (parts?: HostParts, ground?: Ground) => Host
}

/** Call it once, at the top of a test file. No test may leave a rejection that nobody handles. */
export function useHosts(): Hosts {
  const hosts: Host[] = []
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  afterEach(async () => {
    for (const host of hosts.splice(0)) {
      // A store that was made to fail cannot take the end of a run; what it holds must still be sound.
      await Promise.resolve(host.sixgate[Symbol.asyncDispose]()).catch(() => undefined)
      await host.verify()
      host.ground.clear()
    }
    expect(unhandled.splice(0)).toEqual([])
  })
  const kept = (host: Host): Host => {
    hosts.push(host)
    return host
  }
  return {
    onDisk: (parts, ground) => kept(aFileHost(parts, ground)),
    inMemory: (parts, ground) => kept(aHost(parts, ground)),
  }
}

/** Records of one kind, in order. */
export function ofKind<K extends TraceRecord['kind']>(
  records: readonly TraceRecord[],
  kind: K,
): readonly (TraceRecord & { readonly kind: K })[] {
  return records.filter((one): one is TraceRecord & { readonly kind: K } => one.kind === kind)
}
