/** Checks what a tool says its call needs (pipeline.md §3): a list of known shapes, nothing else. */

import { isCapability, type Capability } from '../../core/capability.js'
import type { CallDefect } from '../../core/call.js'
import { isEscalation } from '../../core/escalation.js'
import type { JsonObject } from '../../core/json.js'
import {
  COMMAND_HAZARDS,
  PATH_HAZARDS,
  PATH_ORIGINS,
  REFUSAL_CODES,
  SHELLS,
  TREES,
  type Need,
} from '../../core/need.js'
import { copyJson } from '../../encoding/plain-json.js'
import { parseGrantRequest } from '../../pipeline/grant-request.js'

export type CheckedNeeds =
  | { readonly ok: true; readonly needs: readonly Need[] }
  | { readonly ok: false; readonly defect: CallDefect; readonly detail: string }

/** A frozen copy of the needs, or why there is none. A sandboxed tool must need something. */
export function checkNeeds(stated: unknown, runsIn: 'process' | 'sandbox'): CheckedNeeds {
  const copy = copyJson(stated)
  if (!copy.ok) return invalid(`the needs are no plain JSON at \`${copy.at}\`: ${copy.reason}`)
  if (!Array.isArray(copy.value)) return invalid('the needs are no list')
  if (copy.value.length === 0 && runsIn === 'sandbox')
    return invalid('a sandboxed tool needs nothing')
  for (const [index, need] of (copy.value as readonly unknown[]).entries()) {
    const defect = defectOf(need, runsIn)
    if (defect !== null) return { ok: false, defect, detail: `need ${index} is malformed` }
  }
  // What is read off a text stands beside it: else a path would need no allow at all.
  const kinds = new Set(copy.value.map(kindOf))
  if (copy.value.some((need) => isDerived(need) && !hasSource(need, kinds))) {
    return invalid('a derived need without its command or text')
  }
  return { ok: true, needs: copy.value as readonly unknown[] as readonly Need[] }
}

/** What a call must be granted: read from its needs and from what the tool always needs. */
export function capabilitiesOf(
  needs: readonly Need[],
  always: readonly Capability[],
): readonly Capability[] {
  const found = new Set(always)
  for (const need of needs) {
    if (need.kind === 'path' && need.derived?.origin !== 'argument') {
      found.add(need.access === 'read' ? 'fs.read' : 'fs.write')
    }
    if (need.kind === 'command') found.add('process.exec')
    if (need.kind === 'capability') found.add(need.name)
  }
  return [...found].sort()
}

function invalid(detail: string): CheckedNeeds {
  return { ok: false, defect: 'builtin:invalid_needs', detail }
}

function defectOf(need: unknown, runsIn: 'process' | 'sandbox'): CallDefect | null {
  if (typeof need !== 'object' || need === null || Array.isArray(need)) return INVALID
  const fields = need as JsonObject
  const kind: unknown = fields['kind']
  switch (typeof kind === 'string' ? kind : '') {
    case 'path':
      return isOneOf(fields['access'], ['read', 'write']) &&
        isPath(fields['path']) &&
        isDerivation(fields['derived'])
        ? null
        : INVALID
    case 'command':
      return isCommand(fields) ? null : INVALID
    case 'host':
      return isHost(fields) ? null : INVALID
    case 'text':
      return typeof fields['text'] === 'string' ? null : INVALID
    case 'capability':
      return isCapability(fields['name']) ? null : INVALID
    case 'escalation':
      return isValidEscalation(fields, runsIn) ? null : 'builtin:invalid_escalation'
    default:
      return INVALID
  }
}

const INVALID: CallDefect = 'builtin:invalid_needs'

function isPath(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && !value.includes('\0')
}

/** How `runs()` marks a path; an unknown mark would be one that no rule minds. */
function isDerivation(value: unknown): boolean {
  if (value === undefined) return true
  if (typeof value !== 'object' || value === null) return false
  const { origin, tree, adrift, hazard } = value as JsonObject
  return (
    isOneOf(origin, PATH_ORIGINS) &&
    (tree === undefined || isOneOf(tree, TREES)) &&
    (adrift === undefined || typeof adrift === 'boolean') &&
    (hazard === undefined || isOneOf(hazard, PATH_HAZARDS))
  )
}

function isDerived(need: unknown): boolean {
  return Reflect.get(Object(need) as object, 'derived') !== undefined
}

/** An argument and a host are derived from the text of all arguments or from a command, the rest from a command. */
function hasSource(need: unknown, kinds: ReadonlySet<unknown>): boolean {
  const { kind, derived } = need as JsonObject
  const origin: unknown = Reflect.get(Object(derived) as object, 'origin')
  const isLoose = origin === 'argument' || kind === 'host'
  return kinds.has('command') || (isLoose && kinds.has('text'))
}

function kindOf(need: unknown): unknown {
  return Reflect.get(Object(need) as object, 'kind')
}

function isHost({ host, port, path, derived, suspected }: JsonObject): boolean {
  const hasPort = port === undefined || (typeof port === 'number' && Number.isInteger(port))
  return (
    (host === null || typeof host === 'string') &&
    hasPort &&
    (path === undefined || typeof path === 'string') &&
    (derived === undefined || derived === true) &&
    // What a tool reaches itself is never only suspected.
    (suspected === undefined || (suspected === true && derived === true))
  )
}

function isCommand({ command, shell, analysis }: JsonObject): boolean {
  if (typeof command !== 'string') return false
  if (shell !== undefined && !isOneOf(shell, SHELLS)) return false
  return analysis === undefined || isAnalysis(analysis)
}

function isAnalysis(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { commands, refusals, hazards } = value as JsonObject
  if (!Array.isArray(commands) || !Array.isArray(refusals)) return false
  const isRefusal = (one: unknown): boolean =>
    isOneOf(Reflect.get(Object(one) as object, 'code'), REFUSAL_CODES)
  return (
    commands.every(isSimple) &&
    refusals.every(isRefusal) &&
    (hazards === undefined ||
      (Array.isArray(hazards) && hazards.every((name) => isOneOf(name, COMMAND_HAZARDS))))
  )
}

function isSimple(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { argv, dynamic, open, role, short, unknown, from } = value as JsonObject
  return (
    isTexts(argv) &&
    (dynamic === undefined ||
      (Array.isArray(dynamic) && dynamic.every((index) => Number.isInteger(index)))) &&
    (open === undefined || typeof open === 'boolean') &&
    (role === undefined || isOneOf(role, ['transparent', 'suspected'])) &&
    (short === undefined || isTexts(short)) &&
    (from === undefined || from === null || isTexts(from)) &&
    (unknown === undefined || typeof unknown === 'boolean')
  )
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((word) => typeof word === 'string')
}

/**
 * A tool may state what it asks for itself; `protected_metadata` and `unconfined_fallback` are
 * derived, and leaving the sandbox means something only to a tool that runs in one (S1-34, S1-41, S1-42).
 */
function isValidEscalation({ name, detail }: JsonObject, runsIn: 'process' | 'sandbox'): boolean {
  if (!isEscalation(name) || typeof detail !== 'string' || detail.trim() === '') return false
  switch (name) {
    case 'host_execution':
      return runsIn === 'sandbox'
    case 'network_grant':
      return runsIn === 'sandbox' && parseGrantRequest(detail) !== null
    case 'external_effect':
    case 'tool_confirmation':
      return true
    case 'protected_metadata':
    case 'unconfined_fallback':
      return false
  }
}

function isOneOf(value: unknown, allowed: readonly string[]): boolean {
  return typeof value === 'string' && allowed.includes(value)
}
