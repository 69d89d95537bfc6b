/** The host's half of the conversation with a broker: strict, and never waiting (sandbox.md §6). */

import type { SandboxError } from '../../core/errors.js'
import type { Hearing, Listener } from '../../platform/process/dialogue.js'
import { brokenConversation, brokerFault } from './failure.js'
import { createFrameReader, encodeFrame, joined, type Frame } from './frames.js'

/** What a broker must say before it may start the command. */
export interface Expected {
  /** It was given source and must answer with what it compiled. */
  readonly compiles: boolean
  /** It must have passed the self-test. */
  readonly tests: boolean
  /** Gets the compiled broker, once a self-test with it has passed. */
  readonly keep?: ((assembly: Uint8Array) => void) | undefined
}

/** The command's input, whole, with its end. */
export function encodeInput(stdin: Uint8Array | string | undefined): Uint8Array {
  const bytes = typeof stdin === 'string' ? new TextEncoder().encode(stdin) : stdin
  const frames: Uint8Array[] = []
  for (let at = 0; at < (bytes?.length ?? 0); at += INPUT_BYTES) {
    frames.push(encodeFrame('I', bytes?.subarray(at, at + INPUT_BYTES) ?? new Uint8Array(0)))
  }
  return joined(...frames, encodeFrame('Z', new Uint8Array(0)))
}

const INPUT_BYTES = 65_536

type Stage = 'compiling' | 'greeting' | 'testing' | 'starting' | 'running' | 'over'

/** What was said so far. */
interface Said {
  stage: Stage
  assembly: Uint8Array | null
  childPid: number | null
  exitCode: number | null
  fault: SandboxError | null
}

/** What a frame leads to; `null` when it may not be said now, or not so. */
type Step = (said: Said, body: Uint8Array, ears: Ears) => Stage | null

interface Ears {
  readonly expected: Expected
  readonly hear: Hearing
}

/** Listens to one broker. What breaks a rule ends the belief in all that follows. */
export function listenToBroker(expected: Expected, hear: Hearing): Listener {
  const reader = createFrameReader()
  const said: Said = {
    stage: expected.compiles ? 'compiling' : 'greeting',
    assembly: null,
    childPid: null,
    exitCode: null,
    fault: null,
  }
  let noise = ''
  return {
    take(chunk) {
      if (said.fault !== null) return false
      const ears = { expected, hear }
      if (!reader.read(chunk).every((frame) => follow(said, frame, ears))) return false
      if (reader.isBroken()) said.fault = brokenConversation('said more than it may say', '')
      return !reader.isBroken()
    },
    noise(chunk) {
      if (noise.length < NOISE_CHARACTERS) noise += new TextDecoder().decode(chunk)
    },
    report: () => ({ childPid: said.childPid, exitCode: said.exitCode }),
    fault() {
      if (said.fault !== null || (said.stage === 'over' && !reader.isPartial())) return said.fault
      return brokenConversation('broke off', noise)
    },
  }
}

function follow(said: Said, { kind, body }: Frame, ears: Ears): boolean {
  const next = Object.hasOwn(STEPS, kind) ? (STEPS[kind]?.(said, body, ears) ?? null) : null
  said.stage = next ?? 'over'
  if (next === null) said.fault = brokenConversation('said what it may not say', '')
  return next !== null
}

const STEPS: { readonly [kind: string]: Step | undefined } = {
  A: compiled,
  H: greeted,
  P: tested,
  S: started,
  O: (said, body, { hear }) => wrote(said, body, (bytes) => hear('stdout', bytes)),
  E: (said, body, { hear }) => wrote(said, body, (bytes) => hear('stderr', bytes)),
  X: ended,
  F: failed,
}

function compiled(said: Said, body: Uint8Array): Stage | null {
  if (said.stage !== 'compiling' || body.length === 0) return null
  said.assembly = body
  return 'greeting'
}

function greeted(said: Said, body: Uint8Array, { expected }: Ears): Stage | null {
  if (said.stage !== 'greeting' || textOf(body) !== PROTOCOL) return null
  return expected.tests ? 'testing' : 'starting'
}

function tested(said: Said, body: Uint8Array, { expected }: Ears): Stage | null {
  if (said.stage !== 'testing' || body.length > 0) return null
  if (said.assembly !== null) expected.keep?.(said.assembly)
  return 'starting'
}

function started(said: Said, body: Uint8Array): Stage | null {
  const id = said.stage === 'starting' ? numberOf(body) : null
  if (id === null || id === 0) return null
  said.childPid = id
  return 'running'
}

function wrote(said: Said, body: Uint8Array, hear: (bytes: Uint8Array) => void): Stage | null {
  if (said.stage !== 'running' || body.length === 0) return null
  hear(body)
  return 'running'
}

function ended(said: Said, body: Uint8Array): Stage | null {
  const code = said.stage === 'running' ? numberOf(body) : null
  if (code === null) return null
  said.exitCode = code
  return 'over'
}

function failed(said: Said, body: Uint8Array): Stage | null {
  const [name = '', detail = '', ...more] = textOf(body)?.split('\0') ?? []
  if (said.stage === 'over' || more.length > 0) return null
  said.fault = brokerFault(name, detail)
  return said.fault === null ? null : 'over'
}

const PROTOCOL = '1'

const NOISE_CHARACTERS = 4096

function numberOf(body: Uint8Array): number | null {
  if (body.length !== 4) return null
  return new DataView(body.buffer, body.byteOffset).getUint32(0, true)
}

function textOf(body: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    // Denied: the whole conversation.
    return null
  }
}
