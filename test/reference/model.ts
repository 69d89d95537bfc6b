/** A second opinion: the six layers and delegation, written naively from pipeline.md, delegation.md and rules.md §2–3. */

export interface RuleText {
  readonly id: string
  readonly effect: 'deny' | 'ask' | 'allow'
  readonly match: string
  readonly except?: readonly string[]
}
export interface Constraint {
  readonly capabilities?: readonly string[]
  readonly tools?: { readonly only?: readonly string[]; readonly exclude?: readonly string[] }
  readonly network?: { readonly mode: NetworkMode; readonly allow?: readonly string[]; readonly deny?: readonly string[] }
  readonly rules?: readonly RuleText[]
  readonly toolApproval?: { readonly policy: string; readonly whitelist: readonly string[] }
  readonly approvalCeiling?: 'parent'
  readonly sandbox?: { readonly mode?: SandboxMode; readonly writable?: readonly string[]; readonly onUnavailable?: 'deny' | 'ask_host' }
}
export interface Document extends Constraint {
  readonly workMode?: 'plan' | 'ro' | 'rw' | 'full'
  readonly approvalResponse?: 'never' | 'prompt'
  readonly delegation?: { readonly spawnDepth?: number; readonly approvalPolicies?: readonly string[] }
}
export interface Call {
  readonly tool: string
  readonly runsIn: 'process' | 'sandbox'
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  /** `?` is a host that nobody can name in advance. */
  readonly hosts: readonly string[]
  readonly capabilities: readonly string[]
  readonly escalations: readonly { readonly name: string; readonly value?: string }[]
  readonly unsafe: boolean
}
export interface Facts {
  readonly sandbox: 'ready' | 'unavailable' | 'refused'
  readonly responder: 'absent' | 'human' | 'script' | 'suspend'
  readonly answer: 'yes' | 'no' | null
}
export type Visit = readonly [layer: string, decision: string, matchedRule: string | null]
export interface Verdict { readonly status: 'admitted' | 'denied' | 'suspended'; readonly visits: readonly Visit[] }
/** A policy in force: every limit of every ancestor is kept as a list and asked one by one. */
export interface Policy {
  readonly parent: Policy | null
  readonly capabilities: readonly string[]
  readonly tools: readonly NonNullable<Constraint['tools']>[]
  readonly networkMode: NetworkMode
  readonly hosts: readonly { readonly allow?: readonly string[]; readonly deny?: readonly string[] }[]
  readonly rules: readonly RuleText[]
  readonly approval: { readonly policy: string; readonly whitelist: readonly string[] }
  readonly ceiling: boolean
  readonly response: 'never' | 'prompt'
  readonly sandboxMode: SandboxMode
  readonly writable: readonly (readonly string[])[]
  readonly onUnavailable: 'deny' | 'ask_host'
  readonly depth: number
  readonly approvalPolicies: readonly string[]
}
type NetworkMode = (typeof NETWORK)[number]
type SandboxMode = (typeof SANDBOX)[number]
type Subject = readonly [kind: 'read' | 'write' | 'host' | 'call', text: string]

const NETWORK = ['off', 'grant', 'on'] as const
const SANDBOX = ['read_only', 'workspace_write', 'open'] as const
const RO = ['fs.read', 'process.exec', 'agent.spawn', 'agent.delegate']
const RW = [...RO, 'fs.write', 'external.effect']
const MODES = { plan: ['fs.read'], ro: RO, rw: RW, full: [...RW, 'host.escape'] }
const UNCONFINED = ['host.escape', 'fs.read', 'fs.write', 'process.exec', 'external.effect']
const ESCALATIONS = ['host_execution', 'network_grant', 'protected_metadata', 'external_effect', 'tool_confirmation', 'unconfined_fallback']

/** The policy of a root session. */
export const root = (d: Document): Policy => ({
  parent: null,
  capabilities: d.capabilities ?? MODES[d.workMode ?? 'ro'],
  tools: [d.tools ?? {}],
  networkMode: d.network?.mode ?? 'off',
  hosts: [d.network ?? {}],
  rules: d.rules ?? [],
  approval: d.toolApproval ?? { policy: 'whitelist_accept', whitelist: [] },
  ceiling: false,
  response: d.approvalResponse ?? 'prompt',
  sandboxMode: d.sandbox?.mode ?? 'workspace_write',
  writable: [d.sandbox?.writable ?? []],
  onUnavailable: d.sandbox?.onUnavailable ?? 'deny',
  depth: d.delegation?.spawnDepth ?? 1,
  approvalPolicies: d.delegation?.approvalPolicies ?? ['whitelist_accept', 'always_ask', 'deny_unlisted'],
})

