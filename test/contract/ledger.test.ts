/** The ledger contract, by both stores. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jsonlStore } from '../../src/store/jsonl.js'
import { memoryStore } from '../../src/store/memory.js'
import { ledgerContract } from './ledger.js'

ledgerContract('memory', async () => ({ store: memoryStore(), remove: async () => {} }))

ledgerContract('jsonl', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sixgate-ledger-'))
  return {
    store: jsonlStore(join(folder, 'ledger')),
    remove: () => rm(folder, { recursive: true }),
  }
})
