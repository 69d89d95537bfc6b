/** The record of what became of a step (trace.md §2): written the moment it ends, late results after it. */

import { copyJson } from '../../encoding/plain-json.js'
import { contentOf } from '../../trace/content.js'
import type { StepResultRecord } from '../../trace/records.js'
import type { SandboxedResult } from '../../sandbox/runner.js'
import type { LiveCall, LiveSession, Stopped } from '../live-session.js'

/** How an executor ended, or what ended it. */
export type End =
  | { readonly status: 'ok'; readonly value: unknown }
  | { readonly status: 'error'; readonly error: unknown }
  | { readonly status: Stopped }

/** One step's record without its duration. */
export function stepResult(
  call: LiveCall,
  end: End & { readonly started: boolean },
): StepResultRecord {
  return {
    kind: 'step_result',
    call_id: call.trail.callId,
    status: end.status,
    started: end.started,
    result: end.status === 'ok' ? resultRef(end.value) : null,
    exit: null,
    duration_us: 0,
    effects: effectsOf(end),
  }
}

function effectsOf({
  status,
  started,
}: {
  readonly status: End['status']
  readonly started: boolean
}): StepResultRecord['effects'] {
  if (status === 'ok' || status === 'error') return null
  return started ? 'unknown' : 'none'
}

/** A result that is no plain JSON has no digest; the step is recorded all the same. */
function resultRef(value: unknown): StepResultRecord['result'] {
  const copy = copyJson(value ?? null)
  return copy.ok ? contentOf(copy.value) : null
}

/** What the commands of a call add: how the last one exited, and which control files any of them left. */
export function commandFacts(
  { status }: End,
  commands: readonly SandboxedResult[],
): Partial<StepResultRecord> {
  const last = commands.at(-1)
  if (last === undefined) return {}
  const left = { ...controlFiles(commands), ...grantFacts(commands) }
  if (status !== 'ok' && status !== 'error') return left
  const late = last.killedBy === 'timeout' ? ({ status: 'timeout' } as const) : {}
  return { ...left, exit: last.exitCode, ...late }
}

function controlFiles(
  commands: readonly SandboxedResult[],
): Pick<StepResultRecord, 'new_control_files'> {
  const lists = commands.flatMap(({ newControlFiles: list }) => (list === undefined ? [] : [list]))
  if (lists.includes(null)) return { new_control_files: null }
  const names = [...new Set(lists.flatMap((list) => list ?? []))].sort()
  return names.length === 0 ? {} : { new_control_files: names }
}

/** What the commands carried through the call's one grant; a call that was stopped carried it all the same. */
function grantFacts(commands: readonly SandboxedResult[]): Pick<StepResultRecord, 'network_grant'> {
  const uses = commands.flatMap(({ grant }) => (grant === undefined ? [] : [grant]))
  const [first] = uses
  if (first === undefined) return {}
  const total = (field: 'sentBytes' | 'receivedBytes' | 'connections' | 'refused'): number =>
    uses.reduce((sum, use) => sum + use[field], 0)
  return {
    network_grant: {
      host: first.host,
      port: first.port,
      policy_digest: first.policyDigest ?? '',
      sent_bytes: total('sentBytes'),
      received_bytes: total('receivedBytes'),
      connections: total('connections'),
      refused: total('refused'),
    },
  }
}

/** An end that came after the call was stopped: kept, and given to nobody. */
export function lateResult(
  call: LiveCall,
  end: End,
  commands: readonly SandboxedResult[],
): StepResultRecord {
  const step = stepResult(call, { ...end, started: true })
  return { ...step, ...grantFacts(commands), kind: 'late_result' }
}

/** The tool has run already: a record that fails now poisons the writer, which stops the next call. */
export async function note(session: LiveSession, record: StepResultRecord): Promise<void> {
  try {
    await session.recorder.write([record], 'written')
  } catch {
    // Nothing more is dispatched in this session; recovery reports this call as in doubt.
  }
}
