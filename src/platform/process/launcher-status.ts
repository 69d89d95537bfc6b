/** What a launcher says on its status descriptor: the only proof that a command started (E-81). */

import { readFileSync } from 'node:fs'

/** bubblewrap's two lines, as far as they came. */
export interface LauncherReport {
  /** The boundary's first process, as the host counts processes. */
  readonly childPid: number | null
  /** Written only when the command was executed and ended. */
  readonly exitCode: number | null
}

/** Reads `--json-status-fd`. Whatever is not exactly one of the two facts says nothing. */
export function readLauncherReport(text: string): LauncherReport {
  let childPid: number | null = null
  let exitCode: number | null = null
  for (const line of text.split('\n')) {
    const fact = parsed(line)
    childPid ??= natural(fact['child-pid'], 1)
    // INVARIANT: an end without a beginning proves nothing ("a launcher that only claims an end").
    if (childPid !== null) exitCode ??= natural(fact['exit-code'], 0)
  }
  return { childPid, exitCode }
}

/**
 * Whether the boundary's first process has already forked for the command, asked right before it is
 * killed. It is stopped first, so that the answer stays true. Cannot tell counts as yes: a command
 * that may have run has effects that nobody knows.
 */
export function commandMayRun(launcher: number, report: LauncherReport): boolean {
  const child = report.childPid
  if (child === null) return false
  try {
    if (stateOf(child).parent !== launcher) return true
    process.kill(child, 'SIGSTOP')
    let reads = 0
    while (stateOf(child).state !== 'T' && reads < 100) reads += 1
    return readFileSync(`/proc/${child}/task/${child}/children`, 'latin1').trim() !== ''
  } catch {
    // Denied: the claim that nothing ran.
    return true
  }
}

function stateOf(pid: number): { readonly state: string; readonly parent: number } {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The name before it may hold blanks and parentheses.
  const [state = '', parent = ''] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { state, parent: Number(parent) }
}

function parsed(line: string): { readonly [key: string]: unknown } {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    // Denied: this line as proof of anything.
    return {}
  }
}

function natural(value: unknown, least: number): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least ? value : null
}
