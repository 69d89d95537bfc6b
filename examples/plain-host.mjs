// @ts-check
/** The smallest honest agent loop: a fake model asks for tools, the session decides, denials go back as text. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSixgate, definePolicy } from 'sixgate'
import { createNativeSandbox } from 'sixgate/sandbox'
import { bash, read } from 'sixgate/tools'

/** @typedef {{ tool: string, args: unknown }} ToolUse */

const workspace = mkdtempSync(join(tmpdir(), 'plain-host-'))
writeFileSync(join(workspace, 'note.txt'), 'the answer is 42\n')

const sixgate = createSixgate({
  policy: definePolicy({ rules: ['allow read(@workspace)', 'allow bash(cat:*)'] }),
  workspace,
  tools: [read, bash],
  sandbox: createNativeSandbox(),
})
const session = await sixgate.session({ task: 'find the answer' })

/** @type {string[]} */
const dialogue = ['user: what is the answer?']
for (let uses = fakeModel(dialogue); uses.length > 0; uses = fakeModel(dialogue)) {
  for (const use of uses) {
    const result = await session.run(use)
    // Everything that is not ok carries one sentence that is safe to hand to the model.
    dialogue.push(`tool: ${result.status === 'ok' ? JSON.stringify(result.value) : result.message}`)
  }
}
await session.close()
await sixgate[Symbol.asyncDispose]()
rmSync(workspace, { recursive: true })

console.log(dialogue.join('\n'))
const [, denied = '', found = ''] = dialogue
process.exitCode = denied.includes('no_responder') && found.includes('42') ? 0 : 1

/**
 * In place of a real model: what it wants next, from the dialogue so far.
 * @param {readonly string[]} dialogue
 * @returns {readonly ToolUse[]}
 */
function fakeModel(dialogue) {
  const last = dialogue.at(-1) ?? ''
  if (last.startsWith('user:')) return [{ tool: 'bash', args: { command: 'uname -a' } }]
  if (last.includes('Denied')) return [{ tool: 'read', args: { file_path: 'note.txt' } }]
  return []
}
