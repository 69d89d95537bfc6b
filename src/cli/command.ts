/** What every command is: one file, one name, one way to end (hosts.md §5). */

import type { Output } from './output.js'

/** One command of `sixgate`. */
export interface Command {
  readonly name: string
  /** What follows the name. */
  readonly usage: string
  readonly summary: string
  /** Resolves with the exit code; rejects with what `main` prints as a fault. */
  readonly run: (args: readonly string[], output: Output) => Promise<number>
}

/** Exit codes that every command shares; a command's own stand in docs/cli.md. */
export const EXIT = {
  ok: 0,
  failed: 1,
  asked: 3,
  denied: 4,
  usage: 64,
  malformed: 65,
  noInput: 66,
  internal: 70,
} as const
