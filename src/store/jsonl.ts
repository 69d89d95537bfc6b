/** The default store (trace.md §4): a file of lines per run, one owner each, in a private folder. */

import { RecordError } from '../core/errors.js'
import type { RunId } from '../core/ids.js'
import type { OpenStore, Store } from '../contract/session.js'
import { controlDirectory } from '../platform/control-directory.js'
import { networkFileSystem } from '../platform/disk/file-system.js'
import { absolutePath, createPrivateFolder } from '../platform/disk/private-files.js'
import type { TornTail } from '../trace/ledger.js'
import { faulted } from './fault.js'
import { ledgerKey } from './jsonl/key-file.js'
import { ledgerId } from './jsonl/ledger-file.js'
import { ledgerReader } from './jsonl/ledger-reader.js'
import { OpenLogs } from './open-logs.js'
import { createRunFile, reopenRunFile, type Reopened } from './jsonl/run-file.js'
import { runPaths } from './jsonl/run-paths.js'
import { snapshotFiles } from './jsonl/snapshot-files.js'

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

async function openLedger(folder: string): Promise<OpenStore> {
  await createPrivateFolder(folder)
  const network = await networkFileSystem(folder)
  if (network !== null) {
    // Locks and flushes there promise less than records need.
    throw new RecordError('store_failed', 'network file system', { folder, file_system: network })
  }
  return jsonlLedger(folder, { id: await ledgerId(folder), secret: await ledgerKey(folder) })
}

function jsonlLedger(folder: string, own: Pick<OpenStore, 'id' | 'secret'>): OpenStore {
  const logs = new OpenLogs()
  return {
    ...own,
    durable: true,
    snapshots: snapshotFiles(folder),
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
