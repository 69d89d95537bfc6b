// @ts-check
/** Two children, one tightening: `node examples/subagents.mjs` after a build. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import assert from 'node:assert/strict'
import { createSixgate, definePolicy } from 'sixgate'
import { read, write } from 'sixgate/tools'

const workspace = mkdtempSync(join(tmpdir(), 'sixgate-subagents-'))
const sixgate = createSixgate({
  workspace,
  tools: [read, write],
  policy: definePolicy({ workMode: 'rw', toolApproval: 'accept_all' }),
})

/** @param {import('sixgate').Session} session @param {string} file */
async function writes(session, file) {
  const result = await session.run({ tool: 'write', args: { file_path: file, content: 'x' } })
  const why = result.status === 'denied' ? ` by ${result.layer}: ${result.matchedRule}` : ''
  console.log(`${file}: ${result.status}${why}`)
  return result.status
}

try {
  const parent = await sixgate.session({ task: 'two helpers' })
  const mayWrite = { policy: /** @type {const} */ ('whitelist_accept'), whitelist: ['write'] }

  const writer = await parent.spawn({ toolApproval: mayWrite })
  const reader = await parent.fork({ workMode: 'ro', toolApproval: mayWrite }, { history: [] })
  assert.equal(await writes(writer, 'writer.txt'), 'ok')
  assert.equal(await writes(reader, 'reader.txt'), 'denied')

  await assert.rejects(reader.spawn(), { code: 'depth_exceeded' })
  await assert.rejects(parent.spawn({ workMode: 'full' }), { code: 'escalation' })

  // In force for every child before this call returns its promise.
  await parent.tighten({ rules: ['deny write(@workspace)'] })
  assert.equal(await writes(writer, 'again.txt'), 'denied')
  assert.equal(await writes(parent, 'parent.txt'), 'denied')
} finally {
  await sixgate[Symbol.asyncDispose]()
  rmSync(workspace, { recursive: true })
}
