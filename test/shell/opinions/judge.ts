/** The real bash as the judge: what it executes counts, whatever anybody else reads. */

import { spawnSync } from 'node:child_process'
import type { CommandAnalysis } from '../../../src/core/need.js'
import { BashRuns, type Circumstances } from '../../builders/executed-commands.js'

/**
 * The runs of one text: `&&`, `||`, `if` and loops go both ways, defaults are needed or not, and patterns
 * have something to match.
 */
const RUNS: readonly Circumstances[] = [
  { status: '1', variables: {} },
  { status: '0', variables: { x: 'a b' } },
  // By one bit of the first letter: names answer differently from one another.
  ...[0, 1, 2].map((bit) => ({
    status: `$(( ($(builtin printf %d "'$1") >> ${bit}) & 1 ))`,
    variables: bit === 1 ? {} : { x: 'a b' },
  })),
]

export class Judge {
  readonly #bash = new BashRuns(400)

  /** The names that bash looks for in one run, the `turn`-th of them; `null` when it is not let loose on this text. */
  executed(text: string, analysis: CommandAnalysis, turn: number): ReadonlySet<string> | null {
    const tame = tamed(text, analysis)
    if (tame === null) return null
    const run = RUNS[turn % RUNS.length]
    return new Set(this.#bash.executed(tame, run).flatMap(([name]) => name ?? []))
  }

  /** The names that bash looks for in any of the runs. */
  everExecuted(text: string, analysis: CommandAnalysis): ReadonlySet<string> | null {
    const runs = RUNS.map((_, turn) => this.executed(text, analysis, turn))
    return runs.includes(null) ? null : new Set(runs.flatMap((names) => [...(names ?? [])]))
  }

  remove(): void {
    this.#bash.remove()
  }
}

/** Bash takes it for a text without faults; it runs nothing. */
export function isBash(text: string): boolean {
  const { status, stderr } = spawnSync('/usr/bin/bash', ['--norc', '--noprofile', '-n'], {
    input: text,
    encoding: 'utf8',
    env: { LC_ALL: 'C.UTF-8' },
  })
  // For some faults it says so and exits with 0.
  return status === 0 && !/syntax error|unexpected/.test(stderr)
}

/** The text as it may run here: nothing outside of its folder, no signals, no loops that multiply. */
function tamed(text: string, { commands, hazards = [] }: CommandAnalysis): string | null {
  if (text.includes('\0') || hazards.length > 0 || WILD.test(text)) return null
  const isPlaced = PATH.test(text.replace(REPLACEMENT, '')) || commands.some(leaves)
  return isPlaced ? null : text
}

const WILD = /\b(?:kill|cd|pushd|popd|suspend|ulimit|BASH|SHELL|PWD|OLDPWD|HOME)\b|\$\{?_/
/** What may be a path of this machine: `/` itself and names of one or two letters are none that matter. */
const PATH = /\/(?:[\w-]{3}|[.*?[{'"\\~])/
/** Here a slash is no part of a path: `x` is set to a text without one, others are not set. */
const REPLACEMENT = /\$\{[a-z]\/{1,2}[^/{}]*\/[^/{}]*\}/g

function leaves({ argv, redirects = [] }: CommandAnalysis['commands'][number]): boolean {
  return [...argv, ...redirects].some((word) => PATH.test(word))
}
