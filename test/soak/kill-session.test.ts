/** A host that is killed loses no tightening that it acknowledged, and nothing runs twice. */

import { expect, it } from 'vitest'
import { bundleChild } from '../contract/ledger-process.js'
import { killSession } from './kill-session-cases.js'

it('[H-17] comes back as tight as its last acknowledged tightening after 20 kills', async () => {
  const seed = Date.now() % 2 ** 32
  const child = await bundleChild('../soak/kill-session-child.ts')

  const failures = await killSession({ cases: 20, seed, child })

  expect(failures, `seed ${seed}`).toEqual([])
}, 120_000)
