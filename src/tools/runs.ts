/** The needs of a tool that runs shell text, with what the analysis proves of it (rules.md §5). */

import type { CommandAnalysis, Need, Shell } from '../core/need.js'
import { Memo } from '../core/memory/memo.js'
import { makeLasting } from '../encoding/plain-json.js'
import { analyse } from '../shell/analyse.js'

/**
 * The command, and behind it the paths and hosts that its text shows. Those meet deny and ask rules and
 * need capabilities; an allow of the command covers operands and hosts, redirections not. Text for a
 * shell other than bash is never proof for an allow rule.
 */
export function runs(command: string, shell: Shell = 'bash'): Need[] {
  if (shell !== 'bash') {
    const analysis: CommandAnalysis = {
      commands: [],
      refusals: [{ code: 'unsupported_shell', at: 0 }],
    }
    return [{ kind: 'command', command, shell, analysis }]
  }
  const known = ANALYSED.get(command)
  if (known !== undefined) return [...known]
  const needs = needsOf(command)
  // Frozen, so that nobody changes what the next call of the same text is told.
  const isPlain = needs.every(makeLasting)
  if (isPlain && command.length <= LONGEST_KEPT) ANALYSED.set(command, needs)
  return [...needs]
}

/** Agents run the same few commands over and over, and a text always means the same. */
const ANALYSED = new Memo<readonly Need[]>(256)
const LONGEST_KEPT = 1024

function needsOf(command: string): readonly Need[] {
  const analysis = analyse(command)
  makeLasting(analysis)
  const paths = (analysis.operations ?? []).map(({ access, path, ...derived }): Need => {
    return { kind: 'path', access, path, derived }
  })
  const hosts = (analysis.hosts ?? []).map((host): Need => ({
    kind: 'host',
    ...host,
    derived: true,
  }))
  return [{ kind: 'command', command, shell: 'bash', analysis }, ...paths, ...hosts]
}
