/** The hooks of a host (pipeline.md §4): checked when they are added, heard in one fixed order. */

import type { Hook, Hooks, Matcher } from '../../contract/hooks.js'
import { ConfigError } from '../../core/errors.js'
import type { Roots } from '../../core/facts.js'
import type { HookChangeRecord } from '../../trace/records.js'
import { hookMatcher, type HookMatcher } from './hook-matcher.js'

/** A hook as it was when it was added. */
export interface RegisteredHook {
  readonly id: string
  readonly match: Matcher
  readonly hears: HookMatcher
  readonly priority: number
  /** Milliseconds. */
  readonly timeoutMs: number
  readonly handler: unknown
}

export interface HookRegister extends Hooks {
  /** By priority, then by id; a copy that later changes leave alone. */
  readonly inOrder: () => readonly RegisteredHook[]
  /** Told at once about every change. */
  readonly onChange: (listener: (change: HookChangeRecord) => void) => void
}

/** At most this many hooks, and this much time for all hooks of a call together. */
export const HOOK_LIMITS: { readonly hooks: number; readonly totalMs: number } = {
  hooks: 32,
  totalMs: 60_000,
}

const PRIORITY = 100
const TIMEOUT_MS = 30_000
const ID = /^[a-z0-9][a-z0-9._-]{0,63}$/

export function hookRegister(roots: Roots): HookRegister {
  const hooks = new Map<string, RegisteredHook>()
  const listeners: ((change: HookChangeRecord) => void)[] = []
  const tell = (action: HookChangeRecord['action'], hook: RegisteredHook): void => {
    for (const listener of listeners) listener(hookChange(action, hook))
  }
  const drop = (hook: RegisteredHook): boolean => {
    // Only the hook itself: another one may have taken the id since.
    if (hooks.get(hook.id) !== hook) return false
    hooks.delete(hook.id)
    tell('remove', hook)
    return true
  }
  return {
    get size() {
      return hooks.size
    },
    add(given) {
      const hook = readHook(given, roots)
      if (hooks.has(hook.id)) throw taken(hook.id)
      if (hooks.size >= HOOK_LIMITS.hooks) throw wrong('hooks', [`at most ${HOOK_LIMITS.hooks}`])
      hooks.set(hook.id, hook)
      tell('add', hook)
      return { [Symbol.dispose]: () => void drop(hook) }
    },
    remove(id) {
      const hook = hooks.get(id)
      return hook !== undefined && drop(hook)
    },
    inOrder: () => [...hooks.values()].sort(byPriority),
    onChange: (listener) => void listeners.push(listener),
  }
}

/** The record of one change, also for the hooks that a run finds when it opens. */
export function hookChange(
  action: HookChangeRecord['action'],
  { id, priority, timeoutMs, match }: RegisteredHook,
): HookChangeRecord {
  return { kind: 'hook_change', action, hook: { id, priority, timeout_ms: timeoutMs, match } }
}

function byPriority(left: RegisteredHook, right: RegisteredHook): number {
  return left.priority - right.priority || (left.id < right.id ? -1 : 1)
}

/** Every field once: what the object says of itself afterwards changes nothing. */
function readHook(given: Hook, roots: Roots): RegisteredHook {
  const fields: { readonly [K in keyof Hook]?: unknown } = Object(given) as object
  const { id, match = {}, priority = PRIORITY, timeoutMs = TIMEOUT_MS, handler } = fields
  if (typeof id !== 'string' || !ID.test(id)) {
    throw wrong('id', ['a-z, 0-9, `.`, `_` and `-`, at most 64, a letter or digit first'])
  }
  if (!Number.isSafeInteger(priority)) throw wrong('priority', ['a whole number'])
  if (!Number.isSafeInteger(timeoutMs) || !isWithin(timeoutMs as number)) {
    throw wrong('timeoutMs', [`1 to ${HOOK_LIMITS.totalMs}`])
  }
  const parts = readMatcher(match)
  return Object.freeze({
    id,
    match: parts,
    hears: hookMatcher(parts, roots),
    priority: priority as number,
    timeoutMs: timeoutMs as number,
    handler,
  })
}

function isWithin(timeoutMs: number): boolean {
  return timeoutMs >= 1 && timeoutMs <= HOOK_LIMITS.totalMs
}

const PARTS: readonly (keyof Matcher)[] = ['tool', 'path', 'command']

/** An unknown part would narrow nothing although its author meant it to. */
function readMatcher(given: unknown): Matcher {
  if (typeof given !== 'object' || given === null) throw wrong('match', PARTS)
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  for (const [part, value] of entries) {
    if (!PARTS.includes(part as keyof Matcher) || typeof value !== 'string') {
      throw wrong(`match.${part}`, PARTS)
    }
  }
  return Object.freeze(Object.fromEntries(entries))
}

function taken(id: string): ConfigError {
  return new ConfigError('duplicate_hook', `the hook id \`${id}\` is taken`, {
    path: ['id'],
    suggestion: 'remove the other hook first, or choose another id',
  })
}

function wrong(field: string, allowed: readonly string[]): ConfigError {
  return new ConfigError('invalid_option', `the hook's \`${field}\` is malformed`, {
    path: field.split('.'),
    allowed,
  })
}
