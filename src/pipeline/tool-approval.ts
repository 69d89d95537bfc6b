/** Layer 4: settles what the rules left open, and asks for every escalation (pipeline.md §4 note 3). */

import type { Roots } from '../core/facts.js'
import { isSuspected, type PathSubject, type Subject } from '../core/subject.js'
import { unreachable } from '../core/unreachable.js'
import type { BoundToolApproval, EffectivePolicy } from '../policy/effective-policy.js'
import { liesWithin } from '../policy/rules/classes.js'
import { isRedirect } from '../policy/rules/commands/redirects.js'
import { boundEntries } from '../policy/rules/remembered/entries.js'
import { startsElsewhere } from '../policy/rules/remembered/proposals.js'
import { coveringEntries, coveringEntry } from '../policy/rules/verdict.js'
import type { Layer, Question, Sayings, Walk } from './layer.js'
import { unmetGuarantees } from './guarantees.js'
import { ruleQuestion } from './user-rule.js'

type Saying = Sayings['fallback']

export const toolApproval: Layer<'fallback', 'tool_approval'> = {
  name: 'tool_approval',
  kind: 'fallback',
  /** An escalation, or a delegation that chose to look again at what its ancestors allow (note 2). */
  insists({ policy }, { standing, escalations }) {
    if (escalations.length > 0) return true
    if (!policy.isDelegated || standing !== 'granted') return false
    // Under a ceiling the ancestors' choices count as the delegation's own.
    return policy.toolApproval.some(
      ({ policy: chosen }) => chosen === 'always_ask' || chosen === 'deny_unlisted',
    )
  },
  decide(question, walk) {
    const sayings = question.policy.toolApproval.map((choice) => consult(choice, question, walk))
    const denial = sayings.find((saying) => saying.decision === 'deny')
    return denial ?? sayings.find((saying) => saying.decision === 'ask') ?? first(sayings)
  },
}

/** Several sources or ancestors may each state a choice; the strictest counts, the outermost of equals. */
function consult(choice: BoundToolApproval, question: Question, walk: Walk): Saying {
  const entry = listed(choice, question, walk)
  const [escalation] = walk.escalations
  if (choice.policy === 'deny_unlisted' && entry === null) {
    return { decision: 'deny', matchedRule: 'default:deny_unlisted', reason: 'deny_unlisted' }
  }
  if (escalation !== undefined) {
    return { decision: 'ask', matchedRule: `builtin:escalation.${escalation}` }
  }
  switch (choice.policy) {
    case 'always_ask':
      return { decision: 'ask', matchedRule: 'default:always_ask' }
    case 'accept_all':
      return isUnremarkable(question)
        ? { decision: 'allow', matchedRule: 'default:accept_all' }
        : (remembered(choice, question, walk) ?? ASK_ALL)
    case 'whitelist_accept':
      if (entry !== null) return { decision: 'allow', matchedRule: entry }
      return remembered(choice, question, walk) ?? ASK_UNLISTED
    case 'deny_unlisted':
      return entry === null ? ASK_UNLISTED : { decision: 'allow', matchedRule: entry }
    default:
      return unreachable(choice.policy)
  }
}

const ASK_ALL: Saying = { decision: 'ask', matchedRule: 'default:accept_all' }
const ASK_UNLISTED: Saying = { decision: 'ask', matchedRule: 'default:whitelist_accept' }

/** What a person had remembered, alone or together with the whitelist, by an allow's proof (H-12). */
function remembered(choice: BoundToolApproval, question: Question, walk: Walk): Saying | null {
  const { grants, roots } = question.facts
  if (grants.length === 0 || !countsGrants(question.policy)) return null
  if (question.facts.subjects.some(startsElsewhere)) return null
  const bound = grants.map((grant) => ({ grant, entries: boundEntries(grant, roots) }))
  const entries = [...choice.whitelist, ...bound.flatMap((one) => one.entries)]
  const used = coveringEntries(entries, ruleQuestion(question, walk))
  const by = bound.find((one) => one.entries.some((entry) => used?.includes(entry)))
  if (by === undefined) return null
  return { decision: 'allow', matchedRule: `grant:${by.grant.approvalId}` }
}

/** Neither a child, nor a session that only reads, nor one that nobody is to be asked for has any. */
export function countsGrants({ axes, isDelegated }: EffectivePolicy): boolean {
  const onlyReads = axes.capabilities.every((name) => name === 'fs.read')
  return !isDelegated && !onlyReads && axes.approvalResponse.policy !== 'never'
}

/** A bare name in the whitelist has the limits of `accept_all`; a pattern names what it means. */
function listed(choice: BoundToolApproval, question: Question, walk: Walk): string | null {
  const scope = ruleQuestion(question, walk)
  const entries = isUnremarkable(question)
    ? choice.whitelist
    : choice.whitelist.filter((entry) => !entry.argumentFree)
  return coveringEntry(entries, scope)
}

/**
 * No read outside what the policy opens, no redirection that leaves what commands may write, and no shell
 * text that nobody could read outside a sandbox.
 */
function isUnremarkable(question: Question): boolean {
  const { call, policy, facts } = question
  if (call.runsIn === 'sandbox') {
    const isConfined = unmetGuarantees(question).length === 0
    return (isConfined || facts.subjects.every(isReadable)) && writesInside(question, isConfined)
  }
  const open = [facts.roots.workspace, ...policy.readable]
  return facts.subjects
    .filter(
      (one): one is PathSubject =>
        one.kind === 'path' && one.access === 'read' && !isSuspected(one),
    )
    .every((path) => liesWithin(path, open, facts.roots))
}

/** Redirections and output options write in workspace and writable roots, or where a sandbox has its own place. */
function writesInside({ policy, facts }: Question, isConfined: boolean): boolean {
  const { roots, subjects } = facts
  // Only Linux drivers make `/tmp` anew; elsewhere it is the host's.
  const own = isConfined && roots.platform === 'linux' ? ['/tmp'] : []
  const open = [roots.workspace, ...policy.writable, ...own]
  // Text that was refused may have given the home another place.
  const isRehomed = isConfined && subjects.every(isReadable)
  return subjects
    .filter(isRedirect)
    .every((path) => liesWithin(path, open, roots) || (isRehomed && isScratch(path, roots)))
}

/** A sandboxed command has a home of its own, in its scratch. */
function isScratch(path: PathSubject, roots: Roots): boolean {
  return path.given.startsWith('~/') && liesWithin(path, [roots.home], roots)
}

/** False for shell text that analysis refused. */
function isReadable(subject: Subject): boolean {
  if (subject.kind !== 'command') return true
  return subject.shell === 'bash' && subject.analysis.refusals.length === 0
}

function first(sayings: readonly Saying[]): Saying {
  const [saying] = sayings
  return saying ?? { decision: 'ask', matchedRule: 'default:always_ask' }
}
