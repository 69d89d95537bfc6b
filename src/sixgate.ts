/** The composition root (api.md `createSixgate`): the only place that builds things. */

import type { Policy } from './contract/policy.js'
import type { Session, Sixgate, SixgateOptions } from './contract/session.js'
import { compose, systemPorts, type Parts } from './compose.js'
import { ConfigError } from './core/errors.js'
import type { PolicyRevision } from './core/ids.js'
import { deriveKey } from './encoding/digest.js'
import { fieldOf } from './enforce/ask/answer.js'
import { resolve } from './enforce/ask/resolve.js'
import type { LiveSession } from './enforce/live-session.js'
import { unrecorded } from './enforce/messages.js'
import { revisit } from './enforce/running.js'
import { closeSession, faceOf, openSession, workspaceId } from './enforce/session.js'
import { realFolder } from './enforce/call/subjects.js'
import { secretKey } from './platform/secret-key.js'
import { contentOf } from './trace/content.js'
import type { PolicyChangeRecord } from './trace/records.js'
import type { Ledger } from './trace/ledger.js'

/**
 * Checks everything at once and opens nothing before the first session.
 * Throws `ConfigError` for a workspace, policy, tool or store that must not be used.
 */
export function createSixgate(options: SixgateOptions): Sixgate {
  return build(compose(options, systemPorts()))
}

/** As `createSixgate`, from parts of a test's own making. */
export function build(parts: Parts): Sixgate {
  const live = new Map<Session, LiveSession>()
  const byId = new Map<string, LiveSession>()
  const key = secretKey()
  let opened: Promise<Ledger> | undefined
  const ledger = (): Promise<Ledger> => {
    opened ??= parts.store
      .open(workspaceId(parts.around.roots.workspace))
      .catch((cause: unknown) => {
        opened = undefined // the next session tries again
        throw cause
      })
    return opened
  }
  const closeLedger = async (): Promise<void> => (await opened)?.close()

  const sixgate: Sixgate = {
    async session(options) {
      const { task, cwd } = readOpening(options)
      const folder = await realFolder(cwd, parts.around)
      if (folder === null) {
        throw new ConfigError('invalid_option', 'the working folder is not in the workspace', {
          path: ['cwd'],
        })
      }
      const store = await ledger()
      const session = await openSession(
        {
          taskId: task === '' ? parts.around.ids.run() : task,
          cwd: folder,
          policy: parts.bind(parts.policies, 1),
          ticketKey: deriveKey(key, `ticket:${parts.around.ids.session()}`),
          around: parts.around,
        },
        store,
      )
      let closed: Promise<void> | undefined
      const face = faceOf(
        session,
        store,
        (reason = 'completed') => (closed ??= closeSession(session, reason)),
      )
      live.set(face, session)
      byId.set(session.id, session)
      return face
    },

    async resolve(ticket, call, answer, by) {
      const claimed = fieldOf(ticket, 'session_id')
      const session = typeof claimed === 'string' ? byId.get(claimed) : undefined
      if (session === undefined) return unrecorded('session_closed', parts.around.ids.call())
      return resolve(session, { ticket, call, answer, by })
    },

    async replacePolicy(face, policy) {
      const session = live.get(face)
      if (session === undefined) {
        throw new ConfigError(
          'not_a_root',
          'only a root session of this object has a policy to replace',
        )
      }
      return replace(session, policy, parts)
    },

    on: parts.around.events.on,

    async [Symbol.asyncDispose]() {
      const closed = await Promise.allSettled([...live.keys()].map((face) => face.close()))
      await closeLedger()
      // One run that could not be ended keeps no other open.
      for (const one of closed) if (one.status === 'rejected') throw one.reason
    },
  }
  return Object.freeze(sixgate)
}

/** The options of a session; throws `ConfigError invalid_option`. */
function readOpening(options: Parameters<Sixgate['session']>[0]): {
  readonly task: string
  readonly cwd: string
} {
  const given: { readonly task?: unknown; readonly cwd?: unknown } = options ?? {}
  const { task = '', cwd = '.' } = given
  // The task stands in the run's first record, which holds well-formed text only.
  if (typeof task === 'string' && task.isWellFormed() && typeof cwd === 'string') {
    return { task, cwd }
  }
  throw new ConfigError('invalid_option', '`task` or `cwd` is no text', { path: ['session'] })
}

/** In force the moment it is bound: what runs is looked at again, and the record follows. */
async function replace(
  session: LiveSession,
  policy: Policy,
  parts: Parts,
): Promise<PolicyRevision> {
  if (session.closing.signal.aborted) {
    throw new ConfigError('not_a_root', 'the session is closed')
  }
  const from = session.policy.revision
  const next = parts.bind(parts.classify([policy]), countOf(from) + 1)
  const change: PolicyChangeRecord = {
    kind: 'policy_change',
    from,
    to: next.revision,
    source: 'host',
    policy: contentOf(next.axes),
  }
  session.policy = next
  const written = session.recorder.write([change], 'durable')
  revisit(session, next)
  await written
  return next.revision
}

function countOf(revision: PolicyRevision): number {
  return Number(revision.split(':', 1)[0])
}
