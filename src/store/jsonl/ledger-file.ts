/** `ledger.json` (trace.md §1): the name that every run of a ledger is bound to. */

import { RecordError } from '../../core/errors.js'
import { systemIds } from '../../platform/ids.js'
import { createOnce } from '../../platform/disk/create-once.js'
import { readSmallFile, syncFolder } from '../../platform/disk/private-files.js'

/** Reads the ledger's id, or gives it one; of several processes that try, one does. */
export async function ledgerId(folder: string): Promise<string> {
  const path = `${folder}/ledger.json`
  const found = await readSmallFile(path)
  if (found !== null) return parseId(found)
  await createOnce(path, `${JSON.stringify({ id: systemIds().run(), version: VERSION })}\n`)
  await syncFolder(folder)
  return parseId((await readSmallFile(path)) ?? '')
}

const VERSION = 1

function parseId(text: string): string {
  const value = parseObject(text)
  if (value['version'] !== VERSION) {
    throw new RecordError('malformed_record', 'unknown version of `ledger.json`')
  }
  const id = value['id']
  if (typeof id === 'string' && /^[0-9A-Z]{26}$/.test(id)) return id
  throw new RecordError('malformed_record', 'no ledger id in `ledger.json`')
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return { ...value }
  } catch (cause) {
    // The ledger cannot be named, so none of its runs is opened.
    throw new RecordError('malformed_record', 'cannot read `ledger.json`', {}, cause)
  }
  throw new RecordError('malformed_record', '`ledger.json` is not an object')
}
