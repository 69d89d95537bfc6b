/** A second opinion on the six layers, written naively from pipeline.md alone. */

import type { Call, Facts, Policy, RuleText, Verdict, Visit } from './inputs.js'
import { inScope, isBare, isInside, isProtected, isSecret, matches } from './naive-match.js'
import { namesSecret, permitsHost, provable, subjectsOf } from './naive-match.js'

/** One call through the six layers. */
export function judge(call: Call, policy: Policy, facts: Facts): Verdict {
  const names = escalationsOf(call, policy, facts)
  const visits: Visit[] = []
  const end = (status: Verdict['status']): Verdict => ({ status, visits })
  const isEnd = (visit: Visit | null): boolean => {
    if (visit !== null) visits.push(visit)
    return visit?.[1] === 'deny'
  }
  if (isEnd(workMode(call, policy, names)) || isEnd(network(call, policy, names)))
    return end('denied')
  const rule = userRule(call, policy)
  if (isEnd(rule)) return end('denied')
  const approval = toolApproval(call, policy, { names, rule })
  if (isEnd(approval)) return end('denied')
  const gate = sandbox(call, policy, facts, names)
  // Nobody is asked in vain: what the last gate would deny, it denies unasked.
  if ((rule[1] === 'ask' || approval?.[1] === 'ask') && gate[1] !== 'deny') {
    const answer = response(policy, facts, names)
    if (answer === null) return end('suspended')
    if (isEnd(answer)) return end('denied')
  }
  return isEnd(gate) ? end('denied') : end('admitted')
}

const UNCONFINED = ['host.escape', 'fs.read', 'fs.write', 'process.exec', 'external.effect']

function escalationsOf(call: Call, policy: Policy, facts: Facts): readonly string[] {
  const isConfined = call.runsIn === 'sandbox'
  const fallsBack = facts.sandbox === 'unavailable' && policy.onUnavailable === 'ask_host'
  const found = {
    host_execution: call.escalations.some(({ name }) => name === 'host_execution'),
    unconfined_fallback: isConfined && fallsBack,
    network_grant:
      call.escalations.some(({ name }) => name === 'network_grant') ||
      (!isConfined && call.hosts.length > 0 && policy.networkMode === 'grant'),
    protected_metadata: call.writes.some(
      (path) => isProtected(path) || path.endsWith('/AGENTS.md'),
    ),
    external_effect: call.unsafe || call.escalations.some(({ name }) => name === 'external_effect'),
    tool_confirmation: call.escalations.some(({ name }) => name === 'tool_confirmation'),
  }
  return Object.entries(found).flatMap(([name, isFound]) => (isFound ? [name] : []))
}

const isUnconfined = (names: readonly string[]): boolean =>
  names.includes('host_execution') || names.includes('unconfined_fallback')

function workMode(call: Call, policy: Policy, names: readonly string[]): Visit {
  const isBlank = ({ name, detail }: Call['escalations'][0]): boolean =>
    (name === 'host_execution' || name === 'network_grant') && detail.trim() === ''
  const needed = [...call.capabilities, ...(isUnconfined(names) ? UNCONFINED : [])]
  if (call.reads.length > 0) needed.push('fs.read')
  if (call.writes.length > 0) needed.push('fs.write')
  const deny = (id: string): Visit => ['work_mode', 'deny', `builtin:${id}`]
  if (call.escalations.some(isBlank)) return deny('invalid_escalation')
  if (!inScope(policy, call.tool)) return deny('tool_scope')
  if (needed.some((name) => !policy.capabilities.includes(name))) return deny('missing_capability')
  if (needed.length === 0) return ['work_mode', 'no_match', null]
  return ['work_mode', 'allow', 'builtin:capability']
}

function network(call: Call, policy: Policy, names: readonly string[]): Visit {
  const grants = call.escalations.flatMap((e) => (e.name === 'network_grant' ? [e.detail] : []))
  const reached = call.runsIn === 'process' ? call.hosts : grants
  const isNeeded = call.hosts.length > 0 || grants.length > 0 || isUnconfined(names)
  const deny = (id: string): Visit => ['network', 'deny', `builtin:${id}`]
  if (isNeeded && policy.networkMode === 'off') return deny('network_off')
  if (reached.some((host) => !permitsHost(policy, host))) return deny('network_host')
  if (reached.length === 0 || isUnconfined(names)) return ['network', 'no_match', null]
  const isGrant = names.includes('network_grant')
  return ['network', 'allow', isGrant ? 'builtin:network_grant' : 'builtin:network_allow']
}

