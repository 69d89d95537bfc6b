/** The default store (trace.md §4): a file of lines per run, one owner each, in a private folder. */

import { RecordError } from '../core/errors.js'
import type { RunId } from '../core/ids.js'
import type { Store } from '../contract/session.js'
import { controlDirectory } from '../platform/control-directory.js'
import { networkFileSystem } from '../platform/disk/file-system.js'
import { absolutePath, createPrivateFolder } from '../platform/disk/private-files.js'
import type { Ledger, TornTail } from '../trace/ledger.js'
import { faulted } from './fault.js'
import { ledgerId } from './jsonl/ledger-file.js'
import { ledgerReader } from './jsonl/ledger-reader.js'
import { OpenLogs } from './open-logs.js'
import { createRunFile, reopenRunFile, type Reopened } from './jsonl/run-file.js'
import { runPaths } from './jsonl/run-paths.js'

/**
 * Ledgers as files: in `folder`, which then serves one workspace, or in each workspace's control
 * directory. Refuses network file systems, and folders that others may write.
 */
export function jsonlStore(folder?: string): Store {
  const given = folder === undefined ? undefined : absolutePath(folder)
  const place = (workspaceId: string): string => given ?? controlDirectory(workspaceId)
  return {
    kind: 'jsonl',
    durable: true,
    folder: place,
    open: (workspaceId) => faulted('open the ledger', () => openLedger(place(workspaceId))),
  }
}

async function openLedger(folder: string): Promise<Ledger> {
  await createPrivateFolder(folder)
  const network = await networkFileSystem(folder)
  if (network !== null) {
    // Locks and flushes there promise less than records need.
    throw new RecordError('store_failed', 'network file system', { folder, file_system: network })
  }
  return jsonlLedger(folder, await ledgerId(folder))
}

function jsonlLedger(folder: string, id: string): Ledger {
  const logs = new OpenLogs()
  return {
    id,
    durable: true,
    createRun: (run) =>
      faulted('create the run', () => logs.own(async () => createRunFile(runPaths(folder, run)))),
    reopenRun: (run) => faulted('reopen the run', () => reopenRun(logs, folder, run)),
    ...ledgerReader(folder),
    close: () => logs.closeAll(),
  }
}

async function reopenRun(logs: OpenLogs, folder: string, run: RunId): Promise<Reopened> {
  let torn: TornTail | null = null
  const log = await logs.own(async () => {
    const reopened = await reopenRunFile(runPaths(folder, run))
    torn = reopened.torn
    return reopened.log
  })
  return { log, torn }
}
