/** `createShadow` (hosts.md §2): a policy on trial, fixed as such when it is made. */

import type { SixgateOptions } from './contract/session.js'
import type { Shadow } from './contract/shadow.js'
import { compose, systemPorts, type Parts } from './compose.js'
import { InternalError } from './core/errors.js'
import { closeSession } from './enforce/lineage/close.js'
import type { LiveSession, SessionHome } from './enforce/live-session.js'
import { shadowId } from './enforce/session.js'
import { shadowFace } from './enforce/shadow.js'
import { openSession } from './open-session.js'
import { loadWords } from './words/speak.js'

/**
 * Judges calls and records what would have become of them, in a ledger of its own. It asks nobody, starts
 * nothing and hands out no right: another system goes on deciding. Throws `ConfigError` as `createSixgate`.
 */
export function createShadow(options: SixgateOptions): Shadow {
  return buildShadow(compose(options, systemPorts(), shadowId))
}

/** As `createShadow`, from parts of a test's own making. */
export function buildShadow(parts: Parts): Shadow {
  const sessions = new Set<LiveSession>()
  let opened: Promise<SessionHome> | undefined
  const home = (): Promise<SessionHome> => {
    opened ??= openHome(parts, sessions).catch((cause: unknown) => {
      opened = undefined // the next session tries again
      throw cause
    })
    return opened
  }
  return Object.freeze<Shadow>({
    async session(options) {
      const live = await openSession(parts, home, options)
      let closed: Promise<void> | undefined
      return shadowFace(live, (reason = 'completed') => (closed ??= closeSession(live, reason)))
    },
    on: parts.around.events.on,
    async [Symbol.asyncDispose]() {
      const ends = [...sessions].map((session) => closeSession(session, 'completed'))
      const closed = await Promise.allSettled(ends)
      await (await opened)?.store.close()
      for (const one of closed) if (one.status === 'rejected') throw one.reason
    },
  })
}

async function openHome(
  { around, language, store, ledgerId, bind }: Parts,
  sessions: Set<LiveSession>,
): Promise<SessionHome> {
  await loadWords(language)
  return {
    enforcement: 'shadow',
    around,
    store: await store.open(ledgerId),
    bind: (axes, count, isDelegated) => bind(axes, { count, isDelegated }),
    faceOf: hasNoCalls,
    nested: hasNoCalls,
    authorize: hasNoCalls,
    sessions,
    tightenings: [],
  }
}

/** Nothing is dispatched, so nothing comes out of a call. */
function hasNoCalls(): never {
  throw new InternalError('unreachable', 'a policy on trial runs no call')
}
