/** A grant that is held against the one that a new policy gives (pipeline.md §6). */

import { expect, it } from 'vitest'
import type { SandboxProfile } from '../../src/contract/sandbox.js'
import { exceeds } from '../../src/enforce/start/exceeds.js'

type Network = SandboxProfile['network']

function profile(network: Network): SandboxProfile {
  return {
    fileSystem: {
      mode: 'workspace_write',
      workspace: '/ws',
      writable: [],
      readable: [],
      hidden: [],
    },
    network,
    environment: { pass: [] },
    limits: {
      timeoutMs: 1000,
      outputBytes: 1000,
      diskBytes: 1000,
      processes: null,
      memoryBytes: null,
    },
  }
}

const any = { grant: { host: 'a.example', port: null } }
const one = { grant: { host: 'a.example', port: 443 } }
const other = { grant: { host: 'a.example', port: 80 } }
const elsewhere = { grant: { host: 'b.example', port: null } }

it.each<[Network, Network, boolean]>([
  ['none', 'none', false],
  ['none', one, false],
  [one, one, false],
  [one, any, false],
  [any, any, false],
  [one, 'none', true],
  [any, one, true],
  [one, other, true],
  [any, elsewhere, true],
  [one, elsewhere, true],
])('a command that has %j exceeds one that may have %j: %s', (held, allowed, isMore) => {
  expect(exceeds(profile(held), profile(allowed))).toBe(isMore)
})
