/** `key` (delegation.md §4): the secret of a ledger, made once, for its owner's eyes only. */

import { RecordError } from '../../core/errors.js'
import { createOnce } from '../../platform/disk/create-once.js'
import { readPrivateFile } from '../../platform/disk/private-file.js'
import { syncFolder } from '../../platform/disk/private-files.js'
import { secretKey } from '../../platform/secret-key.js'

/**
 * Reads the ledger's key, or makes it; of several processes that try, one does. Rejects with
 * `store_failed` for a key file of another length, type, owner or a looser mode, and never replaces
 * one: what it authenticated would be lost, or another's key trusted.
 */
export async function ledgerKey(folder: string): Promise<Uint8Array> {
  const path = `${folder}/key`
  const found = await readPrivateFile(path, LENGTH)
  if (found !== null) return checkKey(found)
  await createOnce(path, secretKey())
  await syncFolder(folder)
  return checkKey(await readPrivateFile(path, LENGTH))
}

const LENGTH = 32

function checkKey(key: Uint8Array | null): Uint8Array {
  if (key?.length === LENGTH) return key
  throw new RecordError('store_failed', 'the key is not 32 bytes')
}
