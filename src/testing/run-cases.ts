/** Runs conformance cases through the real pipeline (rules.md §7): what `sixgate test` and suites do. */

import type { Responder } from '../contract/approval.js'
import type { Policy } from '../contract/policy.js'
import type { Check } from '../contract/outcome.js'
import type { CallRequest, Session, Sixgate } from '../contract/session.js'
import { ConfigError, DelegationError, type ConfigCode } from '../core/errors.js'
import { definePolicy } from '../policy/define.js'
import type { CaseDecision, CaseDelegation, PolicyCase } from './case-format.js'
import { completedPolicy } from './case-policy.js'
import { caseTools } from './case-tools.js'
import { createTestSixgate } from './create-test-sixgate.js'
import { fakeClock, type FakeClock } from './fake-clock.js'
import { NOT_YET_RUN, whyNotYetRun } from './not-yet-run.js'
import { scriptedResponder } from './scripted-responder.js'

/** What a call came to, and who decided. */
export interface CaseEnd {
  readonly decision: CaseDecision
  readonly layer: string | null
  readonly matchedRule: string | null
}

/** A case that is not run counts as neither passed nor failed. */
export type CaseReport =
  | { readonly id: string; readonly status: 'passed' | 'failed'; readonly end: CaseEnd }
  | { readonly id: string; readonly status: 'failed'; readonly fault: string }
  | { readonly id: string; readonly status: 'not_yet_run'; readonly reason: string }

/** Runs one case. `policy` stands as it is for a case without its own. Never rejects. */
export async function runCase(one: PolicyCase, policy?: Policy): Promise<CaseReport> {
  const { id, expect } = one
  const reason = whyNotYetRun(one)
  if (reason !== null) return { id, status: 'not_yet_run', reason: NOT_YET_RUN[reason] }
  try {
    const end = await endOf(one, policy)
    const isRight =
      expect.decision.includes(end.decision) &&
      (expect.layer === undefined || expect.layer === end.layer) &&
      (expect.matched_rule === undefined || expect.matched_rule === end.matchedRule)
    return { id, status: isRight ? 'passed' : 'failed', end }
  } catch (error) {
    // Failed: a case that cannot be set up proves nothing.
    return { id, status: 'failed', fault: error instanceof Error ? error.message : String(error) }
  }
}

/** Runs cases one after the other, in order. */
export async function runCases(
  cases: readonly PolicyCase[],
  policy?: Policy,
): Promise<readonly CaseReport[]> {
  const reports: CaseReport[] = []
  for (const one of cases) reports.push(await runCase(one, policy))
  return reports
}

async function endOf(one: PolicyCase, policy: Policy | undefined): Promise<CaseEnd> {
  const clock = fakeClock()
  const made = make(one, policy, clock)
  if (made === null) return LOAD_ERROR
  await using sixgate = made
  await using root = await sixgate.session({ cwd: one.context.cwd })
  const session = await descend(root, one.delegate ?? [])
  if (session === null) return LOAD_ERROR
  const call = { tool: one.call.tool, args: one.call.args ?? {}, callId: 'case' }
  if (one.context.responder === undefined) return checked(await session.check(call))
  // Waited for here: leaving the block closes the session.
  return await evaluated(session, call)
}

const LOAD_ERROR: CaseEnd = { decision: 'load_error', layer: null, matchedRule: null }

/** The innermost child; `null` when one of them is refused. Children end with their root. */
async function descend(
  root: Session,
  delegations: readonly CaseDelegation[],
): Promise<Session | null> {
  let session = root
  try {
    for (const { kind, constraints } of delegations) {
      session =
        kind === 'fork'
          ? await session.fork(constraints, { history: [] })
          : await session.spawn(constraints)
    }
    return session
  } catch (error) {
    // Denied: there is no such child. Any other fault is no answer to the case.
    if (error instanceof DelegationError) return null
    throw error
  }
}

/** `null` when the policy is refused: by its own checks, or when it is bound to the workspace. */
function make(one: PolicyCase, policy: Policy | undefined, clock: FakeClock): Sixgate | null {
  const { workspace, home, links = {}, hardlinks, sandbox = 'ready', responder } = one.context
  const { platform = 'linux' } = one.context
  try {
    return createTestSixgate(
      {
        policy:
          one.policy === undefined && policy !== undefined
            ? policy
            : definePolicy(completedPolicy(one.policy ?? {})),
        workspace,
        tools: caseTools(one),
        responder: responderOf(responder ?? 'yes', clock),
      },
      { clock, home, links, hardlinks, sandbox, temporary: [TEMPORARY[platform]], platform },
    )
  } catch (error) {
    // Denied: everything. Only what is wrong with the policy is the case's own answer.
    if (error instanceof ConfigError && !SET_UP.includes(error.code)) return null
    throw error
  }
}

/** Where each platform keeps temporary files. */
const TEMPORARY = { linux: '/tmp', darwin: '/private/tmp', win32: 'C:\\Temp' } as const

/** Faults of the context of a case, not of its policy. */
const SET_UP: readonly ConfigCode[] = [
  'workspace_refused',
  'invalid_tool',
  'duplicate_tool',
  'invalid_option',
]

function responderOf(
  behaviour: NonNullable<PolicyCase['context']['responder']>,
  clock: FakeClock,
): Responder | undefined {
  const kind = 'human'
  switch (behaviour) {
    case 'none':
      return undefined
    case 'yes':
      return scriptedResponder(() => ({ answer: 'approve' }), { kind })
    case 'no':
      return scriptedResponder(() => ({ answer: 'reject' }), { kind })
    case 'throws':
      return scriptedResponder([], { kind })
    case 'timeout':
      return scriptedResponder(() => silence(clock), { kind })
  }
}

/** Nobody answers, and a day goes by. */
function silence(clock: FakeClock): Promise<never> {
  setImmediate(() => clock.advance(24 * 60 * 60 * 1000))
  return new Promise(() => undefined)
}

function checked({ decision, visits }: Check): CaseEnd {
  const by = visits.findLast((visit) => decides(visit, decision))
  return { decision, layer: by?.layer ?? null, matchedRule: by?.matchedRule ?? null }
}

const DECISIONS = { admitted: 'allow', suspended: 'ask', denied: 'deny' } as const

async function evaluated(session: Session, call: CallRequest): Promise<CaseEnd> {
  const { status, callId } = await session.evaluate(call)
  const decision = DECISIONS[status]
  const nodes = await session.chain(callId)
  const by = nodes.find((node) => decides(node, decision))
  return { decision, layer: by?.layer ?? null, matchedRule: by?.matched_rule ?? null }
}

/** A gate that lets a call pass has not granted it: the one before did. */
function decides(
  { layer, decision }: { readonly layer: string; readonly decision: string },
  end: 'allow' | 'ask' | 'deny',
): boolean {
  if (decision !== end) return false
  return end !== 'allow' || GRANTING.includes(layer)
}

const GRANTING: readonly string[] = ['guard', 'user_rule', 'tool_approval', 'approval_response']
