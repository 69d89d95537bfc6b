/** What an executor is handed (api.md `ToolContext`): handles of this call that die with it. */

import type { ExecResult, SandboxExec, SandboxProfile } from '../../contract/sandbox.js'
import type { Outcome } from '../../contract/outcome.js'
import type { CallSession } from '../../contract/session.js'
import type { CallFiles } from '../../contract/files.js'
import type { ReportedFacts, ToolContext } from '../../contract/tool.js'
import { SandboxError } from '../../core/errors.js'
import type { CommandSubject, Subject } from '../../core/subject.js'
import { callFiles } from './call-files.js'
import type { SandboxedResult } from '../../sandbox/runner.js'
import type { Surroundings } from '../surroundings.js'
import { realFolder } from './subjects.js'
import type { Prepared } from './prepare.js'

/** What this call was judged for, and how long its handles live. */
export interface Grant {
  readonly prepared: Prepared
  readonly subjects: readonly Subject[]
  readonly profile: SandboxProfile
  readonly unconfined: boolean
  /** What the profile was made from. */
  readonly policyDigest: string
  /** False once another policy is in force: a network grant opens nothing then. */
  readonly mayStart: () => boolean
  /** Bound to this call. */
  readonly session: CallSession
  /** True for files below a judged folder that this policy keeps from the call. */
  readonly isHidden: (real: string) => boolean
  /** Aborts when the call ends in any way. */
  readonly signal: AbortSignal
  readonly isAlive: () => boolean
  /** Judges one more host, as a nested call of the same tool. */
  readonly authorize: (url: string) => Promise<Outcome>
  /** Takes what the executor says of itself. Throws for what is no such fact. */
  readonly report: (facts: ReportedFacts) => void
  /** Told about every command that ran, for the record of the step. */
  readonly ran: (result: SandboxedResult) => void
}

/** Handles that refuse with `SandboxError not_judged` and, after the call, `call_ended`. */
export function toolContext(grant: Grant, around: Surroundings): ToolContext {
  return Object.freeze({
    callId: grant.prepared.call.callId,
    signal: grant.signal,
    session: grant.session,
    sandbox: Object.freeze({ exec: (request: SandboxExec) => exec(request, grant, around) }),
    files: Object.freeze(openFiles(grant, around)),
    hosts: Object.freeze({ authorize: (url: string) => authorize(grant, url) }),
    report: (facts: ReportedFacts) => {
      demandAlive(grant)
      grant.report(facts)
    },
  })
}

async function authorize(grant: Grant, url: string): Promise<Outcome> {
  demandAlive(grant)
  const outcome = await grant.authorize(url)
  // What was permitted while the call ran is nobody's right after it.
  demandAlive(grant)
  return outcome
}

function demandAlive({ isAlive }: Grant): void {
  if (isAlive()) return
  throw new SandboxError('call_ended', 'the call has ended', 'use its handles only while it runs')
}

/** What could not be resolved was judged as outside and protected, what a shell text names is the shell's to open. */
function openFiles({ subjects, isHidden, isAlive }: Grant, around: Surroundings): CallFiles {
  const judged = subjects.flatMap((one) =>
    one.kind === 'path' && one.real !== null && one.derived === undefined
      ? [{ given: one.given, access: one.access, real: one.real }]
      : [],
  )
  const { workspace } = around.roots
  return callFiles(judged, isAlive, { files: around.files, workspace, isHidden })
}

async function exec(request: SandboxExec, grant: Grant, around: Surroundings): Promise<ExecResult> {
  demandAlive(grant)
  if (!isJudged(request, grant)) {
    throw new SandboxError(
      'not_judged',
      'this is not the command that was judged',
      'run exactly the command that the tool stated as its need',
    )
  }
  const { profile, unconfined } = grant
  const given = inFolder(grant.prepared.call.cwd, request.cwd)
  // Inside the sandbox the boundary itself refuses other folders; outside of it nothing else would.
  const cwd = unconfined ? await realFolder(given, around) : given
  if (cwd === null) {
    throw new SandboxError(
      'not_judged',
      'the folder to start in is outside of the workspace',
      'start in a folder of the workspace',
    )
  }
  const signal =
    request.signal === undefined ? grant.signal : AbortSignal.any([grant.signal, request.signal])
  const { mayStart } = grant
  const result = await around.sandbox.exec(
    profile,
    { ...request, cwd, signal },
    { unconfined, session: grant.session.id, mayStart },
  )
  const use = result.grant && { ...result.grant, policyDigest: grant.policyDigest }
  const told = use === undefined ? result : { ...result, grant: use }
  grant.ran(told)
  return told
}

/** A relative folder starts at the call's own. */
function inFolder(base: string, given: string | undefined): string {
  if (given === undefined) return base
  return given.startsWith('/') ? given : `${base}/${given}`
}

/** A command by its text, an argument list by the words that the analysis found. */
function isJudged(request: SandboxExec, { subjects }: Grant): boolean {
  const commands = subjects.filter((one): one is CommandSubject => one.kind === 'command')
  if (request.command !== undefined && request.argv !== undefined) return false
  if (request.command !== undefined) {
    return commands.some((one) => one.shell === 'bash' && one.command === request.command)
  }
  const words = JSON.stringify(request.argv)
  return commands.some(
    ({ analysis }) =>
      analysis.refusals.length === 0 &&
      analysis.commands.length === 1 &&
      analysis.commands[0]?.dynamic === undefined &&
      JSON.stringify(analysis.commands[0]?.argv) === words,
  )
}
