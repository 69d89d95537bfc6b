/** The snapshot contract, by both stores. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { jsonlStore } from '../../src/store/jsonl.js'
import { memoryStore } from '../../src/store/memory.js'
import { snapshotsContract } from './snapshots.js'

snapshotsContract('memory', async () => ({ store: memoryStore(), remove: async () => {} }))

snapshotsContract('jsonl', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sixgate-snapshots-'))
  return {
    store: jsonlStore(join(folder, 'ledger')),
    remove: () => rm(folder, { recursive: true }),
  }
})

it('memory stores and workspaces have keys and snapshots of their own', async () => {
  const store = memoryStore()

  const opened = [await store.open('one'), await store.open('two'), await memoryStore().open('one')]

  expect(new Set(opened.map(({ secret }) => Buffer.from(secret).toString('hex'))).size).toBe(3)
  expect(new Set(opened.map(({ snapshots }) => snapshots)).size).toBe(3)
})