/** The policy of a spawn or fork (both alike), or `refused`. */
export function child(parent: Policy, c: Constraint): Policy | 'refused' {
  const approval = c.toolApproval ?? { policy: 'whitelist_accept', whitelist: [] }
  const coversAll = approval.whitelist.some((entry) => entry === '*' || entry === 'bash')
  const chosen = [approval.policy, ...(coversAll ? ['accept_all'] : [])]
  if (parent.depth < 1 || !parent.capabilities.includes('agent.spawn')) return 'refused'
  if (c.capabilities?.some((name) => !parent.capabilities.includes(name)) === true) return 'refused'
  if (c.tools?.only?.some((name) => !inScope(parent, name)) === true) return 'refused'
  if (chosen.some((name) => !parent.approvalPolicies.includes(name))) return 'refused'
  return {
    ...parent,
    parent,
    capabilities: c.capabilities ?? parent.capabilities,
    tools: [...parent.tools, c.tools ?? {}],
    networkMode: least(NETWORK, parent.networkMode, c.network?.mode),
    hosts: [...parent.hosts, c.network ?? {}],
    rules: [...parent.rules, ...(c.rules ?? []).filter((rule) => rule.effect !== 'allow')],
    approval,
    ceiling: c.approvalCeiling === 'parent',
    response: 'never',
    sandboxMode: least(SANDBOX, parent.sandboxMode, c.sandbox?.mode),
    writable: c.sandbox?.writable === undefined ? parent.writable : [...parent.writable, c.sandbox.writable],
    onUnavailable: least(['deny', 'ask_host'], parent.onUnavailable, c.sandbox?.onUnavailable),
    depth: parent.depth - 1,
  }
}

/** One call through the six layers. */
export function judge(call: Call, policy: Policy, facts: Facts): Verdict {
  const names = escalationsOf(call, policy, facts)
  const visits: Visit[] = []
  const end = (status: Verdict['status']): Verdict => ({ status, visits })
  for (const layer of [workMode(call, policy, names), network(call, policy, names)]) {
    visits.push(layer)
    if (layer[1] === 'deny') return end('denied')
  }
  const rule = userRule(call, policy)
  visits.push(rule)
  if (rule[1] === 'deny') return end('denied')
  let asking = rule[1] === 'ask'
  const approval = ceilinged(call, policy, names, rule)
  if (approval !== null) visits.push(approval)
  if (approval?.[1] === 'deny') return end('denied')
  asking ||= approval?.[1] === 'ask'
  const gate = sandbox(call, policy, facts, names)
  if (asking && gate[1] !== 'deny') {
    const answer = response(policy, facts, names)
    if (answer === null) return end('suspended')
    visits.push(answer)
    if (answer[1] === 'deny') return end('denied')
  }
  visits.push(gate)
  return end(gate[1] === 'deny' ? 'denied' : 'admitted')
}

function escalationsOf(call: Call, policy: Policy, facts: Facts): readonly string[] {
  const found = call.escalations.map((escalation) => escalation.name)
  if (call.runsIn === 'process' && call.hosts.length > 0 && policy.networkMode === 'grant') found.push('network_grant')
  if (call.writes.some((path) => isProtected(path) || path.endsWith('/AGENTS.md'))) found.push('protected_metadata')
  if (call.unsafe) found.push('external_effect')
  if (call.runsIn === 'sandbox' && facts.sandbox === 'unavailable' && policy.onUnavailable === 'ask_host') found.push('unconfined_fallback')
  return ESCALATIONS.filter((name) => found.includes(name))
}

const isUnconfined = (names: readonly string[]): boolean =>
  names.includes('host_execution') || names.includes('unconfined_fallback')

function workMode(call: Call, policy: Policy, names: readonly string[]): Visit {
  const asked = call.escalations
  if (asked.some((e) => (e.name === 'host_execution' || e.name === 'network_grant') && (e.value ?? '').trim() === ''))
    return ['work_mode', 'deny', 'builtin:invalid_escalation']
  const needed = [...call.capabilities]
  if (call.reads.length > 0) needed.push('fs.read')
  if (call.writes.length > 0) needed.push('fs.write')
  if (isUnconfined(names)) needed.push(...UNCONFINED)
  if (!inScope(policy, call.tool)) return ['work_mode', 'deny', 'builtin:tool_scope']
  if (needed.some((name) => !policy.capabilities.includes(name))) return ['work_mode', 'deny', 'builtin:missing_capability']
  return needed.length > 0 ? ['work_mode', 'allow', 'builtin:capability'] : ['work_mode', 'no_match', null]
}

