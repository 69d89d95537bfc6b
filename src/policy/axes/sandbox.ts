/** How tightly commands are confined (pipeline.md §2, sandbox.md §1). */

import { z } from 'zod'
import type { Json, JsonObject } from '../../core/json.js'
import {
  closed,
  excessIf,
  filled,
  positive,
  readKey,
  type Axis,
  type Excess,
  type Reading,
} from '../axis.js'
import type { SandboxAxis } from '../effective-policy.js'
import { areWithin, commonFolders } from '../rules/patterns/folder-lists.js'
import { sortedTexts } from '../rules/patterns/text-lists.js'

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

/**
 * Part by part: the stricter mode, the common roots and variables, the smaller limits, and an opening only
 * where both have it.
 */
export const sandbox: Axis<'sandbox'> = {
  name: 'sandbox',
  keys: ['sandbox'],
  forms: () => ({ sandbox: [stated] }),
  read: ({ sandbox: value }) =>
    value === undefined ? { ok: true, value: undefined } : readSandbox(value),
  write: ({
    limits: { processes, memoryBytes, ...limits },
    git,
    packageStores,
    scratch,
    ...rest
  }): JsonObject => ({
    sandbox: {
      ...rest,
      environment: { pass: rest.environment.pass },
      ...(git === undefined ? {} : { git }),
      ...(packageStores === undefined ? {} : { packageStores }),
      ...(scratch === undefined ? {} : { scratch }),
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
    ...openingsOf((name) => left[name] !== undefined && right[name] !== undefined),
  }),
  exceeds: (child, parent) => [
    ...excessIf(MODES.indexOf(child.mode) > MODES.indexOf(parent.mode), 'mode', {
      parent: parent.mode,
      given: child.mode,
    }),
    ...excessFolders('writable', child.writable, parent.writable),
    ...excessFolders('readable', child.readable, parent.readable),
    ...excessIf(
      child.environment.pass.some((name) => !parent.environment.pass.includes(name)),
      'environment.pass',
      { parent: parent.environment.pass, given: child.environment.pass },
    ),
    ...LIMITS.flatMap((name) => excessLimit(name, child.limits[name], parent.limits[name])),
    ...excessIf(
      child.onUnavailable === 'ask_host' && parent.onUnavailable === 'deny',
      'onUnavailable',
      { parent: parent.onUnavailable, given: child.onUnavailable },
    ),
    ...OPENING_NAMES.flatMap((name) =>
      excessIf(child[name] !== undefined && parent[name] === undefined, name, {
        parent: CLOSED[name],
        given: child[name] ?? CLOSED[name],
      }),
    ),
  ],
  excess: 'clamped',
}

const LIMITS = ['timeoutMs', 'outputBytes', 'diskBytes', 'processes', 'memoryBytes'] as const

function excessFolders(
  field: string,
  child: readonly string[],
  parent: readonly string[],
): readonly Excess[] {
  return excessIf(!areWithin(child, parent), field, { parent, given: child })
}

function excessLimit(
  name: (typeof LIMITS)[number],
  child: number | null,
  parent: number | null,
): readonly Excess[] {
  const isMore = parent !== null && (child === null || child > parent)
  return excessIf(isMore, `limits.${name}`, { parent, given: child })
}

/** What a policy can open beyond the rest; absent is closed, so that only an opening shows in a policy's digest. */
const OPENINGS = { git: 'write', packageStores: 'writable', scratch: 'session' } as const
/** How a document says that it opens nothing. */
const CLOSED = { git: 'read', packageStores: 'guarded', scratch: 'call' } as const
type Opening = keyof typeof OPENINGS
const OPENING_NAMES: readonly Opening[] = ['git', 'packageStores', 'scratch']

function openingsOf(
  isOpen: (name: Opening) => boolean,
): Pick<SandboxAxis, 'git' | 'packageStores' | 'scratch'> {
  const open = OPENING_NAMES.filter(isOpen).map((name) => [name, OPENINGS[name]])
  return Object.fromEntries(open) as Partial<typeof OPENINGS>
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
  readonly git?: 'read' | 'write' | undefined
  readonly packageStores?: 'guarded' | 'writable' | undefined
  readonly scratch?: 'call' | 'session' | undefined
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
  git: z.enum(['read', 'write']).optional(),
  packageStores: z.enum(['guarded', 'writable']).optional(),
  scratch: z.enum(['call', 'session']).optional(),
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
      writable: sortedTexts(given.writable ?? []),
      readable: sortedTexts(given.readable ?? []),
      environment: { pass: sortedTexts(given.environment?.pass ?? []) },
      limits: {
        timeoutMs: limit.timeoutMs ?? ABSENT.limits.timeoutMs,
        outputBytes: limit.outputBytes ?? ABSENT.limits.outputBytes,
        diskBytes: limit.diskBytes ?? ABSENT.limits.diskBytes,
        processes: limit.processes ?? null,
        memoryBytes: limit.memoryBytes ?? null,
      },
      onUnavailable: given.onUnavailable ?? ABSENT.onUnavailable,
      ...openingsOf((name) => given[name] === OPENINGS[name]),
    },
  }
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
