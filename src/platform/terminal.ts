/** The controlling terminal of this process: the only place that opens it (pipeline.md §5). */

import { openSync } from 'node:fs'
import { ReadStream, WriteStream } from 'node:tty'
import { ConfigError } from '../core/errors.js'

/** One conversation with the person at the terminal. */
export interface Terminal {
  readonly columns: number
  readonly write: (text: string) => void
  /** Throws away what was typed up to now, half-typed lines included. */
  readonly drain: (signal: AbortSignal) => Promise<void>
  /** The next whole line without its end; `null` at end of file, on abort and past 4,096 characters. */
  readonly readLine: (signal: AbortSignal) => Promise<string | null>
  readonly close: () => void
}

/**
 * Opens the controlling terminal, never standard input, which may be a pipe that a model fills.
 * Throws `ConfigError invalid_option` when there is none: nobody can be asked, so nothing is allowed.
 */
export function openTerminal(): Terminal {
  const input = attach(() => new ReadStream(openSync(device('IN'), 'r+')))
  const output = attach(() => new WriteStream(openSync(device('OUT'), 'r+')))
  const lines = new LineReader(input)
  // A terminal that goes away ends the conversation through `close` and `end`; nobody said yes.
  output.on('error', () => input.destroy())
  return {
    columns: output.columns > 0 ? output.columns : 80,
    write: (text) => void output.write(text),
    drain: (signal) => drain(input, lines, signal),
    readLine: (signal) => lines.next(signal),
    close() {
      input.destroy()
      output.destroy()
    },
  }
}

function attach<S>(open: () => S): S {
  try {
    return open()
  } catch (cause) {
    // Denied: the responder rejects, which the pipeline records as `responder_failed`.
    throw new ConfigError('invalid_option', 'no controlling terminal to ask at', {
      cause,
      suggestion: 'start the host from a terminal, or give it another responder',
    })
  }
}

function device(direction: 'IN' | 'OUT'): string {
  return process.platform === 'win32' ? `\\\\.\\CON${direction}$` : '/dev/tty'
}

/** How long nothing may arrive before the type-ahead counts as drained. */
const QUIET_MS = 60

/** Raw mode hands over half-typed lines as well; a line discipline would keep them for the next read. */
async function drain(input: ReadStream, lines: LineReader, signal: AbortSignal): Promise<void> {
  input.setRawMode(true)
  try {
    let seen: number
    do {
      seen = lines.received
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
    } while (lines.received !== seen && !input.destroyed && !signal.aborted)
  } finally {
    if (!input.destroyed) input.setRawMode(false)
    lines.discard()
  }
}

const LONGEST_LINE = 4096

/** Collects input into lines; everything that is not a whole line ends as `null`. */
class LineReader {
  /** How many chunks have arrived. */
  received = 0
  private text = ''
  private ended = false
  private wake: () => void = () => undefined
  private readonly input: ReadStream

  constructor(input: ReadStream) {
    this.input = input
    const end = (): void => {
      this.ended = true
      this.wake()
    }
    input.setEncoding('utf8')
    input.on('data', (chunk) => {
      this.received += 1
      this.text += String(chunk)
      this.wake()
    })
    input.on('end', end)
    input.on('close', end)
    input.on('error', end)
  }

  discard(): void {
    this.text = ''
  }

  async next(signal: AbortSignal): Promise<string | null> {
    const abort = (): void => void this.input.destroy()
    signal.addEventListener('abort', abort, { once: true })
    try {
      for (;;) {
        if (signal.aborted || this.ended || this.text.length > LONGEST_LINE) return null
        const end = this.text.indexOf('\n')
        if (end !== -1) return this.take(end)
        await new Promise<void>((resolve) => {
          this.wake = resolve
        })
      }
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  private take(end: number): string {
    const line = this.text.slice(0, end)
    this.text = this.text.slice(end + 1)
    return line.replace(/\r$/, '')
  }
}
