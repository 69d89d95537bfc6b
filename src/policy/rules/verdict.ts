/** Layer 3 for one call: deny > ask > allow over all rules, with the built-in answers (rules.md §2-4). */

import type { Decision, Effect } from '../../core/effect.js'
import type { ReasonCode } from '../../core/reasons.js'
import { describeSubject, isSuspected, type PathSubject, type Subject } from '../../core/subject.js'
import type { BoundMatch, BoundRule } from '../effective-policy.js'
import { concerns, covers, fires, provesSubject, suspectsSubject } from './applies.js'
import { isInClass } from './classes.js'
import { candidatesOf, remembered } from './index/bound-rules.js'
import type { Candidates } from './index/candidates.js'
import type { Ranked } from './index/group.js'
import { compileMatch, namesOnPurpose } from './match.js'
import { isOversize, provable, type Question } from './question.js'
import { hidesDenied } from './commands/hidden.js'
import { coversRedirect, isRedirect } from './commands/redirects.js'
import { mayMatchSecret } from './commands/secrets.js'
import { reachesDenied } from './commands/trees.js'

/** What the rules say of a call. `matchedRule` is null exactly when nothing matched. */
export interface RuleVerdict {
  readonly decision: Decision
  readonly matchedRule: string | null
  readonly reason: ReasonCode | null
}

/** Judges one call. Rules stand in the order of their declaration, outermost ancestor first. */
export function judgeRules(rules: readonly BoundRule[], question: Question): RuleVerdict {
  return remembered(rules, question, (from) => judge(from, question))
}

/** The text of the first whitelist entry used, in the order of the list, when entries alone cover every subject by an allow's proof; else null. */
export function coveringEntry(whitelist: readonly BoundMatch[], question: Question): string | null {
  return coveringEntries(whitelist, question)?.[0]?.text ?? null
}

/** The entries that were used, in the order of the list; null where they do not cover every subject. */
export function coveringEntries(
  whitelist: readonly BoundMatch[],
  question: Question,
): readonly BoundMatch[] | null {
  if (whitelist.length === 0 || isOversize(question)) return null
  const subjects = provable(question)
  if (subjects.length === 0) {
    const entry = whitelist.find((match) => match.argumentFree && named(match, question.tool))
    return entry === undefined ? null : [entry]
  }
  const entries = subjects.map((subject) =>
    whitelist.find((match) =>
      isRedirect(subject)
        ? coversRedirect(match, question, subject)
        : covers(match, question.tool, subject),
    ),
  )
  if (entries.includes(undefined)) return null
  return whitelist.filter((match) => entries.includes(match))
}

/** Each subject with the ids of every rule that meets it, for people. */
export function rulesMet(
  rules: readonly BoundRule[],
  question: Question,
): readonly { readonly subject: string; readonly rules: readonly string[] }[] {
  const { tool, subjects } = question
  const from = candidatesOf(rules)
  return subjects.map((subject) => ({
    subject: describeSubject(subject),
    rules: [
      ...from
        .proving(tool, subject)
        .filter(({ rule }) => rule.effect === 'allow' && provesSubject(rule, tool, subject)),
      ...suspected(from, tool, subject),
    ]
      .sort(byRank)
      .map(({ rule }) => rule.id),
  }))
}

/** The deny and ask rules that meet a subject. */
function suspected(from: Candidates, tool: string, subject: Subject): readonly Ranked[] {
  return (['deny', 'ask'] as const).flatMap((effect) =>
    from
      .suspecting(effect, tool, subject)
      .filter(({ rule }) => suspectsSubject(rule, tool, subject)),
  )
}

function byRank(left: Ranked, right: Ranked): number {
  return left.rank - right.rank
}

function judge(from: Candidates, question: Question): RuleVerdict {
  if (isOversize(question)) return judgeOversize(from, question)
  const deny = firing('deny', from, question)
  if (deny !== null) return said('deny', deny.id, 'rule')
  const secrets = pathsIn('@credentials', question)
  if (readsCredential(secrets, from, question))
    return said('deny', 'builtin:credential', 'credential')
  const ask = firing('ask', from, question)
  if (ask !== null) return said('ask', ask.id, null)
  const builtin = builtinAsk(secrets, from, question)
  if (builtin !== null) return said('ask', builtin, null)
  const allow = coveringRule(from, question)
  if (allow !== null) return said('allow', allow.id, null)
  return said('no_match', null, refusalReason(from, question))
}

