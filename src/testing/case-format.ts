/** Conformance cases (rules.md §7): one JSON object a line, a policy, a call and what must come of it. */

import { z } from 'zod'
import { ConfigError } from '../core/errors.js'
import { LAYER_NAMES, type NodeLayer } from '../core/layer-name.js'

/** How the responder of a case behaves. */
export const CASE_RESPONDERS = ['none', 'yes', 'no', 'throws', 'timeout'] as const
export type CaseResponder = (typeof CASE_RESPONDERS)[number]

/** What a case can expect; `load_error`: the policy must be refused. */
export const CASE_DECISIONS = ['allow', 'ask', 'deny', 'load_error'] as const
export type CaseDecision = (typeof CASE_DECISIONS)[number]

/** A tool that a case declares: what it says of itself, and which arguments are paths. */
export interface CaseTool {
  readonly annotations?: Readonly<Record<string, boolean>> | undefined
  readonly paths?:
    readonly { readonly arg: string; readonly access: 'read' | 'write' }[] | undefined
}

/** One child of a case. */
export interface CaseDelegation {
  readonly kind: 'spawn' | 'fork' | 'delegate'
  /** As `spawn` takes them; what they are is the case's question. */
  readonly constraints: Readonly<Record<string, unknown>>
}

/** One case. */
export interface PolicyCase {
  readonly id: string
  /** As in a policy file; what it leaves out is completed (rules.md §7). */
  readonly policy?: Readonly<Record<string, unknown>> | undefined
  readonly context: {
    readonly cwd: string
    readonly workspace: string
    readonly home: string
    readonly platform?: 'linux' | 'darwin' | 'win32' | undefined
    readonly links?: Readonly<Record<string, string>> | undefined
    /** Second names of files, each with the first one. */
    readonly hardlinks?: Readonly<Record<string, string>> | undefined
    readonly tools?: Readonly<Record<string, CaseTool>> | undefined
    /** Absent: `check` is asked; given: what `evaluate` ends in. */
    readonly responder?: CaseResponder | undefined
    readonly sandbox?: 'ready' | 'unavailable' | undefined
  }
  /** The children that the call is made by, outermost first. */
  readonly delegate?: readonly CaseDelegation[] | undefined
  readonly call: { readonly tool: string; readonly args?: unknown }
  readonly expect: {
    /** Any of these is right. */
    readonly decision: readonly CaseDecision[]
    readonly layer?: NodeLayer | undefined
    readonly matched_rule?: string | null | undefined
  }
}

/**
 * Reads cases; blank lines are skipped. Throws `ConfigError` with file and line for a line that is no
 * case, and for an id that stands twice: nothing is run then.
 */
export function parseCases(text: string, file: string): readonly PolicyCase[] {
  const ids = new Set<string>()
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const place = { file, line: index + 1 }
    const one = parseCase(line, place)
    if (ids.has(one.id))
      throw new ConfigError('invalid_value', `a second case \`${one.id}\``, place)
    ids.add(one.id)
    return [one]
  })
}

interface Place {
  readonly file: string
  readonly line: number
}

function parseCase(line: string, place: Place): PolicyCase {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (cause) {
    // No case of the file is run: what cannot be read proves nothing.
    throw new ConfigError('syntax', 'the line is no JSON', { ...place, column: 1, cause })
  }
  const parsed = caseSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = (issue?.path ?? []).map((key) => (typeof key === 'number' ? key : String(key)))
  throw new ConfigError(
    'invalid_value',
    `no case: ${issue?.message ?? 'malformed'} at \`${path.join('.')}\``,
    { ...place, column: 1, path, suggestion: 'see docs/testing.md for the form of a case' },
  )
}

const toolSchema: z.ZodType<CaseTool> = z.strictObject({
  annotations: z.record(z.string(), z.boolean()).optional(),
  paths: z.array(z.strictObject({ arg: z.string(), access: z.enum(['read', 'write']) })).optional(),
})

/** Notes beside a case (`class`, `why` …) are let be; inside it an unknown key is a mistake. */
const caseSchema: z.ZodType<PolicyCase> = z.looseObject({
  id: z.string().min(1),
  policy: z.record(z.string(), z.unknown()).optional(),
  context: z.strictObject({
    cwd: z.string(),
    workspace: z.string(),
    home: z.string(),
    platform: z.enum(['linux', 'darwin', 'win32']).optional(),
    links: z.record(z.string(), z.string()).optional(),
    hardlinks: z.record(z.string(), z.string()).optional(),
    tools: z.record(z.string(), toolSchema).optional(),
    responder: z.enum(CASE_RESPONDERS).optional(),
    sandbox: z.enum(['ready', 'unavailable']).optional(),
  }),
  delegate: z
    .array(
      z.strictObject({
        kind: z.enum(['spawn', 'fork', 'delegate']),
        constraints: z.record(z.string(), z.unknown()),
      }),
    )
    .optional(),
  call: z.strictObject({ tool: z.string(), args: z.unknown().optional() }),
  expect: z.strictObject({
    decision: z.array(z.enum(CASE_DECISIONS)).min(1),
    layer: z.enum(['guard', ...LAYER_NAMES]).optional(),
    matched_rule: z.string().nullable().optional(),
  }),
})
