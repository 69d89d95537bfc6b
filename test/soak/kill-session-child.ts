/** A process that spawns, tightens and dispatches until it is killed; says each step once it is acknowledged. */

import { writeSync } from 'node:fs'
import { createSixgate } from '../../src/sixgate.js'
import { definePolicy } from '../../src/policy/define.js'
import { jsonlStore } from '../../src/store/jsonl.js'
import { defineTool } from '../../src/tools/define-tool.js'
import { z } from 'zod'

const [ledger = '', workspace = ''] = process.argv.slice(2)

const sixgate = createSixgate({
  workspace,
  store: jsonlStore(ledger),
  policy: definePolicy({ workMode: 'full', network: 'on', toolApproval: 'accept_all' }),
  tools: [
    defineTool({
      name: 'probe',
      inputSchema: z.object({ mark: z.string() }),
      needs: () => [],
      execute: ({ mark }) => say(`ran ${mark}`),
    }),
  ],
})

const root = await sixgate.session()
say(`root ${root.id}`)
for (let n = 0; ; n += 1) {
  const child = await root.spawn({
    toolApproval: { policy: 'whitelist_accept', whitelist: ['probe'] },
  })
  say(`child ${child.id}`)
  await Promise.all(
    [child, root].map((one) =>
      one.run({ callId: `c${n}`, tool: 'probe', args: { mark: `${one.id}:c${n}` } }),
    ),
  )
  const tightened = n % 2 === 0 ? child : root
  await tightened.tighten({ rules: [`deny other_${n}`] })
  say(`tight ${tightened.id} deny other_${n}`)
}

function say(step: string): void {
  writeSync(1, `${step}\n`)
}