/** The first rule of this effect, in the order of declaration, that fires on the call. */
function firing(effect: Effect, from: Candidates, question: Question): BoundRule | null {
  const { tool, subjects } = question
  if (subjects.length === 0) {
    return earliest(from.naming(effect, tool), (rule) => fires(rule, question))?.rule ?? null
  }
  let first: Ranked | null = null
  for (const subject of subjects) {
    for (const one of from.suspecting(effect, tool, subject)) {
      if (first !== null && one.rank >= first.rank) break
      if (suspectsSubject(one.rule, tool, subject)) first = one
    }
  }
  return first?.rule ?? null
}

/** The first in the order of declaration that passes. */
function earliest(
  lists: readonly (readonly Ranked[])[],
  passes: (rule: BoundRule) => boolean,
): Ranked | null {
  let first: Ranked | null = null
  for (const list of lists) {
    for (const one of list) {
      if (first !== null && one.rank >= first.rank) break
      if (passes(one.rule)) first = one
    }
  }
  return first
}

function said(
  decision: Decision,
  matchedRule: string | null,
  reason: ReasonCode | null,
): RuleVerdict {
  return { decision, matchedRule, reason }
}

/** H-07: what is too large to look at meets every deny and ask of its tool, and no allow. */
function judgeOversize(from: Candidates, question: Question): RuleVerdict {
  const { tool, subjects } = question
  const parts = new Set(subjects.flatMap(toolPartsSeeing))
  for (const effect of ['deny', 'ask'] as const) {
    const lists = [...parts].flatMap((part) => from.written(effect, part))
    const concerning = earliest([...from.naming(effect, tool), ...lists], (rule) =>
      concerns(rule, question),
    )
    if (concerning !== null) return said(effect, concerning.rule.id, 'oversize')
  }
  return said('no_match', null, 'oversize')
}

/** The tool parts whose rules see a subject of any tool (rules.md §3). */
function toolPartsSeeing(subject: Subject): readonly string[] {
  if (subject.kind === 'path') return [subject.access]
  return subject.kind === 'host' ? ['web_fetch'] : []
}

/** An in-process read of a secret is denied, unless an ask or an allow names it on purpose. */
function readsCredential(
  secrets: readonly PathSubject[],
  from: Candidates,
  question: Question,
): boolean {
  const { tool } = question
  if (question.runsIn !== 'process' || tool.toLowerCase() === 'ls') return false
  return secrets.some(
    (path) =>
      path.access === 'read' &&
      !isSuspected(path) &&
      !isAllowed(from, tool, path) &&
      !from.suspecting('ask', tool, path).some(({ rule }) => asksOnPurpose(rule, question, path)),
  )
}

function asksOnPurpose(rule: BoundRule, question: Question, path: PathSubject): boolean {
  return (
    rule.effect === 'ask' &&
    suspectsSubject(rule, question.tool, path) &&
    namesOnPurpose(compileMatch(rule.match.text), path, question.roots)
  )
}

/** Secrets and kernel files that no allow names ask, and so does what may reach a denied thing; `accept_all` included. */
function builtinAsk(
  stored: readonly PathSubject[],
  from: Candidates,
  question: Question,
): string | null {
  const { tool, runsIn } = question
  const isOpen = (path: PathSubject): boolean => !isAllowed(from, allowingTool(tool, path), path)
  // Listing a name is not reading it.
  const isListed = (path: PathSubject): boolean =>
    tool.toLowerCase() === 'ls' || path.derived?.origin === 'listing'
  const secrets = [...stored, ...globbedSecrets(question)].filter((path) => !isListed(path))
  if (secrets.some(isOpen)) return 'builtin:credential'
  // A sandbox has a `/proc` and a `/dev` of its own.
  const seesHost = runsIn === 'process' || question.unconfined === true
  if (seesHost && pathsIn('@kernel', question).some(isOpen)) return 'builtin:kernel'
  if (hidesDenied(from, question)) return 'builtin:denied_suffix'
  return walksDenied(from, question) ? 'builtin:recursive' : null
}

