/** A second opinion on delegation: the policies of a root and its children, from delegation.md alone. */

import { NETWORK, SANDBOX, type Constraint, type Document, type Policy } from './inputs.js'
import { inScope } from './naive-match.js'

/** The policy of a root session. */
export const root = (given: Document): Policy => ({
  capabilities: given.capabilities ?? MODES[given.workMode ?? 'ro'],
  tools: [given.tools ?? {}],
  networkMode: given.network?.mode ?? 'off',
  hosts: [given.network ?? {}],
  rules: given.rules ?? [],
  approvals: [given.toolApproval ?? { policy: 'whitelist_accept', whitelist: [] }],
  isChild: false,
  response: given.approvalResponse ?? 'prompt',
  sandboxMode: given.sandbox?.mode ?? 'workspace_write',
  writable: [given.sandbox?.writable ?? []],
  onUnavailable: given.sandbox?.onUnavailable ?? 'deny',
  depth: given.delegation?.spawnDepth ?? 1,
  approvalPolicies: given.delegation?.approvalPolicies ?? [
    ...['whitelist_accept', 'always_ask', 'deny_unlisted'],
  ],
})

/** The policy of a spawn or a fork, which are alike; `refused` when it asks for more than there is. */
export function child(parent: Policy, given: Constraint): Policy | 'refused' {
  const approval = given.toolApproval ?? { policy: 'whitelist_accept', whitelist: [] }
  if (parent.depth < 1 || !parent.capabilities.includes('agent.spawn')) return 'refused'
  if (asksForMore(parent, given, approval)) return 'refused'
  const { sandbox: box } = given
  return {
    ...parent,
    capabilities: given.capabilities ?? parent.capabilities,
    tools: [...parent.tools, given.tools ?? {}],
    networkMode: least(NETWORK, parent.networkMode, given.network?.mode),
    hosts: [...parent.hosts, given.network ?? {}],
    rules: [...parent.rules, ...(given.rules ?? []).filter((rule) => rule.effect !== 'allow')],
    approvals: [...(given.approvalCeiling === 'parent' ? parent.approvals : []), approval],
    isChild: true,
    response: 'never',
    sandboxMode: least(SANDBOX, parent.sandboxMode, box?.mode),
    writable: box?.writable === undefined ? parent.writable : [...parent.writable, box.writable],
    onUnavailable: least(['deny', 'ask_host'], parent.onUnavailable, box?.onUnavailable),
    depth: parent.depth - 1,
  }
}

const RO = ['fs.read', 'process.exec', 'agent.spawn', 'agent.delegate']
const RW = [...RO, 'fs.write', 'external.effect']
const MODES = { plan: ['fs.read'], ro: RO, rw: RW, full: [...RW, 'host.escape'] }
/** Every tool that a document or a call of these tests names, and some that none does. */
const TOOLS = [...['read', 'write', 'edit', 'bash', 'download', 'web_fetch', 'notes', 'runner']]
const ALL_TOOLS = [...TOOLS, 'mcp__gh__send', 'mcp__gh__unnamed', 'unnamed']

function asksForMore(parent: Policy, given: Constraint, approval: Policy['approvals'][0]): boolean {
  const { capabilities = [], tools: { only, exclude = [] } = {} } = given
  const isAsked = (tool: string): boolean =>
    inScope({ tools: [{ only: only ?? [], exclude }] }, tool)
  // A wildcard is a way of asking for everything, whatever is taken out of it again.
  const asksForAll =
    only?.includes('*') === true &&
    parent.tools.some((scope) => scope.only?.includes('*') === false)
  const coversAll = approval.whitelist.some((entry) => entry === '*' || entry === 'bash')
  const chosen = coversAll ? [approval.policy, 'accept_all'] : [approval.policy]
  return (
    asksForAll ||
    capabilities.some((name) => !parent.capabilities.includes(name)) ||
    ALL_TOOLS.some((tool) => isAsked(tool) && !inScope(parent, tool)) ||
    chosen.some((name) => !parent.approvalPolicies.includes(name))
  )
}

function least<T extends string>(order: readonly T[], parent: T, asked: T | undefined): T {
  return asked !== undefined && order.indexOf(asked) < order.indexOf(parent) ? asked : parent
}
