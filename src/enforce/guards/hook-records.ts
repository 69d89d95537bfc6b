/** Hooks on record (trace.md §2 `hook_change`): each open run says which hooks there were, and when. */

import type { Hooks } from '../../contract/hooks.js'
import type { HookChangeRecord } from '../../trace/records.js'
import type { LiveSession } from '../live-session.js'
import type { Surroundings } from '../surroundings.js'
import { hookChange, type HookRegister } from './hook-register.js'

/** The face that a host holds. */
export function publicHooks(register: HookRegister): Hooks {
  return Object.freeze<Hooks>({
    get size() {
      return register.size
    },
    add: (hook) => register.add(hook),
    remove: (id) => register.remove(id),
  })
}

/** What a run that opens now, or goes on, writes first. */
export function hooksInForce({ hooks }: Surroundings): readonly HookChangeRecord[] {
  return hooks.inOrder().map((hook) => hookChange('add', hook))
}

/** In every open run, in the same step as the change. */
export function recordHook(sessions: ReadonlySet<LiveSession>, change: HookChangeRecord): void {
  for (const session of sessions) {
    if (session.closing.signal.aborted) continue
    // A run that cannot be written dispatches nothing any more.
    session.recorder.write([change], 'written').catch(() => undefined)
  }
}
