/**
 * The guard of the closed JSON domain (trace.md §1, pipeline.md §3): copies a value that anybody may
 * have built, and refuses what plain JSON cannot say, with the path of the offender. Each property is
 * read once, through its descriptor, so a getter never runs and a proxy never answers.
 */

import { types } from 'node:util'
import type { Json } from '../core/json.js'

/** What is refused past these limits. */
export const JSON_LIMITS: {
  readonly depth: number
  /** Estimated size of the canonical text, in UTF-16 units. */
  readonly size: number
} = { depth: 64, size: 8 * 1024 * 1024 }

/** A frozen copy, or why there is none and where (keys and indices joined by `/`). */
export type JsonCopy =
  | { readonly ok: true; readonly value: Json; readonly size: number }
  | { readonly ok: false; readonly at: string; readonly reason: string }

/** Copies, checks and deep-freezes in one go. Never throws. */
export function copyJson(value: unknown): JsonCopy {
  const copier = new Copier(value)
  for (;;) {
    const result = copier.advance(Number.POSITIVE_INFINITY)
    if (result !== undefined) return result
  }
}

/**
 * Freezes what the library made itself, of literals, for whoever copies it again to get it back as it is.
 * False, and not to be kept, where it holds what plain JSON cannot say, as a caller's text may.
 */
export function makeLasting(value: object): boolean {
  const extent = { size: 0, depth: 0 }
  if (!freezePlain(value, 0, extent)) return false
  LASTING.set(value, extent)
  return true
}

/** True for what `makeLasting` froze: it never changes. */
export function isLasting(value: object): boolean {
  return LASTING.has(value)
}

function freezePlain(value: unknown, depth: number, extent: Extent): boolean {
  switch (typeof value) {
    case 'string':
      extent.size += value.length + 2
      return value.isWellFormed()
    case 'number':
      extent.size += 8
      return Number.isSafeInteger(value)
    case 'boolean':
      extent.size += 5
      return true
    case 'object':
      if (value !== null) return freezeContainer(value, depth, extent)
      extent.size += 4
      return true
    case 'undefined':
    case 'bigint':
    case 'symbol':
    case 'function':
      return false
  }
}

function freezeContainer(value: object, depth: number, extent: Extent): boolean {
  const known = LASTING.get(value)
  extent.depth = Math.max(extent.depth, depth + (known?.depth ?? 1))
  extent.size += known?.size ?? 2
  if (known !== undefined) return true
  const isList = Array.isArray(value)
  for (const [key, child] of Object.entries(value)) {
    extent.size += isList ? 1 : key.length + 4
    if (!freezePlain(child, depth + 1, extent)) return false
  }
  Object.freeze(value)
  return true
}

interface Extent {
  size: number
  depth: number
}

/** What copying it again would come to. */
const LASTING = new WeakMap<object, Readonly<Extent>>()

/** As `copyJson`, yielding to `pause` after each slice of about 256 KiB of text. */
export async function copyJsonInSlices(
  value: unknown,
  pause: () => Promise<void>,
): Promise<JsonCopy> {
  const copier = new Copier(value)
  for (;;) {
    const result = copier.advance(SLICE)
    if (result !== undefined) return result
    await pause()
  }
}

const SLICE = 256 * 1024

type Container = Json[] | Record<string, Json>
type Put = (value: Json) => void

interface Task {
  readonly value: unknown
  readonly put: Put
  readonly depth: number
  readonly parent: Task | null
  readonly key: string | number
}

/** A container that was opened and, once its children are done, is frozen. */
interface Entered {
  readonly source: object
  readonly copy: Container
}

/** Walks with a stack of its own, so that no depth of the input reaches the call stack. */
class Copier {
  private readonly stack: Task[]
  private readonly open = new Set<object>()
  private readonly leave = new Map<Task, Entered>()
  private result: Json = null
  private size = 0
  private mark = 0

  constructor(value: unknown) {
    const put: Put = (copy) => {
      this.result = copy
    }
    this.stack = [{ value, put, depth: 0, parent: null, key: '' }]
  }

