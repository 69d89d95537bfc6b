/** The oracle of the rule index: layer 3 as one scan over all rules after another, with no index and no memory. */

import type { Decision, Effect } from '../../src/core/effect.js'
import type { ReasonCode } from '../../src/core/reasons.js'
import {
  describeSubject,
  isSuspected,
  type CommandSubject,
  type PathSubject,
  type Subject,
} from '../../src/core/subject.js'
import type { BoundMatch, BoundRule } from '../../src/policy/effective-policy.js'
import { concerns, fires, provesSubject, suspectsSubject } from '../../src/policy/rules/applies.js'
import { mayBeIn } from '../../src/policy/rules/classes.js'
import { compileMatch, namesOnPurpose } from '../../src/policy/rules/match.js'
import { isOversize, provable, type Question } from '../../src/policy/rules/question.js'
import { coversRedirect, isRedirect } from '../../src/policy/rules/commands/redirects.js'
import { mayMatchSecret } from '../../src/policy/rules/commands/secrets.js'
import type { RuleVerdict } from '../../src/policy/rules/verdict.js'
import { reachesDenied } from '../../src/policy/rules/commands/trees.js'

/** Judges one call. Rules stand in the order of their declaration, outermost ancestor first. */
export function judgeEvery(rules: readonly BoundRule[], question: Question): RuleVerdict {
  if (isOversize(question)) return judgeOversize(rules, question)
  const firing = (effect: Effect): BoundRule | undefined =>
    rules.find((rule) => rule.effect === effect && fires(rule, question))
  const deny = firing('deny')
  if (deny !== undefined) return said('deny', deny.id, 'rule')
  if (readsCredential(rules, question)) return said('deny', 'builtin:credential', 'credential')
  const ask = firing('ask')
  if (ask !== undefined) return said('ask', ask.id, null)
  const builtin = builtinAsk(rules, question)
  if (builtin !== null) return said('ask', builtin, null)
  const allow = coveringRule(rules, question)
  if (allow !== null) return said('allow', allow.id, null)
  return said('no_match', null, refusalReason(rules, question))
}

/** Each subject with the ids of every rule that meets it, for people. */
export function everyRuleMet(
  rules: readonly BoundRule[],
  question: Question,
): readonly { readonly subject: string; readonly rules: readonly string[] }[] {
  return question.subjects.map((subject) => ({
    subject: describeSubject(subject),
    rules: rules
      .filter((rule) =>
        rule.effect === 'allow'
          ? provesSubject(rule, question.tool, subject)
          : suspectsSubject(rule, question.tool, subject),
      )
      .map((rule) => rule.id),
  }))
}

function said(
  decision: Decision,
  matchedRule: string | null,
  reason: ReasonCode | null,
): RuleVerdict {
  return { decision, matchedRule, reason }
}

/** H-07: what is too large to look at meets every deny and ask of its tool, and no allow. */
function judgeOversize(rules: readonly BoundRule[], question: Question): RuleVerdict {
  for (const effect of ['deny', 'ask'] as const) {
    const rule = rules.find((one) => one.effect === effect && concerns(one, question))
    if (rule !== undefined) return said(effect, rule.id, 'oversize')
  }
  return said('no_match', null, 'oversize')
}