function network(call: Call, policy: Policy, names: readonly string[]): Visit {
  const grants = call.escalations.flatMap((e) => (e.name === 'network_grant' ? [e.value ?? '?'] : []))
  const used = call.runsIn === 'process' ? [...call.hosts, ...grants] : grants
  const isNeeded = call.hosts.length > 0 || grants.length > 0 || isUnconfined(names)
  if (isNeeded && policy.networkMode === 'off') return ['network', 'deny', 'builtin:network_off']
  if (used.some((host) => !permits(policy, host))) return ['network', 'deny', 'builtin:network_host']
  if (used.length === 0) return ['network', 'no_match', null]
  return ['network', 'allow', names.includes('network_grant') ? 'builtin:network_grant' : 'builtin:network_allow']
}

function userRule(call: Call, policy: Policy): Visit {
  const subjects = subjectsOf(call)
  const by = (effect: RuleText['effect']): readonly RuleText[] => policy.rules.filter((rule) => rule.effect === effect)
  const hit = (rule: RuleText): boolean => subjects.some((subject) => matches(rule, call, subject))
  const deny = by('deny').find(hit)
  if (deny !== undefined) return ['user_rule', 'deny', deny.id]
  const secrets = subjects.filter((subject) => isSecret(subject) && !by('allow').some((rule) => matches(rule, call, subject)))
  const isForbidden = (subject: Subject): boolean =>
    call.runsIn === 'process' && subject[0] === 'read' && !by('ask').some((rule) => namesSecret(rule.match) && matches(rule, call, subject))
  if (secrets.some(isForbidden)) return ['user_rule', 'deny', 'builtin:credential']
  const ask = by('ask').find(hit)
  if (ask !== undefined) return ['user_rule', 'ask', ask.id]
  if (secrets.length > 0) return ['user_rule', 'ask', 'builtin:credential']
  const allow = by('allow').find(hit)
  const isCovered = subjects.every((subject) => by('allow').some((rule) => matches(rule, call, subject)))
  return allow !== undefined && isCovered ? ['user_rule', 'allow', allow.id] : ['user_rule', 'no_match', null]
}

/** Layer 4, and with `approvalCeiling: parent` the parent's too: the stricter counts, the outermost on a tie. */
function ceilinged(call: Call, policy: Policy, names: readonly string[], rule: Visit): Visit | null {
  const own = toolApproval(call, policy, names, rule)
  const above = policy.ceiling && policy.parent !== null ? ceilinged(call, policy.parent, names, rule) : null
  if (own === null || above === null) return own ?? above
  const strictness = ['allow', 'ask', 'deny']
  return strictness.indexOf(own[1]) > strictness.indexOf(above[1]) ? own : above
}

function toolApproval(call: Call, policy: Policy, names: readonly string[], rule: Visit): Visit | null {
  const { policy: name, whitelist } = policy.approval
  const entries = whitelist.map((match): RuleText => ({ id: match, effect: 'allow', match }))
  const covers = (entry: RuleText, subject: Subject): boolean =>
    matches(entry, call, subject) && !(isBare(entry.match) && isFarRead(call, subject))
  const isListed = subjectsOf(call).every((subject) => entries.some((entry) => covers(entry, subject)))
  const first = entries.find((entry) => subjectsOf(call).some((subject) => covers(entry, subject)))
  const isInherited = policy.parent !== null && rule[1] === 'allow' && (name === 'always_ask' || name === 'deny_unlisted')
  const wouldDeny = name === 'deny_unlisted' && !isListed
  const isReached = rule[1] === 'no_match' || names.length > 0 || isInherited || (rule[1] === 'ask' && wouldDeny)
  if (!isReached) return null
  if (wouldDeny) return ['tool_approval', 'deny', 'default:deny_unlisted']
  if (names[0] !== undefined) return ['tool_approval', 'ask', `builtin:escalation.${names[0]}`]
  if (name === 'accept_all' && !subjectsOf(call).some((subject) => isFarRead(call, subject)))
    return ['tool_approval', 'allow', 'default:accept_all']
  if ((name === 'whitelist_accept' || name === 'deny_unlisted') && isListed && first !== undefined)
    return ['tool_approval', 'allow', first.id]
  return ['tool_approval', 'ask', `default:${name}`]
}

function response(policy: Policy, facts: Facts, names: readonly string[]): Visit | null {
  if (policy.response === 'never') return ['approval_response', 'deny', 'default:never']
  const mayAnswer = facts.responder === 'script' ? names.length === 0 : facts.responder !== 'absent'
  if (!mayAnswer) return ['approval_response', 'deny', 'builtin:no_responder']
  return facts.answer === null ? null : ['approval_response', facts.answer === 'yes' ? 'allow' : 'deny', 'default:prompt']
}

