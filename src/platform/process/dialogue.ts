/** A launcher that keeps its standard streams for a conversation and carries the command's in it. */

import type { ChildProcess } from 'node:child_process'
import type { SandboxError } from '../../core/errors.js'
import type { Clock } from '../clock.js'
import type { LauncherReport } from './launcher-status.js'
import { killTree } from './process-end.js'
import type { RetainedOutput } from './retained-output.js'

/** Gets what the command itself wrote. */
export type Hearing = (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void

/** The words of such a launcher. */
export interface Dialogue {
  /** Said first: what to run. */
  readonly opening: Uint8Array
  /** The command's input with its end. */
  readonly input: (stdin: Uint8Array | string | undefined) => Uint8Array
  readonly listen: (hear: Hearing) => Listener
}

/** Understands one launcher's answers. No function throws. */
export interface Listener {
  /** False as soon as a rule is broken: the launcher is killed, and nothing more is believed. */
  readonly take: (chunk: Uint8Array) => boolean
  /** What the launcher said beside the conversation. */
  readonly noise: (chunk: Uint8Array) => void
  readonly report: () => LauncherReport
  /** Asked at the launcher's end: why no command ran to its end, or `null` when one did. */
  readonly fault: () => SandboxError | null
}

/** A conversation that goes on. */
export interface Talk {
  readonly report: () => LauncherReport
  readonly fault: () => SandboxError | null
  /** Asks the launcher to end everything; one that does not within the grace is killed. */
  readonly stop: () => void
}

/** How long a launcher may take to end the command and to clear away after it. */
const GRACE_MS = 2000

/** What a conversation is held with. */
export interface TalkOptions {
  readonly stdin?: Uint8Array | string | undefined
  readonly clock: Clock
  readonly output: RetainedOutput
}

/**
 * Opens the conversation. The launcher's input stays open until it ends: its end is the order to stop,
 * so a host that dies takes the command with it.
 */
export function converse(child: ChildProcess, dialogue: Dialogue, options: TalkOptions): Talk {
  const listener = dialogue.listen((stream, bytes) => {
    options.output.add(stream, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
  })
  for (const stream of child.stdio) {
    // A launcher that ends early breaks its pipes; its end says so, the stream need not.
    stream?.on('error', () => {})
  }
  child.stdin?.write(dialogue.opening)
  child.stdin?.write(dialogue.input(options.stdin))
  child.stdout?.on('data', (chunk: Buffer) => {
    if (!listener.take(chunk)) killTree(child)
  })
  child.stderr?.on('data', (chunk: Buffer) => listener.noise(chunk))
  return {
    report: listener.report,
    fault: listener.fault,
    stop() {
      child.stdin?.destroy()
      const cancel = options.clock.after(GRACE_MS, () => killTree(child))
      child.once('exit', cancel)
    },
  }
}