/** An in-process read of a secret is denied, unless an ask or an allow names it on purpose. */
function readsCredential(rules: readonly BoundRule[], question: Question): boolean {
  if (question.runsIn !== 'process' || question.tool.toLowerCase() === 'ls') return false
  return pathsIn('@credentials', question).some(
    (path) =>
      path.access === 'read' &&
      !isSuspected(path) &&
      !isAllowed(rules, question.tool, path) &&
      !rules.some((rule) => asksOnPurpose(rule, question, path)),
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
function builtinAsk(rules: readonly BoundRule[], question: Question): string | null {
  const { tool, runsIn } = question
  const isOpen = (path: PathSubject): boolean => !isAllowed(rules, allowingTool(tool, path), path)
  // Listing a name is not reading it.
  const isListed = (path: PathSubject): boolean =>
    tool.toLowerCase() === 'ls' || path.derived?.origin === 'listing'
  const secrets = secretPaths(question).filter((path) => !isListed(path))
  if (secrets.some(isOpen)) return 'builtin:credential'
  // A sandbox has a `/proc` and a `/dev` of its own.
  const seesHost = runsIn === 'process' || question.unconfined === true
  if (seesHost && pathsIn('@kernel', question).some(isOpen)) return 'builtin:kernel'
  if (hidesDenied(rules, question)) return 'builtin:denied_suffix'
  return walksDenied(rules, question) ? 'builtin:recursive' : null
}

/** Stores of credentials, and globs of a shell text that may match one. */
function secretPaths(question: Question): readonly PathSubject[] {
  const { subjects, roots } = question
  const matched = subjects.filter(
    (subject): subject is PathSubject => subject.kind === 'path' && mayMatchSecret(subject, roots),
  )
  return [...pathsIn('@credentials', question), ...matched]
}

/** What a command reads is allowed by a rule for reading, whatever tool runs the command. */
function allowingTool(tool: string, path: PathSubject): string {
  return path.derived === undefined ? tool : path.access
}

/** A program that no table knows may run any of its words. */
function hidesDenied(rules: readonly BoundRule[], { tool, subjects }: Question): boolean {
  const strict = rules.filter((rule) => rule.effect !== 'allow' && !rule.match.argumentFree)
  if (strict.length === 0) return false
  return subjects.some(
    (subject) =>
      subject.kind === 'command' &&
      suffixesOf(subject).some((suffix) =>
        strict.some((rule) => suspectsSubject(rule, tool, suffix)),
      ),
  )
}

function suffixesOf(subject: CommandSubject): readonly CommandSubject[] {
  return subject.analysis.commands
    .filter((command) => command.unknown === true && command.role !== 'suspected')
    .flatMap(({ argv }) => argv.slice(1).map((_, index) => argv.slice(index + 1)))
    .map((argv) => ({
      ...subject,
      command: argv.join(' '),
      analysis: { commands: [{ argv }], refusals: [] },
    }))
}

function walksDenied(rules: readonly BoundRule[], { subjects, roots }: Question): boolean {
  const denies = rules.filter((rule) => rule.effect === 'deny')
  return subjects.some(
    (subject) =>
      subject.kind === 'path' &&
      subject.derived?.tree !== undefined &&
      denies.some((rule) => reachesDenied(rule, subject, roots)),
  )
}

function pathsIn(
  name: '@credentials' | '@kernel',
  { subjects, roots }: Question,
): readonly PathSubject[] {
  return subjects.filter(
    (subject): subject is PathSubject => subject.kind === 'path' && mayBeIn(name, subject, roots),
  )
}

function isAllowed(rules: readonly BoundRule[], tool: string, subject: Subject): boolean {
  return rules.some((rule) => rule.effect === 'allow' && provesSubject(rule, tool, subject))
}

/** The first rule that covers anything, when rules together cover every subject. */
function coveringRule(rules: readonly BoundRule[], question: Question): BoundRule | null {
  const allows = rules.filter((rule) => rule.effect === 'allow' && rule.effective)
  const subjects = provable(question)
  if (subjects.length === 0) {
    return allows.find((rule) => allowsWithoutSubjects(rule, question.tool)) ?? null
  }
  const used = new Set<BoundRule>()
  for (const subject of subjects) {
    const rule = allows.find((one) => allowsSubject(one, question, subject))
    if (rule === undefined) return null
    used.add(rule)
  }
  return allows.find((rule) => used.has(rule)) ?? null
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
function refusalReason(rules: readonly BoundRule[], question: Question): ReasonCode | null {
  for (const subject of question.subjects) {
    if (subject.kind !== 'command') continue
    const code =
      subject.shell === 'bash' ? subject.analysis.refusals[0]?.code : ('unsupported_shell' as const)
    if (code === undefined) continue
    const meets = rules.some(
      (rule) =>
        rule.effect === 'allow' && rule.effective && suspectsSubject(rule, question.tool, subject),
    )
    if (meets) return `refused.${code}`
  }
  return null
}
