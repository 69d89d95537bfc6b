/** Random policies, delegations, calls and facts of the differential test. Patterns stay simple on purpose. */

import fc from 'fast-check'
import type { Approval, Call, Constraint, Document, Facts, RuleText } from './inputs.js'

/** A root's document and the constraints of a chain of children, outermost first. */
export interface Lineage {
  readonly document: Document
  readonly constraints: readonly Constraint[]
}

const PATHS = ['/ws/src/a.ts', '/ws/SRC/a.ts', '/ws/src', '/ws/docs/b.md', '/ws/AGENTS.md'] as const
const RARE_PATHS = [
  '/ws/.git/config',
  '/ws/lib/.git/HEAD',
  '/ws/.env',
  '/data/x',
  '/data/in/y',
] as const
const PATTERNS = ['/ws/src/**', '/ws/docs/**', '/ws/src/a.ts', '/ws/.env', '/ws/**'] as const
const RARE_PATTERNS = ['@workspace', '@credentials', '/data/**', '/ws/.git/**', '/ws/src'] as const
const HOSTS = ['api.example.com', 'example.com', 'other.org'] as const
const HOST_PATTERNS = ['*.example.com', ...HOSTS] as const
const PATH_TOOLS = ['read', 'write', 'edit', 'download', 'notes', 'runner'] as const
const TOOLS = [...PATH_TOOLS, 'bash', 'web_fetch', 'mcp__gh__send'] as const
const SCOPES = [...TOOLS, 'mcp__gh', '*', 'WRITE'] as const
const CAPABILITIES = [
  ...(['fs.read', 'process.exec', 'agent.spawn', 'agent.delegate', 'fs.write'] as const),
  ...(['external.effect', 'host.escape'] as const),
]

const path = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...PATHS) },
  fc.constantFrom(...RARE_PATHS),
)
const pattern = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...PATTERNS) },
  fc.constantFrom(...RARE_PATTERNS),
)
const patterned = fc.tuple(fc.constantFrom(...PATH_TOOLS), pattern)
const match = fc.oneof(
  fc.constantFrom(...SCOPES),
  fc.constantFrom(...TOOLS),
  patterned.map(([tool, text]) => `${tool}(${text})`),
  patterned.map(([tool, text]) => `${tool}(${text})`),
  fc.constantFrom(...HOST_PATTERNS).map((host) => `web_fetch(${host})`),
)
const effect = fc.constantFrom('deny' as const, 'ask' as const, 'allow' as const, 'allow' as const)
const plainRule = fc
  .tuple(effect, match)
  .map(([which, text]): RuleText => ({ id: `${which} ${text}`, effect: which, match: text }))
/** The id is read from the content, so that one id is one rule in every lineage. */
const carvedRule = fc
  .tuple(effect, fc.constantFrom(...PATH_TOOLS), fc.option(pattern), fc.nat(9))
  .map(([which, tool, inner, number]): RuleText => {
    const texts = [...PATTERNS, ...RARE_PATTERNS]
    const id = `r${which}-${tool}-${inner === null ? 'all' : texts.indexOf(inner)}-${number}`
    const except = [`${tool}(${texts[number] ?? ''})`]
    return { id, effect: which, match: inner === null ? tool : `${tool}(${inner})`, except }
  })
const rules = fc
  .array(fc.oneof({ weight: 3, arbitrary: plainRule }, carvedRule), { maxLength: 4 })
  .map((some) => some.filter((rule, at) => some.findIndex(({ id }) => id === rule.id) === at))

const approvalPolicy = fc.constantFrom(
  ...(['whitelist_accept', 'always_ask', 'accept_all', 'deny_unlisted'] as const),
)
const approval: fc.Arbitrary<Approval> = fc.record({
  policy: approvalPolicy,
  whitelist: fc.uniqueArray(match, { maxLength: 3 }),
})
const hostList = fc.uniqueArray(fc.constantFrom(...HOST_PATTERNS), { maxLength: 2 })
const network = fc
  .tuple(
    fc.constantFrom('off', 'grant', 'grant', 'on', 'on'),
    fc.option(hostList),
    fc.option(hostList),
  )
  .map(([mode, allow, deny]) => ({
    mode: mode,
    ...(allow === null ? {} : { allow }),
    ...(deny === null ? {} : { deny }),
  }))
