/** The need of a tool that runs shell text, with what the analysis proves of it (rules.md §5). */

import type { CommandAnalysis, Need, Shell } from '../core/need.js'
import { analyse } from '../shell/analyse.js'

/** One command need. Text for a shell other than bash is never proof for an allow rule. */
export function runs(command: string, shell: Shell = 'bash'): Need[] {
  const analysis: CommandAnalysis =
    shell === 'bash'
      ? analyse(command)
      : { commands: [], refusals: [{ code: 'unsupported_shell', at: 0 }] }
  return [{ kind: 'command', command, shell, analysis }]
}
