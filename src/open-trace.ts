/** `openTrace` (api.md, `sixgate/audit`): the reader of a ledger folder or of a store. */

import { traceOf, type Trace } from './audit/trace.js'
import type { Store } from './contract/session.js'
import { RecordError } from './core/errors.js'
import { absolutePath, readSmallFile } from './platform/disk/private-files.js'
import { faulted } from './store/fault.js'
import { ledgerReader } from './store/jsonl/ledger-reader.js'
import { workspaceName } from './workspace-name.js'

/** Which ledger of a store that serves several workspaces. */
export interface OpenTraceOptions {
  /** Default: the working folder of the process. A folder as the source needs none. */
  readonly workspace?: string | undefined
}

/**
 * Opens for reading only: a folder is not made, not locked and not changed. Rejects with
 * `RecordError store_failed` for a folder without a ledger.
 */
export async function openTrace(
  source: string | Store,
  options: OpenTraceOptions = {},
): Promise<Trace> {
  if (typeof source !== 'string') {
    return traceOf(await source.open(workspaceName(options.workspace ?? '.')))
  }
  const folder = absolutePath(source)
  const ledger = await faulted('read the ledger', () => readSmallFile(`${folder}/ledger.json`))
  if (ledger !== null) return traceOf(ledgerReader(folder))
  throw new RecordError('store_failed', 'there is no ledger in the folder', { folder })
}
