/** What commands print: lines that hold no control characters and no secret, and colour only for people. */

import { cleanOutput } from '../tools/entry.js'

/** A piece of a line: text of any origin, or one of our own words that may be coloured. */
export type Part = string | { readonly word: string }

/** Standard output for results, standard error for everything about them. */
export interface Output {
  /** One line of a result. */
  readonly line: (...parts: readonly Part[]) => void
  /** One line beside the result. */
  readonly note: (...parts: readonly Part[]) => void
  /** The text of a command that ran, as it is but for control sequences and secrets. */
  readonly raw: (stream: 'stdout' | 'stderr', text: string) => void
  /** A whole JSON document with its schema version; nothing else may go to standard output then. */
  readonly json: (document: object) => void
  /** The same for a document of a format that has a version of its own. */
  readonly document: (document: object) => void
}

/** The version of every JSON document that a command prints. */
const SCHEMA_VERSION = 1

/** The streams of this process. */
export function processOutput(): Output {
  const secrets = secretsOf(process.env)
  const clean = (text: string): string => cleanOutput(text, { secrets }).text
  const write = (stream: 'stdout' | 'stderr', parts: readonly Part[]): void => {
    const isColoured = hasColour(stream)
    const shown = parts.map((part) =>
      typeof part !== 'string' ? painted(part.word, isColoured) : clean(part).replaceAll('\n', ' '),
    )
    process[stream].write(`${shown.join('')}\n`)
  }
  const whole = (document: object): void => {
    process.stdout.write(`${JSON.stringify(masked(document, clean), null, 2)}\n`)
  }
  return {
    line: (...parts) => write('stdout', parts),
    note: (...parts) => write('stderr', parts),
    raw: (stream, text) => void process[stream].write(clean(text)),
    json: (document) => whole({ schema_version: SCHEMA_VERSION, ...document }),
    document: whole,
  }
}

function painted(word: string, isColoured: boolean): string {
  return isColoured ? `\u{1b}[${COLOURS[word] ?? 1}m${word}\u{1b}[0m` : word
}

const COLOURS: Readonly<Record<string, number>> = {
  allow: 32,
  ask: 33,
  deny: 31,
  no_match: 2,
  'not reached': 2,
  enforced: 32,
  missing: 31,
  FAILED: 31,
  error: 31,
  refused: 31,
  warning: 33,
  note: 2,
}

/** https://no-color.org: any value but the empty one. */
function hasColour(stream: 'stdout' | 'stderr'): boolean {
  return process[stream].isTTY && (process.env['NO_COLOR'] ?? '') === ''
}

/** Values of variables that are named like secrets; whoever prints them hands them on. */
function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.length >= 8 && SECRET_NAME.test(name) ? [value] : [],
  )
}

const SECRET_NAME = /TOKEN|SECRET|PASSW|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|CREDENTIAL/i

function masked(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map((entry) => masked(entry, clean))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, masked(entry, clean)]),
  )
}
