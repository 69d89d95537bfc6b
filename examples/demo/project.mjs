/** What the demonstration works on: a small project with a bug, and beside it what no session may touch. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FILES = {
  'package.json': `${JSON.stringify({ name: 'prices', private: true, scripts: { test: 'node test.mjs' } }, null, 2)}\n`,
  'README.md': '# Prices\n\nAdds up prices.\n',
  'src/total.mjs':
    'export const total = (prices) => prices.reduce((sum, price) => sum - price, 0)\n',
  'test.mjs': [
    "import assert from 'node:assert/strict'",
    "import { total } from './src/total.mjs'",
    '',
    'assert.equal(total([2, 3]), 5)',
    "console.log('1 test passed')",
    '',
  ].join('\n'),
  'connect.mjs': [
    "import { connect } from 'node:net'",
    '',
    'const socket = connect(Number(process.argv[2]), "127.0.0.1")',
    "socket.on('connect', () => (console.log('connected'), socket.end()))",
    "socket.on('error', ({ code }) => (console.log(code), (process.exitCode = 1)))",
    '',
  ].join('\n'),
  'notes/old.md': 'Nothing that anybody needs.\n',
}

const KEPT = 'the host keeps this\n'

/** Makes everything in a new folder; `remove` takes it away again. */
export function makeProject() {
  const base = mkdtempSync(join(place(), 'sixgate-demo-'))
  const workspace = join(base, 'project')
  for (const folder of ['src', 'notes']) mkdirSync(join(workspace, folder), { recursive: true })
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(workspace, name), text)
  writeFileSync(join(base, 'host.txt'), KEPT)
  return {
    base,
    workspace,
    ledger: join(base, 'ledger'),
    text: (name) => readFileSync(join(workspace, name), 'utf8'),
    has: (name) => existsSync(join(workspace, name)),
    isHostFileUntouched: () => readFileSync(join(base, 'host.txt'), 'utf8') === KEPT,
    remove: () => rmSync(base, { recursive: true, force: true }),
  }
}

/** Not in /tmp: a sandboxed command has one of its own, where a write beside the workspace works and is lost. */
function place() {
  return existsSync('/var/tmp') ? '/var/tmp' : tmpdir()
}
