/** Builders of session trees: hosts that crash and come back over the same folder, children of every kind. */

import type { Delegation } from '../../src/contract/delegation.js'
import type { OpenStore, Session, Store } from '../../src/contract/session.js'
import { jsonlStore } from '../../src/store/jsonl.js'
import { aGround, type Ground, type Host, type HostParts } from './session.js'

/** How a child came to be the session that a test looks at. */
export const WAYS = ['spawn', 'fork', 'resume'] as const
export type Way = (typeof WAYS)[number]

/** A store that can be cut off from its host, as when the process dies: no run gets its end. */
export interface CrashableStore {
  readonly store: Store
  readonly crash: () => Promise<void>
}

export function aCrashableStore(inner: Store): CrashableStore {
  const opened: OpenStore[] = []
  return {
    store: {
      ...inner,
      async open(id) {
        const open = await inner.open(id)
        opened.push(open)
        return open
      },
    },
    crash: async () => {
      for (const open of opened) await open.close()
    },
  }
}

/** One host after the other over one ground. */
export interface World {
  readonly ground: Ground
  /** The host that lives now. */
  readonly host: () => Host
  /** Ends the host without a word and starts another one, with other parts where given. */
  readonly restart: (parts?: HostParts) => Promise<Host>
}

/** `make` registers each host for clearing, such as `useHosts().inMemory`. */
export function aWorld(
  make: (parts: HostParts, ground: Ground) => Host,
  parts: HostParts = {},
  ground: Ground = aGround(),
): World {
  let living = 0
  const clear = (): void => {
    living -= 1
    if (living === 0) ground.clear() // the files stay until the last host is done with them
  }
  const born = (changed: HostParts): Host => {
    living += 1
    return make({ ...parts, ...changed, store }, { ...ground, clear })
  }
  let { store, crash } = aCrashableStore(jsonlStore(ground.ledger))
  let host = born({})
  return {
    ground,
    host: () => host,
    async restart(changed = {}) {
      await crash()
      ;({ store, crash } = aCrashableStore(jsonlStore(ground.ledger)))
      host = born(changed)
      return host
    },
  }
}

/** A family: the sessions that a way leaves in the hands of its host. */
export interface Family {
  readonly world: World
  readonly parent: Session
  readonly child: Session
}

/** A root and its child; with `resume` both were taken up again in a new process, the child first. */
export async function aFamily(
  way: Way,
  world: World,
  delegation: Delegation = {},
): Promise<Family> {
  const parent = await world.host().session()
  const child = await aChild(way, parent, delegation)
  if (way !== 'resume') return { world, parent, child }
  const { sixgate } = await world.restart()
  return { world, child: await sixgate.resume(child.id), parent: await sixgate.resume(parent.id) }
}

/** A spawned child, or a forked one. */
export function aChild(way: Way, parent: Session, delegation: Delegation = {}): Promise<Session> {
  return way === 'fork' ? parent.fork(delegation, { history: [] }) : parent.spawn(delegation)
}