/** Layer 6, judged as if whatever was asked is answered yes. */
function sandbox(call: Call, policy: Policy, facts: Facts, names: readonly string[]): Visit {
  const deny = (id: string): Visit => ['sandbox', 'deny', `builtin:${id}`]
  if (call.runsIn === 'process') {
    const isWritable = (path: string): boolean =>
      isInside('/ws', path) || policy.writable.every((roots) => roots.some((folder) => isInside(folder, path)))
    if (call.writes.length === 0) return ['sandbox', 'no_match', null]
    if (policy.sandboxMode === 'read_only' || !call.writes.every(isWritable)) return deny('outside_profile')
    return ['sandbox', 'allow', 'builtin:inside_profile']
  }
  if (isUnconfined(names)) return ['sandbox', 'allow', 'builtin:approved_unconfined']
  if (facts.sandbox !== 'ready') return deny(`sandbox_${facts.sandbox}`)
  if (call.writes.some(isProtected)) return deny('protected_path')
  return ['sandbox', 'allow', 'builtin:driver.test']
}

function subjectsOf(call: Call): readonly Subject[] {
  const reads = call.reads.map((path): Subject => ['read', path])
  const writes = call.writes.map((path): Subject => ['write', path])
  const all = [...reads, ...writes, ...call.hosts.map((host): Subject => ['host', host])]
  return all.length > 0 ? all : [['call', '']]
}

/** Whether a rule meets one subject: an allow by proof, a deny or an ask by suspicion. */
function matches(rule: RuleText, call: Call, subject: Subject): boolean {
  const [name = '', pattern] = split(rule.match)
  const [kind, text] = subject
  const isAllow = rule.effect === 'allow'
  const isOwn = nameMatches(name, call.tool)
  const isHostRule = kind === 'host' && name === 'web_fetch'
  const isWide = !isAllow && pattern !== undefined && kind === name
  if (!isOwn && !isHostRule && !isWide) return false
  if (isAllow && isSecret(subject) && !namesSecret(rule.match)) return false
  if (pattern !== undefined && !patternMatches(pattern, subject, isAllow)) return false
  // A way out of a deny or ask is a loosening and needs proof; a way out of an allow does not.
  return text === '' || !(rule.except ?? []).some((except) => patternMatches(except, subject, !isAllow))
}

function patternMatches(pattern: string, [kind, text]: Subject, needsProof: boolean): boolean {
  if (kind === 'call' || text === '?') return false
  if (kind === 'host') return hostMatches(pattern, text)
  if (pattern === '@workspace') return isInside('/ws', text)
  if (pattern === '@credentials') return isSecret([kind, text])
  const [p, t] = needsProof ? [pattern, text] : [pattern.toLowerCase(), text.toLowerCase()]
  if (!p.endsWith('/**')) return p === t
  return t.startsWith(p.slice(0, -2)) || (!needsProof && t === p.slice(0, -3))
}

const split = (match: string): readonly [string, string?] => {
  const open = match.indexOf('(')
  return open < 0 ? [match.toLowerCase()] : [match.slice(0, open).toLowerCase(), match.slice(open + 1, -1)]
}
const isBare = (match: string): boolean => !match.includes('(')
const nameMatches = (name: string, tool: string): boolean =>
  name === '*' || name === tool.toLowerCase() || (name.startsWith('mcp__') && tool.toLowerCase().startsWith(`${name}__`))
const hostMatches = (pattern: string, host: string): boolean =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) && host.length >= pattern.length : pattern === host
const isInside = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`)
const isProtected = (path: string): boolean => isInside('/ws', path) && path.toLowerCase().split('/').includes('.git')
const isSecret = ([kind, text]: Subject): boolean => kind !== 'host' && text.toLowerCase() === '/ws/.env'
const namesSecret = (match: string): boolean => ['@credentials', '/ws/.env'].includes(split(match)[1] ?? '')
const isFarRead = (call: Call, [kind, text]: Subject): boolean =>
  kind === 'read' && call.runsIn === 'process' && !isInside('/ws', text)
const inScope = (policy: Policy, tool: string): boolean =>
  policy.tools.every(
    ({ only, exclude }) => only?.some((n) => nameMatches(n, tool)) !== false && !exclude?.some((n) => nameMatches(n, tool)),
  )

function permits(policy: Policy, host: string): boolean {
  const hits = (patterns: readonly string[]): boolean => patterns.some((pattern) => host !== '?' && hostMatches(pattern, host))
  return policy.hosts.every(({ allow, deny }) =>
    host === '?' ? allow === undefined && (deny ?? []).length === 0 : (allow === undefined || hits(allow)) && !hits(deny ?? []),
  )
}

function least<T extends string>(order: readonly T[], parent: T, asked: T | undefined): T {
  return asked !== undefined && order.indexOf(asked) < order.indexOf(parent) ? asked : parent
}