  /** Works until done, refused, or `budget` more units of text were seen. */
  advance(budget: number): JsonCopy | undefined {
    this.mark = this.size + budget
    for (;;) {
      const task = this.stack.pop()
      if (task === undefined) return { ok: true, value: this.result, size: this.size }
      const done = this.leave.get(task)
      if (done !== undefined) {
        this.leave.delete(task)
        this.open.delete(done.source)
        Object.freeze(done.copy)
        continue
      }
      const reason = this.visit(task)
      if (reason !== undefined) return { ok: false, at: pathOf(task), reason }
      if (this.size > JSON_LIMITS.size) return { ok: false, at: '', reason: 'larger than 8 MiB' }
      if (this.size > this.mark) return undefined
    }
  }

  private visit(task: Task): string | undefined {
    const { value, put } = task
    switch (typeof value) {
      case 'string':
        this.size += value.length + 2
        if (!value.isWellFormed()) return 'a lone surrogate'
        put(value)
        return undefined
      case 'number':
        this.size += 8
        if (!Number.isFinite(value)) return 'a number that JSON cannot say'
        if (Number.isInteger(value) && !Number.isSafeInteger(value)) return 'an unsafe integer'
        put(Object.is(value, -0) ? 0 : value)
        return undefined
      case 'boolean':
        this.size += 5
        put(value)
        return undefined
      case 'object':
        if (value !== null) return this.enter(task, value)
        this.size += 4
        put(null)
        return undefined
      case 'undefined':
      case 'bigint':
      case 'symbol':
      case 'function':
        return `a value of type ${typeof value}`
    }
  }

  private enter(task: Task, source: object): string | undefined {
    if (types.isProxy(source)) return 'a proxy'
    const lasting = LASTING.get(source)
    if (lasting !== undefined && task.depth + lasting.depth <= JSON_LIMITS.depth) {
      this.size += lasting.size
      task.put(source as Json)
      return undefined
    }
    if (this.open.has(source)) return 'a cycle'
    if (task.depth >= JSON_LIMITS.depth) return `more than ${JSON_LIMITS.depth} levels`
    this.size += 2
    return Array.isArray(source) ? this.enterArray(task, source) : this.enterObject(task, source)
  }

  private enterArray(task: Task, source: readonly unknown[]): string | undefined {
    if (Object.getPrototypeOf(source) !== Array.prototype) return 'a class instance'
    const length = source.length
    if (Reflect.ownKeys(source).length !== length + 1) return 'a sparse or decorated array'
    const copy: Json[] = new Array<Json>(length)
    const children: Task[] = []
    for (let index = 0; index < length; index += 1) {
      const property = Object.getOwnPropertyDescriptor(source, index)
      if (property === undefined) return 'a sparse or decorated array'
      if (!('value' in property)) return 'an accessor'
      const put: Put = (value) => {
        copy[index] = value
      }
      children.push({ value: property.value, put, depth: task.depth + 1, parent: task, key: index })
    }
    this.size += length
    this.descend(task, { source, copy }, children)
    return undefined
  }

  private enterObject(task: Task, source: object): string | undefined {
    const prototype: unknown = Object.getPrototypeOf(source)
    if (prototype !== Object.prototype && prototype !== null) return 'a class instance'
    const copy: Record<string, Json> = {}
    const children: Task[] = []
    for (const key of Reflect.ownKeys(source)) {
      if (typeof key === 'symbol') return 'a symbol key'
      if (!key.isWellFormed()) return 'a lone surrogate in a key'
      const property = Object.getOwnPropertyDescriptor(source, key)
      if (property === undefined || !('value' in property)) return `an accessor at \`${key}\``
      if (!property.enumerable) return `a hidden property \`${key}\``
      const put: Put = (value) => {
        // `__proto__` is an ordinary key of JSON; assignment would change the prototype instead.
        Object.defineProperty(copy, key, { value, enumerable: true })
      }
      children.push({ value: property.value, put, depth: task.depth + 1, parent: task, key })
      this.size += key.length + 4
    }
    this.descend(task, { source, copy }, children)
    return undefined
  }

  private descend(task: Task, entered: Entered, children: readonly Task[]): void {
    task.put(entered.copy)
    this.open.add(entered.source)
    this.leave.set(task, entered)
    this.stack.push(task)
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index]
      if (child !== undefined) this.stack.push(child)
    }
  }
}

function pathOf(task: Task): string {
  const keys: (string | number)[] = []
  for (let at = task; at.parent !== null; at = at.parent) keys.push(at.key)
  return keys.reverse().join('/')
}
