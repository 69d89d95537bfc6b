/** A host that runs commands in a sandbox until it is killed: `child.mjs <workspace> <mark>`. */

import { openSandbox } from '../../src/sandbox/entry.js'

const [workspace = '', mark = ''] = process.argv.slice(2)
const profile = { git: 'write', scratch: 'session' } as const
const sandbox = await openSandbox({ workspace, profile })
console.log('ready')
for (;;) {
  // Some end at once, so that a kill meets every part of a run; the last holds on.
  await sandbox.exec({ command: 'echo x >> src/log; git status --short > /dev/null' })
  await sandbox.exec({ command: `(setsid sleep ${mark} &); sleep ${mark} & sleep ${mark}` })
}
