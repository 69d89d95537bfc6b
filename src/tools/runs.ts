/** The needs of a tool that runs shell text, with what the analysis proves of it (rules.md §5). */

import type { CommandAnalysis, Need, Shell } from '../core/need.js'
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
  const analysis = analyse(command)
  const paths = (analysis.operations ?? []).map(({ access, path, ...derived }): Need => {
    return { kind: 'path', access, path, derived }
  })
  const hosts = (analysis.hosts ?? []).map((host): Need => ({
    kind: 'host',
    ...host,
    derived: true,
  }))
  return [{ kind: 'command', command, shell, analysis }, ...paths, ...hosts]
}
