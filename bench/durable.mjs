/** A dispatched call over files, against the least that durability can cost: its bytes, appended and flushed. */

import { readdirSync, statSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

export async function durableRows(sixgate, scratch) {
  const folder = join(scratch, 'ledger')
  const workspace = join(scratch, 'project')
  await mkdir(workspace)
  const { createSixgate, definePolicy, defineTool, jsonlStore, reads } = sixgate
  const tool = defineTool({
    name: 'read',
    inputSchema: z.object({ path: z.string() }),
    needs: ({ path }) => reads(path),
    execute: () => null,
  })
  const host = createSixgate({
    policy: definePolicy({ workMode: 'ro', rules: ['allow read(@workspace)'] }),
    workspace,
    tools: [tool],
    store: jsonlStore(folder),
  })
  const session = await host.session()
  const call = () => session.run({ tool: 'read', args: { path: 'a' } })
  const bytes = await bytesOf(call, folder)
  const file = await open(join(scratch, 'bare'), 'a')
  const line = Buffer.alloc(bytes, 'x')
  const unit = 'append and fdatasync of the same bytes'
  return {
    unit,
    bytes: () => bytes,
    rows: [
      {
        name: unit,
        run: async () => {
          await file.write(line)
          await file.datasync()
        },
      },
      { name: 'durable dispatch, JSONL, one fdatasync', run: call },
    ],
    async close() {
      await file.close()
      await host[Symbol.asyncDispose]()
    },
  }
}

async function bytesOf(call, folder) {
  const before = sizeOf(folder)
  for (let count = 0; count < 20; count += 1) {
    const result = await call()
    if (result.status !== 'ok') throw new TypeError(JSON.stringify(result))
  }
  return Math.round((sizeOf(folder) - before) / 20)
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