/** Globs of a shell text that may match a store of credentials. */
function globbedSecrets({ subjects, roots }: Question): readonly PathSubject[] {
  return subjects.filter(
    (subject): subject is PathSubject => subject.kind === 'path' && mayMatchSecret(subject, roots),
  )
}

/** What a command reads is allowed by a rule for reading, whatever tool runs the command. */
function allowingTool(tool: string, path: PathSubject): string {
  return path.derived === undefined ? tool : path.access
}

function walksDenied(from: Candidates, { subjects, roots }: Question): boolean {
  return subjects.some(
    (subject) =>
      subject.kind === 'path' &&
      subject.derived?.tree !== undefined &&
      earliest(from.written('deny', subject.access), (rule) =>
        reachesDenied(rule, subject, roots),
      ) !== null,
  )
}

function pathsIn(
  name: '@credentials' | '@kernel',
  { subjects, roots }: Question,
): readonly PathSubject[] {
  return subjects.filter(
    (subject): subject is PathSubject =>
      subject.kind === 'path' &&
      subject.forms.some((form) => isInClass(name, form, { roots, claim: 'suspicion' })),
  )
}

function isAllowed(from: Candidates, tool: string, subject: Subject): boolean {
  return from
    .proving(tool, subject)
    .some(({ rule }) => rule.effect === 'allow' && provesSubject(rule, tool, subject))
}

/** What a call has that no allow of these rules covers. */
export function uncovered(rules: readonly BoundRule[], question: Question): readonly Subject[] {
  const from = candidatesOf(rules)
  return provable(question).filter((subject) => covering(from, question, subject) === null)
}

/** The first rule that covers anything, when rules together cover every subject. */
function coveringRule(from: Candidates, question: Question): BoundRule | null {
  const { tool } = question
  const subjects = provable(question)
  if (subjects.length === 0) {
    const passes = (rule: BoundRule): boolean => rule.effective && allowsWithoutSubjects(rule, tool)
    return earliest(from.naming('allow', tool), passes)?.rule ?? null
  }
  let first: Ranked | null = null
  for (const subject of subjects) {
    const found = covering(from, question, subject)
    if (found === null) return null
    if (first === null || found.rank < first.rank) first = found
  }
  return first?.rule ?? null
}

/** The first allow that covers the subject. */
function covering(from: Candidates, question: Question, subject: Subject): Ranked | null {
  const { tool } = question
  const lists = isRedirect(subject)
    ? [...from.written('allow', 'write'), ...from.naming('allow', tool)]
    : [from.proving(tool, subject)]
  return earliest(lists, (rule) => rule.effective && allowsSubject(rule, question, subject))
}

/** A redirection is a write, whatever tool runs the command. */
function allowsSubject(rule: BoundRule, question: Question, subject: Subject): boolean {
  if (!isRedirect(subject)) return provesSubject(rule, question.tool, subject)
  const carvedOut = rule.except.some((except) => suspects(except, subject))
  return !carvedOut && coversRedirect(rule.match, question, subject)
}

function suspects(match: BoundMatch, subject: Subject): boolean {
  try {
    return match.suspects(subject)
  } catch {
    // Taken out of the allow.
    return true
  }
}

function allowsWithoutSubjects(rule: BoundRule, tool: string): boolean {
  if (!rule.match.argumentFree || !named(rule.match, tool)) return false
  return !rule.except.some((except) => {
    try {
      return except.namesTool(tool)
    } catch {
      // Taken out of the allow.
      return true
    }
  })
}

function named(match: BoundMatch, tool: string): boolean {
  try {
    return match.namesTool(tool)
  } catch {
    // Not covered: the call needs another rule.
    return false
  }
}

/** Why shell text that an allow would otherwise have met is not allowed. */
function refusalReason(from: Candidates, { tool, subjects }: Question): ReasonCode | null {
  for (const subject of subjects) {
    if (subject.kind !== 'command') continue
    const code =
      subject.shell === 'bash' ? subject.analysis.refusals[0]?.code : ('unsupported_shell' as const)
    if (code === undefined) continue
    const meets = from
      .suspecting('allow', tool, subject)
      .some(({ rule }) => rule.effective && suspectsSubject(rule, tool, subject))
    if (meets) return `refused.${code}`
  }
  return null
}
