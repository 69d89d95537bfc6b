/** One call under one policy, through the real pipeline in a virtual file system. */

import type { Check } from '../../src/contract/outcome.js'
import type { PolicyInput } from '../../src/contract/policy.js'
import type { Responder } from '../../src/contract/approval.js'
import type { CallRequest, Sixgate } from '../../src/contract/session.js'
import type { Tool } from '../../src/contract/tool.js'
import type { Platform } from '../../src/core/guarantee.js'
import { createTestSixgate, type TestOverrides } from '../../src/testing/create-test-sixgate.js'
import { scriptedResponder } from '../../src/testing/scripted-responder.js'
import { definePolicy } from '../../src/policy/define.js'
import { bash, edit, ls, read, search, spawnAgent, webFetch, write } from '../../src/tools/entry.js'

/** Where a call is made; what is left out is a plain Linux workspace that opens everything to rules. */
export interface Setting {
  readonly policy?: PolicyInput
  readonly platform?: Platform
  readonly links?: TestOverrides['links']
  readonly hardlinks?: TestOverrides['hardlinks']
  readonly tools?: readonly Tool[]
  readonly responder?: Responder
}

const PLACES = {
  linux: { workspace: '/ws', home: '/home/u', temporary: ['/tmp'] },
  darwin: { workspace: '/ws', home: '/Users/u', temporary: ['/private/tmp'] },
  win32: { workspace: 'C:\\ws', home: 'C:\\Users\\u', temporary: ['C:\\Temp'] },
} as const

const NO = { answer: 'reject' } as const
const agent = spawnAgent(() => Promise.resolve(''))

/** Work mode, network and the rest leave the decision to rules, unless the policy says otherwise. */
export function aSixgate({ policy = {}, platform = 'linux', ...rest }: Setting = {}): Sixgate {
  const { workspace, home, temporary } = PLACES[platform]
  const mode = policy.capabilities === undefined ? { workMode: 'full' as const } : {}
  return createTestSixgate(
    {
      policy: definePolicy({ ...mode, network: 'on', ...policy }),
      workspace,
      tools: [agent, bash, edit, ls, read, search, webFetch, write, ...(rest.tools ?? [])],
      responder: rest.responder ?? scriptedResponder(() => NO, { kind: 'human' }),
    },
    {
      home,
      temporary,
      platform,
      links: rest.links ?? {},
      hardlinks: rest.hardlinks,
      sandbox: 'ready',
    },
  )
}

/** What `check` says of one call. */
export async function judge(call: CallRequest, setting: Setting = {}): Promise<Check> {
  await using sixgate = aSixgate(setting)
  await using session = await sixgate.session()
  return await session.check(call)
}

/** The decision, and the layer and rule that made it. */
export async function decide(
  call: CallRequest,
  setting: Setting = {},
): Promise<readonly [string, string, string | null]> {
  const { decision, visits } = await judge(call, setting)
  const by = visits.find((visit) => visit.decision === decision)
  return [decision, by?.layer ?? 'none', by?.matchedRule ?? null]
}

/** A read of one path under these rules, as one word. */
export async function reading(
  path: string,
  rules: readonly string[],
  setting: Omit<Setting, 'policy'> = {},
): Promise<string> {
  const call = { tool: 'read', args: { file_path: path } }
  return (await decide(call, { ...setting, policy: { rules } }))[0]
}
