/** How tightly commands are confined (pipeline.md §2, sandbox.md §1). */

import { z } from 'zod'
import type { Json, JsonObject } from '../../core/json.js'
import { closed, filled, positive, readKey, type Axis, type Reading } from '../axis.js'
import type { SandboxAxis } from '../effective-policy.js'

const ABSENT: SandboxAxis = {
  mode: 'workspace_write',
  writable: [],
  readable: [],
  environment: { pass: [] },
  limits: {
    timeoutMs: 120_000,
    outputBytes: 1024 * 1024,
    diskBytes: 1024 * 1024 * 1024,
    processes: null,
    memoryBytes: null,
  },
  onUnavailable: 'deny',
}

/** Part by part: the stricter mode, the common roots and variables, the smaller limits. */
export const sandbox: Axis<'sandbox'> = {
  name: 'sandbox',
  keys: ['sandbox'],
  read: ({ sandbox: value }) =>
    value === undefined ? { ok: true, value: undefined } : readSandbox(value),
  write: ({ limits: { processes, memoryBytes, ...limits }, ...rest }): JsonObject => ({
    sandbox: {
      ...rest,
      environment: { pass: rest.environment.pass },
      limits: {
        ...limits,
        ...(processes === null ? {} : { processes }),
        ...(memoryBytes === null ? {} : { memoryBytes }),
      },
    },
  }),
  absent: ABSENT,
  meet: (left, right) => ({
    mode: MODES.indexOf(left.mode) < MODES.indexOf(right.mode) ? left.mode : right.mode,
    writable: commonFolders(left.writable, right.writable),
    readable: commonFolders(left.readable, right.readable),
    environment: {
      pass: left.environment.pass.filter((name) => right.environment.pass.includes(name)),
    },
    limits: meetLimits(left.limits, right.limits),
    onUnavailable:
      left.onUnavailable === 'ask_host' && right.onUnavailable === 'ask_host' ? 'ask_host' : 'deny',
  }),
}

/** Strictest first. */
const MODES = ['read_only', 'workspace_write', 'open'] as const

const limits = closed({
  timeoutMs: positive.optional(),
  outputBytes: positive.optional(),
  diskBytes: positive.optional(),
  processes: positive.optional(),
  memoryBytes: positive.optional(),
})
const folders = z.array(filled).max(1024).optional()

interface Stated {
  readonly mode?: SandboxAxis['mode'] | undefined
  readonly writable?: readonly string[] | undefined
  readonly readable?: readonly string[] | undefined
  readonly environment?: { readonly pass?: readonly string[] | undefined } | undefined
  readonly limits?: { readonly [L in keyof SandboxAxis['limits']]?: number | undefined } | undefined
  readonly onUnavailable?: SandboxAxis['onUnavailable'] | undefined
}

const stated: z.ZodType<Stated> = closed({
  mode: z.enum(MODES).optional(),
  writable: folders,
  readable: folders,
  environment: closed({
    pass: z
      .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/))
      .max(1024)
      .optional(),
  }).optional(),
  limits: limits.optional(),
  onUnavailable: z.enum(['deny', 'ask_host']).optional(),
})

function readSandbox(value: Json): Reading<SandboxAxis> {
  const reading = readKey(stated, 'sandbox', value)
  if (!reading.ok) return reading
  const given = reading.value
  const limit = given.limits ?? {}
  return {
    ok: true,
    value: {
      mode: given.mode ?? ABSENT.mode,
      writable: sorted(given.writable ?? []),
      readable: sorted(given.readable ?? []),
      environment: { pass: sorted(given.environment?.pass ?? []) },
      limits: {
        timeoutMs: limit.timeoutMs ?? ABSENT.limits.timeoutMs,
        outputBytes: limit.outputBytes ?? ABSENT.limits.outputBytes,
        diskBytes: limit.diskBytes ?? ABSENT.limits.diskBytes,
        processes: limit.processes ?? null,
        memoryBytes: limit.memoryBytes ?? null,
      },
      onUnavailable: given.onUnavailable ?? ABSENT.onUnavailable,
    },
  }
}

/** Folders of one list at or below a folder of the other, as spelt; a `..` proves nothing. */
function commonFolders(left: readonly string[], right: readonly string[]): readonly string[] {
  return sorted([
    ...left.filter((folder) => right.some((other) => isAtOrBelow(folder, other))),
    ...right.filter((folder) => left.some((other) => isAtOrBelow(folder, other))),
  ])
}

function isAtOrBelow(inner: string, outer: string): boolean {
  if (inner === outer) return true
  const climbs = /(?:^|[\\/])\.\.(?:[\\/]|$)/
  if (climbs.test(inner) || climbs.test(outer)) return false
  return inner.startsWith(/[\\/]$/.test(outer) ? outer : `${outer}/`)
}

function meetLimits(
  left: SandboxAxis['limits'],
  right: SandboxAxis['limits'],
): SandboxAxis['limits'] {
  return {
    timeoutMs: Math.min(left.timeoutMs, right.timeoutMs),
    outputBytes: Math.min(left.outputBytes, right.outputBytes),
    diskBytes: Math.min(left.diskBytes, right.diskBytes),
    processes: smaller(left.processes, right.processes),
    memoryBytes: smaller(left.memoryBytes, right.memoryBytes),
  }
}

function smaller(left: number | null, right: number | null): number | null {
  if (left === null) return right
  return right === null ? left : Math.min(left, right)
}

function sorted(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort()
}
