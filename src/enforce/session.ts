/** The session that a host holds (api.md): a frozen face of what `LiveSession` keeps. */

import type { Admitted, Outcome, Result } from '../contract/outcome.js'
import type {
  CallRequest,
  CallSession,
  CloseReason,
  Direct,
  DirectOptions,
  Session,
} from '../contract/session.js'
import type { ChildKind, Delegation } from '../contract/delegation.js'
import type { CallId } from '../core/ids.js'
import { AdmissionError, SandboxError } from '../core/errors.js'
import { canonicalDigest } from '../encoding/canonical.js'
import { walkBack } from '../trace/chain.js'
import { fieldOf } from './ask/answer.js'
import { check } from './check.js'
import { dispatch } from './dispatch.js'
import { fixedChildren } from './call/fixed-children.js'
import { AGENT, evaluate, type Maker } from './evaluate.js'
import { createChild } from './lineage/spawn.js'
import { tighten } from './lineage/tighten.js'
import type { LiveCall, LiveSession } from './live-session.js'
import { cancelledBeforeStart, unrecorded } from './messages.js'
import { visibleTools } from './visible-tools.js'

/** The public face; `close` is shared with the object that made the session. */
export function faceOf(live: LiveSession, close: (reason?: CloseReason) => Promise<void>): Session {
  return Object.freeze<Session>({
    ...judging(live, AGENT),
    id: live.id,
    get revision() {
      return live.policy.revision
    },
    ...(live.history === undefined ? {} : { history: live.history }),
    dispatchInline: async <R>(
      admission: Parameters<Session['dispatchInline']>[0],
      run: Parameters<Session['dispatchInline']>[1],
    ) => (await dispatch(live, admission, { kind: 'inline', run })) as Result<R>,
    spawn: (delegation = {}) => birth(live, { kind: 'spawn', delegation, dialogue: null }),
    fork: (delegation, dialogue) =>
      birth(live, { kind: 'fork', delegation, dialogue: historyOf(dialogue) }),
    tighten: (narrowing) => tighten(live, narrowing),
    chain: (callId) => walkBack(live.home.store.read(live.runId), callId),
    close,
    [Symbol.asyncDispose]: () => close(),
  })
}

/** The session inside a call: every use is judged again as a nested call, and dies with the call. */
export function callSession(
  live: LiveSession,
  call: LiveCall,
  isAlive: () => boolean,
): CallSession {
  const { callId } = call.trail
  const nested = judging(live, { by: 'call', within: call })
  const whileAlive =
    <A extends readonly unknown[], T>(use: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      if (!isAlive()) throw CALL_ENDED
      return use(...args)
    }
  return Object.freeze<CallSession>({
    id: live.id,
    get revision() {
      return live.policy.revision
    },
    check: whileAlive(nested.check),
    evaluate: whileAlive(nested.evaluate),
    dispatch: whileAlive(nested.dispatch) as CallSession['dispatch'],
    run: whileAlive((request: CallRequest) =>
      startAlive(live, nested.evaluate(request), isAlive),
    ) as CallSession['run'],
    visibleTools: nested.visibleTools,
    spawn: whileAlive((delegation: Delegation = {}) =>
      birth(live, { kind: 'spawn', delegation, dialogue: null, callId }),
    ),
    fork: whileAlive((delegation: Delegation, dialogue: { readonly history: unknown }) =>
      birth(live, { kind: 'fork', delegation, dialogue: historyOf(dialogue), callId }),
    ),
  })
}

/** Somebody may have been asked for longer than the outer call ran: then the inner one does not start. */
async function startAlive(
  live: LiveSession,
  judged: Promise<Outcome>,
  isAlive: () => boolean,
): Promise<Result<unknown>> {
  const outcome = await judged
  if (outcome.status !== 'admitted') return outcome
  return isAlive() ? start(live, outcome) : cancelledBeforeStart(live.around.words, outcome.callId)
}

const CALL_ENDED = new SandboxError(
  'call_ended',
  'the call has ended',
  'use the session of the host outside of calls',
)

/** The host's own calls (pipeline.md §4 "Origins"): what it fixes now may be made as its own, and nothing else. */
export function directFace(live: LiveSession): Direct {
  return Object.freeze<Direct>({
    run: async <R>(call: CallRequest, options?: DirectOptions) => {
      const fixed = fixedChildren(fieldOf(options, 'children'))
      return (await run(live, call, { by: 'host', fixed })) as Result<R>
    },
  })
}

type Judging = Pick<CallSession, 'check' | 'evaluate' | 'dispatch' | 'run' | 'visibleTools'>

function judging(live: LiveSession, maker: Maker): Judging {
  return {
    check: (call) => check(live, call, maker),
    evaluate: (call) => evaluate(live, call, maker),
    dispatch: async <R>(admission: Parameters<Session['dispatch']>[0]) =>
      (await dispatch(live, admission, { kind: 'registered' })) as Result<R>,
    run: async <R>(call: Parameters<Session['run']>[0]) =>
      (await run(live, call, maker)) as Result<R>,
    visibleTools: () => visibleTools(live.around.tools.all(), live.policy),
  }
}

/** Evaluates and dispatches; never rejects. */
async function run(live: LiveSession, call: CallRequest, maker: Maker): Promise<Result<unknown>> {
  const outcome = await evaluate(live, call, maker)
  return outcome.status === 'admitted' ? start(live, outcome) : outcome
}

async function start(live: LiveSession, { callId, admission }: Admitted): Promise<Result<unknown>> {
  try {
    return await dispatch(live, admission, { kind: 'registered' })
  } catch (error) {
    // Nothing was started here: another run of the same call was first, or there is nothing to start.
    if (error instanceof AdmissionError && error.code === 'already_used') {
      return unrecorded(live.around.words, 'already_dispatched', callId)
    }
    return { status: 'error', callId, error, message: live.around.words.cannotStart }
  }
}

interface Wanted {
  readonly kind: ChildKind
  readonly delegation: Delegation
  readonly dialogue: unknown
  readonly callId?: CallId | undefined
}

async function birth(live: LiveSession, wanted: Wanted): Promise<Session> {
  const { callId = null, ...rest } = wanted
  return live.home.faceOf(await createChild(live, { ...rest, callId }))
}

/** The history of what was handed in as a dialogue; whatever it is, the birth checks it. */
function historyOf(dialogue: unknown): unknown {
  return Reflect.get(Object(dialogue) as object, 'history')
}

/** Identity of a workspace in the control directory: a digest, so that no path is a folder name. */
export function workspaceId(workspace: string): string {
  return canonicalDigest(workspace).slice(0, 32)
}

/** Where the runs of policies on trial are: never beside those that hold. */
export function shadowId(workspace: string): string {
  return canonicalDigest({ shadow: workspace }).slice(0, 32)
}
