/** The first touch of a call (pipeline.md §3): copied, checked, frozen and digested once. */

import { parseCallId, type CallId, type IdSource } from '../../core/ids.js'
import type { Json } from '../../core/json.js'
import { copyJsonInSlices } from '../../encoding/plain-json.js'
import { contentOf } from '../../trace/content.js'
import type { ContentRef } from '../../trace/records.js'
import type { CallRequest } from '../../contract/session.js'
import { isSignal } from './signals.js'

/** What every later step sees of the request; the request itself is never read again. */
export interface Submission {
  readonly callId: CallId
  /** False when the request left the id to the library. */
  readonly isNamed: boolean
  readonly tool: string
  /** Deep-frozen; `null` when the arguments are no plain JSON. */
  readonly args: Json
  readonly argsRef: ContentRef
  readonly cwd: string | null
  /** The turn that the host counts the call to. */
  readonly turn: string | null
  readonly signal: AbortSignal | null
  readonly observation: ContentRef | null
  /** Why the request cannot be judged, for a person; `null` when it can. */
  readonly defect: string | null
}

/** Never rejects: a request that cannot be read becomes a submission with a defect. */
export async function submit(
  request: CallRequest,
  ids: IdSource,
  pause: () => Promise<void>,
): Promise<Submission> {
  const read = readOnce(request)
  const callId = read.callId === undefined ? ids.call() : parseCallId(read.callId)
  const args = await copyJsonInSlices(read.args, pause)
  const observation = await digestObservation(read.observation, pause)
  return {
    callId: callId ?? ids.call(),
    isNamed: read.callId !== undefined,
    tool: typeof read.tool === 'string' ? read.tool : '',
    args: args.ok ? args.value : null,
    argsRef: contentOf(args.ok ? args.value : null),
    cwd: typeof read.cwd === 'string' ? read.cwd : null,
    turn: typeof read.turn === 'string' ? read.turn : null,
    signal: isSignal(read.signal) ? read.signal : null,
    observation: observation.ref,
    defect: defectOf({ read, callId, args, observation }),
  }
}

type Fields = { readonly [K in keyof CallRequest]?: unknown }

/** Getters of the request run once, here; one that throws leaves nothing to judge. */
function readOnce(request: CallRequest): Fields & { readonly unreadable: boolean } {
  try {
    const { tool, args, callId, cwd, turn, signal, observation } = request
    return { tool, args, callId, cwd, turn, signal, observation, unreadable: false }
  } catch {
    // A request that cannot be read is denied as `invalid_args`.
    return { unreadable: true }
  }
}

async function digestObservation(
  value: unknown,
  pause: () => Promise<void>,
): Promise<{ readonly ref: ContentRef | null; readonly defect: string | null }> {
  if (value === undefined) return { ref: null, defect: null }
  const copy = await copyJsonInSlices(value, pause)
  return copy.ok
    ? { ref: contentOf(copy.value), defect: null }
    : { ref: null, defect: `the observation is no plain JSON at \`${copy.at}\`: ${copy.reason}` }
}

interface Checked {
  readonly read: Fields & { readonly unreadable: boolean }
  readonly callId: CallId | undefined
  readonly args: Awaited<ReturnType<typeof copyJsonInSlices>>
  readonly observation: { readonly defect: string | null }
}

function defectOf({ read, callId, args, observation }: Checked): string | null {
  if (read.unreadable) return 'the request cannot be read'
  if (callId === undefined) return 'the call id is not 1 to 128 printable ASCII characters'
  if (typeof read.tool !== 'string') return 'the tool name is no text'
  if (read.cwd !== undefined && typeof read.cwd !== 'string') return 'the working folder is no text'
  if (read.turn !== undefined && parseCallId(read.turn) === undefined) {
    return 'the turn is not 1 to 128 printable ASCII characters'
  }
  if (read.signal !== undefined && !isSignal(read.signal)) {
    return 'the signal is no AbortSignal'
  }
  if (!args.ok) return `the arguments are no plain JSON at \`${args.at}\`: ${args.reason}`
  return observation.defect
}
