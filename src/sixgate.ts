/** The composition root (api.md `createSixgate`): the only place that builds things. */

import type { Outcome } from './contract/outcome.js'
import type { Policy } from './contract/policy.js'
import type { Session, Sixgate, SixgateOptions } from './contract/session.js'
import { compose, systemPorts, type Parts } from './compose.js'
import { ConfigError, SnapshotError } from './core/errors.js'
import type { PolicyRevision, SessionId } from './core/ids.js'
import { authorizeHost } from './enforce/call/authorize.js'
import { publicHooks, recordHook } from './enforce/guards/hook-records.js'
import { fieldOf } from './enforce/ask/answer.js'
import { resolve, type Resolution } from './enforce/ask/resolve.js'
import { abortTurn } from './enforce/lineage/abort-turn.js'
import { closeSession } from './enforce/lineage/close.js'
import { saveSnapshot } from './enforce/lineage/keep.js'
import { resumeSession } from './enforce/lineage/resume.js'
import { countOf } from './enforce/lineage/tighten.js'
import type { LiveSession, SessionHome } from './enforce/live-session.js'
import { unrecorded } from './enforce/messages.js'
import { revisit } from './enforce/running.js'
import { callSession, directFace, faceOf } from './enforce/session.js'
import { openSession } from './open-session.js'
import { contentOf } from './trace/content.js'
import { loadWords } from './words/speak.js'

/**
 * Checks everything at once and opens nothing before the first session.
 * Throws `ConfigError` for a workspace, policy, tool or store that must not be used.
 */
export function createSixgate(options: SixgateOptions): Sixgate {
  return build(compose(options, systemPorts()))
}

/** As `createSixgate`, from parts of a test's own making. */
export function build(parts: Parts): Sixgate {
  const sessions = new Sessions(parts)
  return Object.freeze<Sixgate>({
    session: (options) => sessions.begin(options),
    resume: (id, { policy } = {}) => sessions.resume(id, policy),
    // eslint-disable-next-line max-params -- the public signature
    resolve: (ticket, call, answer, by) => sessions.resolve({ ticket, call, answer, by }),
    replacePolicy: (face, policy) => sessions.replacePolicy(face, policy),
    direct: (face) => directFace(sessions.own(face)),
    userTurn: (face) => sessions.own(face).askBook.reset(),
    abortTurn: (face, turn) => abortTurn(sessions.own(face), turn),
    hooks: publicHooks(parts.around.hooks),
    on: parts.around.events.on,
    [Symbol.asyncDispose]: () => sessions.close(),
  })
}

/** The sessions of one `createSixgate`, and the store that they share once the first one opens it. */
class Sessions {
  private readonly parts: Parts
  private readonly byFace = new Map<Session, LiveSession>()
  private readonly byId = new Map<SessionId, Session>()
  private readonly resuming = new Map<SessionId, Promise<Session>>()
  private opened: Promise<SessionHome> | undefined

  constructor(parts: Parts) {
    this.parts = parts
  }

  private home(): Promise<SessionHome> {
    this.opened ??= this.open().catch((cause: unknown) => {
      this.opened = undefined // the next session tries again
      throw cause
    })
    return this.opened
  }

  async begin(options: Parameters<Sixgate['session']>[0]): Promise<Session> {
    return this.face(await openSession(this.parts, () => this.home(), options))
  }

  async resolve(resolution: Resolution): Promise<Outcome> {
    const { around, language } = this.parts
    const claimed = fieldOf(resolution.ticket, 'session_id')
    const session = typeof claimed === 'string' ? await this.find(claimed as SessionId) : null
    if (session === null) {
      return unrecorded(await loadWords(language), 'session_closed', around.ids.call())
    }
    return resolve(session, resolution)
  }

  /** A session of this object, open or not. */
  own(face: Session): LiveSession {
    const session = this.byFace.get(face)
    if (session !== undefined) return session
    throw new ConfigError('invalid_option', 'the session is not one of this object', {
      path: ['session'],
    })
  }

  async replacePolicy(face: Session, policy: Policy): Promise<PolicyRevision> {
    const session = this.byFace.get(face)
    if (session?.kind !== 'root' || session.closing.signal.aborted) {
      throw new ConfigError(
        'not_a_root',
        'only an open root session of this object has a policy to replace',
      )
    }
    return replace(session, policy, this.parts)
  }

  private face(live: LiveSession): Session {
    let closed: Promise<void> | undefined
    const face = faceOf(live, (reason = 'completed') => (closed ??= closeSession(live, reason)))
    this.byFace.set(face, live)
    this.byId.set(live.id, face)
    return face
  }

  /** A session that is live, or that can be brought back without a choice of the host. */
  private async find(id: SessionId): Promise<LiveSession | null> {
    const face = this.byId.get(id)
    if (face !== undefined) return this.byFace.get(face) ?? null
    try {
      return this.byFace.get(await this.resume(id, undefined)) ?? null
    } catch {
      // A session that cannot be resumed exactly answers nothing.
      return null
    }
  }

  resume(id: SessionId, choice: 'snapshot' | 'meet' | undefined): Promise<Session> {
    const known = this.resuming.get(id)
    if (known !== undefined) return known
    const resumed = this.bringBack(id, choice).finally(() => this.resuming.delete(id))
    this.resuming.set(id, resumed)
    return resumed
  }

  async close(): Promise<void> {
    const closed = await Promise.allSettled([...this.byFace.keys()].map((face) => face.close()))
    await (await this.opened)?.store.close()
    // One run that could not be ended keeps no other open.
    for (const one of closed) if (one.status === 'rejected') throw one.reason
  }

  private async bringBack(
    id: SessionId,
    choice: 'snapshot' | 'meet' | undefined,
  ): Promise<Session> {
    const live = this.byId.get(id)
    if (live !== undefined && this.byFace.get(live)?.closing.signal.aborted === false) {
      throw new SnapshotError('session_live', 'the session is open in this process')
    }
    const given = { axes: this.parts.given(), choice }
    return this.face(await resumeSession(await this.home(), id, given))
  }

  private async open(): Promise<SessionHome> {
    const { around, language, store, ledgerId, bind } = this.parts
    const sessions = new Set<LiveSession>()
    await loadWords(language)
    const opened = await store.open(ledgerId)
    around.hooks.onChange((change) => recordHook(sessions, change))
    return {
      enforcement: 'enforced',
      around,
      store: opened,
      bind: (axes, count, isDelegated) => bind(axes, { count, isDelegated }),
      faceOf: (live) => this.face(live),
      nested: callSession,
      authorize: authorizeHost,
      sessions,
      tightenings: [],
    }
  }
}

/** In force the moment it is bound: what runs is looked at again, and the record follows. Touches no child (S0-33). */
async function replace(
  session: LiveSession,
  policy: Policy,
  parts: Parts,
): Promise<PolicyRevision> {
  const from = session.policy.revision
  const axes = parts.unite([policy])
  const next = parts.bind(axes, { count: countOf(from) + 1, isDelegated: false })
  const change = {
    kind: 'policy_change',
    from,
    to: next.revision,
    source: 'host',
    by: null,
    constraints: null,
    policy: contentOf(next.axes),
  } as const
  session.policy = next
  const written = session.recorder.write([change], 'durable')
  revisit(session, next)
  await Promise.all([written, saveSnapshot(session)])
  return next.revision
}
