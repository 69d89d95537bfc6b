/** Reading the runs of a ledger folder (trace.md §4): makes nothing, locks nothing, changes nothing. */

import { RecordError } from '../../core/errors.js'
import type { RunId } from '../../core/ids.js'
import { readChunks } from '../../platform/disk/append-file.js'
import { namesIn } from '../../platform/disk/private-files.js'
import { systemErrorCode } from '../../platform/disk/system-error.js'
import type { Ledger } from '../../trace/ledger.js'
import { faulted, recordFault } from '../fault.js'
import { splitLines } from '../lines.js'
import { runOfFile, runPaths, runsFolder } from './run-paths.js'

/** The reading half of the ledger in a folder. Rejects with `RecordError`, `run_missing` among them. */
export function ledgerReader(folder: string): Pick<Ledger, 'read' | 'runs'> {
  return {
    read: (run) => splitLines(runChunks(folder, run)),
    runs: () => faulted('list the runs', () => listRuns(folder)),
  }
}

async function* runChunks(folder: string, run: RunId): AsyncGenerator<Uint8Array, void, void> {
  const { records } = runPaths(folder, run)
  try {
    yield* readChunks(records)
  } catch (cause) {
    if (systemErrorCode(cause) !== 'ENOENT') throw recordFault(cause, 'read the run')
    throw new RecordError('run_missing', 'no such run', { path: records })
  }
}

async function listRuns(folder: string): Promise<readonly RunId[]> {
  const runs: RunId[] = []
  for (const prefix of await namesIn(runsFolder(folder))) {
    if (!/^[0-9A-Z]{6}$/.test(prefix)) continue
    for (const name of await namesIn(`${runsFolder(folder)}/${prefix}`)) {
      const run = runOfFile(name)
      if (run?.startsWith(prefix) === true) runs.push(run)
    }
  }
  return runs.sort()
}
