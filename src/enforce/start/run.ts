/** One executor under way (pipeline.md §6): whatever ends it first counts, and is recorded at once. */

import type { SandboxProfile } from '../../contract/sandbox.js'
import type { Execute, ToolContext } from '../../contract/tool.js'
import type { Facts } from '../../core/facts.js'
import type { SandboxedResult } from '../../sandbox/start/asked.js'
import { Reports } from './reports.js'
import { toolContext } from '../call/context.js'
import type { LiveCall, LiveSession, RunningCall, Stopped } from '../live-session.js'
import type { Settled } from '../settle.js'
import { hiddenBelow } from './hidden.js'
import { sandboxProfile } from './profile.js'
import { commandFacts, lateResult, note, stepResult, type End } from './step.js'

/** What runs, and under which verdict. */
export interface Judged {
  readonly settled: Settled & { readonly status: 'admitted' }
  readonly run: Execute<unknown>
}

/** Calls the executor before it returns. Resolves with the end that counts; never rejects. */
export function startRun(session: LiveSession, call: LiveCall, judged: Judged): Promise<End> {
  return new Run(session, call, judged.settled).start(judged.run)
}

class Run implements RunningCall {
  readonly call: LiveCall
  readonly facts: Facts
  readonly profile: SandboxProfile | null
  readonly done: Promise<void>
  private readonly session: LiveSession
  private readonly settled: Judged['settled']
  private readonly life = new AbortController()
  private readonly commands: SandboxedResult[] = []
  private readonly reports = new Reports()
  private readonly began: number
  private readonly ended: Promise<End>
  private stopListening: () => void = () => undefined
  private stopTimer: () => void = () => undefined
  private finish: () => void = () => undefined
  private tell: (end: Promise<End>) => void = () => undefined

  constructor(session: LiveSession, call: LiveCall, settled: Judged['settled']) {
    this.session = session
    this.call = call
    this.settled = settled
    this.facts = settled.facts
    const isConfined = call.prepared.call.runsIn === 'sandbox' && !settled.verdict.unconfined
    this.profile = isConfined ? profileOf(session, call, settled) : null
    this.began = session.around.clock.monotonicUs()
    this.done = new Promise((resolve) => {
      this.finish = resolve
    })
    this.ended = new Promise((resolve) => {
      this.tell = resolve
    })
  }

  start(run: Execute<unknown>): Promise<End> {
    const { session, call } = this
    session.running.add(this)
    session.unsettled.add(this)
    this.stopListening = call.signals.onAbort(() => this.end('cancelled'))
    const followed = this.follow(settle(run, call, this.context()))
    followed.catch((error: unknown) => this.tell(Promise.resolve({ status: 'error', error })))
    session.around.events.emit('dispatch', { callId: call.trail.callId })
    return this.ended
  }

  readonly end = (status: Stopped): void => this.close({ status })

  readonly limitTo = (ms: number): void => {
    const { clock } = this.session.around
    if (ms >= this.settled.policy.axes.sandbox.limits.timeoutMs) return
    this.stopTimer()
    const left = ms - (clock.monotonicUs() - this.began) / 1000
    this.stopTimer = clock.after(Math.max(0, left), () => this.end('timeout'))
  }

  private async follow(executor: Promise<End>): Promise<void> {
    const how = await executor
    this.session.unsettled.delete(this)
    this.finish()
    if (this.life.signal.aborted)
      await note(this.session, lateResult(this.call, how, this.commands))
    else this.close(how)
  }

  private close(how: End): void {
    if (this.life.signal.aborted) return
    this.life.abort() // every handle of the context dies here
    if (how.status !== 'ok' && how.status !== 'error') this.call.stopped.abort()
    this.session.running.delete(this)
    this.stopListening()
    this.stopTimer()
    // Sealed at once, so that nothing of this call, a late result least of all, comes before it.
    const step = stepResult(this.call, { ...how, started: true })
    const duration_us = this.session.around.clock.monotonicUs() - this.began
    const facts = { ...commandFacts(how, this.commands), ...this.reports.facts() }
    const record = { ...step, ...facts, duration_us }
    this.tell(note(this.session, record).then(() => how))
  }

  /** A grant is bound to the policy that it was judged under: under another one the call ends here, on record (S1-39). */
  private isCurrent(): boolean {
    const isSame = this.session.policy.revision === this.settled.policy.revision
    if (!isSame) this.end('revoked')
    return isSame
  }

  private context(): ToolContext {
    const { session, call, settled, life } = this
    return toolContext(
      {
        prepared: call.prepared,
        subjects: settled.facts.subjects,
        profile: profileOf(session, call, settled),
        policyDigest: settled.policy.revision,
        mayStart: () => this.isCurrent(),
        unconfined: settled.verdict.unconfined,
        session: session.home.nested(session, call, () => !life.signal.aborted),
        authorize: (url) => session.home.authorize(session, call, url),
        report: (facts) => this.reports.add(facts),
        isHidden: hiddenBelow(call.prepared.call.tool, () => session.policy, session.around),
        signal: life.signal,
        isAlive: () => !life.signal.aborted,
        ran: (result) => this.commands.push(result),
      },
      session.around,
    )
  }
}

function profileOf(
  { around }: LiveSession,
  { prepared }: LiveCall,
  { policy }: Judged['settled'],
): SandboxProfile {
  return sandboxProfile(policy, prepared.call, around)
}

async function settle(run: Execute<unknown>, call: LiveCall, context: ToolContext): Promise<End> {
  try {
    return { status: 'ok', value: await run(call.prepared.args, context) }
  } catch (error) {
    // The tool's own fault: it ran, and its caller gets what it threw.
    return { status: 'error', error }
  }
}
