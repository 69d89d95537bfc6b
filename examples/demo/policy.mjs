/** The policy of the demonstration. What it does not state has the strict default: no network, for one. */

import { existsSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { definePolicy } from 'sixgate'

/** Allows the work, asks about removals, denies what must never happen. */
export function demoPolicy() {
  return definePolicy({
    workMode: 'rw',
    network: 'off',
    rules: [
      'allow ls(@workspace)',
      'allow read(@workspace)',
      'allow search',
      'allow edit(src/**)',
      'allow bash(npm test)',
      'allow bash(cat:*)',
      'allow bash(cp:*)',
      'allow bash(node connect.mjs:*)',
      'allow bash(sleep:*)',
      'allow agent',
      { id: 'ask-removal', effect: 'ask', match: 'bash(rm:*)', reason: 'removed files are gone' },
      {
        id: 'no-commit',
        effect: 'deny',
        match: 'bash(git commit:*)',
        reason: 'releases go through CI',
      },
      { id: 'no-wipe', effect: 'deny', match: 'bash(rm -rf**)' },
    ],
    approvalResponse: { policy: 'prompt', timeoutMs: 120_000 },
    sandbox: { readable: nodeFolder() },
  })
}

/** npm is a link into this folder. Below /usr it is shown anyway, below a home it has to be named. */
function nodeFolder() {
  const folder = resolve(realpathSync(process.execPath), '../..')
  return existsSync(join(folder, 'lib/node_modules/npm')) ? [folder] : []
}