function userRule(call: Call, policy: Policy): Visit {
  const subjects = subjectsOf(call)
  const by = (effect: RuleText['effect']): readonly RuleText[] =>
    policy.rules.filter((rule) => rule.effect === effect)
  const meets = (rule: RuleText): boolean => subjects.some((one) => matches(rule, call, one))
  const isAllowed = (subject: (typeof subjects)[0]): boolean =>
    by('allow').some((rule) => matches(rule, call, subject))
  const secrets = subjects.filter((subject) => isSecret(subject) && !isAllowed(subject))
  const isForbidden = (subject: (typeof subjects)[0]): boolean =>
    call.runsIn === 'process' &&
    subject[0] === 'read' &&
    !by('ask').some((rule) => namesSecret(rule.match) && matches(rule, call, subject))
  const [deny, ask] = [by('deny').find(meets), by('ask').find(meets)]
  if (deny !== undefined) return ['user_rule', 'deny', deny.id]
  if (secrets.some(isForbidden)) return ['user_rule', 'deny', 'builtin:credential']
  if (ask !== undefined) return ['user_rule', 'ask', ask.id]
  if (secrets.length > 0) return ['user_rule', 'ask', 'builtin:credential']
  const allow = by('allow').find((rule) => provable(call).some((one) => matches(rule, call, one)))
  if (allow === undefined || !provable(call).every(isAllowed))
    return ['user_rule', 'no_match', null]
  return ['user_rule', 'allow', allow.id]
}

interface Walk {
  readonly names: readonly string[]
  readonly rule: Visit
}

/** Layer 4: with `approvalCeiling: parent` of every ancestor under the ceiling; the strictest counts. */
function toolApproval(call: Call, policy: Policy, walk: Walk): Visit | null {
  const sayings = policy.approvals.map((approval) => consult(call, approval, walk.names))
  const by = (decision: string): Visit | undefined => sayings.find((one) => one[1] === decision)
  const looksAgain = policy.approvals.some(({ policy: name }) =>
    ['always_ask', 'deny_unlisted'].includes(name),
  )
  const isReached = {
    no_match: true,
    allow: walk.names.length > 0 || (policy.isChild && looksAgain),
    ask: walk.names.length > 0 || by('deny') !== undefined,
  }[walk.rule[1] as 'no_match' | 'allow' | 'ask']
  return isReached ? (by('deny') ?? by('ask') ?? by('allow') ?? null) : null
}

function consult(call: Call, approval: Policy['approvals'][0], names: readonly string[]): Visit {
  const say = (decision: string, id: string): Visit => ['tool_approval', decision, id]
  const isFar = call.runsIn === 'process' && !call.reads.every((path) => isInside('/ws', path))
  // A whitelist is a set; its canonical order is the alphabet's.
  const entries = [...approval.whitelist]
    .sort()
    .filter((match) => !isBare(match) || !isFar)
    .map((match): RuleText => ({ id: match, effect: 'allow', match }))
  const subjects = provable(call)
  const used = entries.find((entry) => subjects.some((one) => matches(entry, call, one)))
  const isListed = subjects.every((one) => entries.some((entry) => matches(entry, call, one)))
  if (approval.policy === 'deny_unlisted' && !isListed) return say('deny', 'default:deny_unlisted')
  if (names[0] !== undefined) return say('ask', `builtin:escalation.${names[0]}`)
  const id = `default:${approval.policy}`
  if (approval.policy === 'always_ask') return say('ask', id)
  if (approval.policy === 'accept_all') return say(isFar ? 'ask' : 'allow', id)
  return isListed && used !== undefined ? say('allow', used.id) : say('ask', id)
}

function response(policy: Policy, facts: Facts, names: readonly string[]): Visit | null {
  const deny = (id: string): Visit => ['approval_response', 'deny', id]
  if (policy.response === 'never') return deny('default:never')
  // A script answers no escalation; with `suspend` the host's word stands for a person's.
  const isMissing =
    facts.responder === 'absent' || (facts.responder === 'script' && names.length > 0)
  if (isMissing) return deny('builtin:no_responder')
  if (facts.answer === null) return null
  return facts.answer === 'yes'
    ? ['approval_response', 'allow', 'default:prompt']
    : deny('default:prompt')
}

/** Layer 6, as if whatever was asked is answered yes. */
function sandbox(call: Call, policy: Policy, facts: Facts, names: readonly string[]): Visit {
  const deny = (id: string): Visit => ['sandbox', 'deny', `builtin:${id}`]
  const allow = (id: string): Visit => ['sandbox', 'allow', `builtin:${id}`]
  if (call.runsIn === 'sandbox') {
    if (isUnconfined(names)) return allow('approved_unconfined')
    if (facts.sandbox !== 'ready') return deny(`sandbox_${facts.sandbox}`)
    return call.writes.some(isProtected) ? deny('protected_path') : allow('driver.bubblewrap')
  }
  const isWritable = (path: string): boolean =>
    isInside('/ws', path) ||
    policy.writable.every((folders) => folders.some((folder) => isInside(folder, path)))
  if (call.writes.length === 0) return ['sandbox', 'no_match', null]
  if (policy.sandboxMode === 'read_only') return deny('outside_profile')
  return call.writes.every(isWritable) ? allow('inside_profile') : deny('outside_profile')
}