const names = fc.uniqueArray(fc.constantFrom(...SCOPES), { maxLength: 5 })
const tools = fc.record(
  {
    only: names.map((some) => [...some, ...TOOLS.slice(0, 3)]),
    exclude: names.map((s) => s.slice(0, 1)),
  },
  { requiredKeys: [] },
)
const sandbox = fc.record(
  {
    mode: fc.constantFrom('read_only' as const, 'workspace_write' as const, 'open' as const),
    writable: fc.constantFrom([], ['/data'], ['/data/in'], ['/data', '/data/in']),
    onUnavailable: fc.constantFrom('deny' as const, 'ask_host' as const),
  },
  { requiredKeys: [] },
)
const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, arbitrary)
const some = <T>(arbitrary: fc.Arbitrary<T>, one: number): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: one })

const constraint = fc.record({
  capabilities: rarely(fc.subarray(CAPABILITIES, { minLength: 4 })),
  tools: rarely(tools),
  network: some(network, 1),
  rules: some(rules, 2),
  toolApproval: some(approval, 6),
  approvalCeiling: fc.constantFrom(undefined, 'parent' as const),
  sandbox: some(sandbox, 1),
})
const document = fc.record({
  workMode: fc.constantFrom('plan', 'ro', 'rw', 'rw', 'full', 'full', 'full', undefined),
  capabilities: rarely(fc.subarray(CAPABILITIES, { minLength: 4 })),
  tools: rarely(tools),
  network: some(network, 6),
  rules: some(rules, 9),
  toolApproval: some(approval, 6),
  approvalResponse: fc.constantFrom(undefined, 'prompt', 'prompt', 'never'),
  sandbox: some(sandbox, 4),
  approvalPolicies: fc.constantFrom(
    undefined,
    ['whitelist_accept', 'always_ask', 'accept_all', 'deny_unlisted'],
    ['whitelist_accept', 'accept_all'],
  ),
  spawnDepth: fc.constantFrom(undefined, 2, 3, 3),
})

/** A document states a work mode or capabilities, never both, and leaves out what is undefined. */
export const lineage: fc.Arbitrary<Lineage> = fc
  .tuple(document, fc.oneof(fc.constant([]), fc.array(constraint, { maxLength: 3 })))
  .map(([{ workMode, capabilities, approvalPolicies, spawnDepth, ...rest }, constraints]) => {
    const granted = capabilities === undefined ? { workMode } : { capabilities }
    return plain({
      document: { ...granted, ...rest, delegation: { approvalPolicies, spawnDepth } },
      constraints,
    }) as Lineage
  })

const detail = { host_execution: ['a reason', ' '], network_grant: [...HOSTS, ''] }
const sandboxed = fc.oneof(
  fc
    .constantFrom(...detail.host_execution)
    .map((text) => ({ name: 'host_execution', detail: text })),
  fc.constantFrom(...detail.network_grant).map((text) => ({ name: 'network_grant', detail: text })),
)
const confirmed = fc
  .constantFrom('external_effect', 'tool_confirmation')
  .map((name) => ({ name, detail: 'a reason' }))
const own = fc.constantFrom('external.effect', 'x.deploy', 'agent.spawn')

export const call: fc.Arbitrary<Call> = fc
  .record({
    tool: fc.constantFrom(...TOOLS, 'unnamed'),
    reads: fc.uniqueArray(path, { maxLength: 2 }),
    writes: fc.uniqueArray(path, { maxLength: 2 }),
    hosts: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      fc.uniqueArray(fc.constantFrom(...HOSTS, '?'), { maxLength: 2 }),
    ),
    capabilities: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.tuple(own)),
    confirmations: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.tuple(confirmed)),
    departures: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      fc.uniqueArray(sandboxed, { maxLength: 2, selector: ({ name }) => name }),
    ),
    unsafe: fc.constantFrom(false, false, false, true),
  })
  .map(({ confirmations, departures, capabilities, ...rest }) => {
    const isConfined = rest.tool === 'bash' || rest.tool === 'runner'
    return {
      ...rest,
      runsIn: isConfined ? 'sandbox' : 'process',
      capabilities: isConfined ? ['process.exec', ...capabilities] : capabilities,
      escalations: isConfined ? [...confirmations, ...departures] : confirmations,
    }
  })

export const facts: fc.Arbitrary<Facts> = fc.record({
  sandbox: fc.constantFrom('ready', 'ready', 'unavailable', 'refused'),
  responder: fc.constantFrom('absent', 'human', 'human', 'script', 'suspend'),
  answer: fc.constantFrom('yes', 'yes', 'no', null),
})

/** A copy without what is undefined. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
