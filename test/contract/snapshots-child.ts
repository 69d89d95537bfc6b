/** A process that puts snapshots until its test kills it. */

import fs, { writeSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import type { SessionId } from '../../src/core/ids.js'
import { jsonlStore } from '../../src/store/jsonl.js'

const [mode, folder = '', session = ''] = process.argv.slice(2)
const { snapshots } = await jsonlStore(folder).open('workspace')

if (mode === 'halt') haltBeforeNaming()
for (let version = 2; ; version += 1) {
  const text = `${version} ${'x'.repeat((version * 7919) % 30_000)}`
  await snapshots.put(session as SessionId, version, Buffer.from(text))
  writeSync(1, `${version}\n`)
}

/** The draft is whole; what gives it its name says so and never ends. */
function haltBeforeNaming(): void {
  const alive = setInterval(() => {}, 1000)
  const link = (): Promise<void> => {
    writeSync(1, 'drafted\n')
    return new Promise(() => alive.ref())
  }
  Object.assign(fs.promises, { link })
  syncBuiltinESMExports()
}
