/** How much is at stake in one call, for the person who is asked (pipeline.md §5). */

import type { Escalation } from '../core/escalation.js'
import type { Roots } from '../core/facts.js'
import type { CommandSubject, PathSubject, Subject } from '../core/subject.js'
import { unreachable } from '../core/unreachable.js'
import { isHighRiskProgram } from '../policy/high-risk.js'

export type Risk = 'low' | 'medium' | 'high'

/** What risk is read from. */
export interface Stakes {
  readonly subjects: readonly Subject[]
  readonly escalations: readonly Escalation[]
  readonly roots: Roots
}

/**
 * High: any escalation, or a program that destroys, reconfigures or connects. Medium: a write that
 * is not proved to lie inside the workspace, network, or shell text that proves nothing. Low: the rest. Advice only: no layer reads it.
 */
export function riskOf({ subjects, escalations, roots }: Stakes): Risk {
  if (escalations.length > 0) return 'high'
  const risks = subjects.map((subject) => riskOfSubject(subject, roots))
  if (risks.includes('high')) return 'high'
  return risks.includes('medium') ? 'medium' : 'low'
}

function riskOfSubject(subject: Subject, roots: Roots): Risk {
  switch (subject.kind) {
    case 'path':
      return subject.access === 'write' && !isInside(subject, roots) ? 'medium' : 'low'
    case 'command':
      return riskOfCommand(subject)
    case 'host':
      return 'medium'
    case 'text':
      return 'low'
    default:
      return unreachable(subject)
  }
}

/** Every form has to lie inside: one that leads out is enough to be outside. */
function isInside({ forms, resolved }: PathSubject, { workspace, platform }: Roots): boolean {
  const unified = (path: string): string =>
    platform === 'win32' ? path.replaceAll('\\', '/').toLowerCase() : path
  const root = unified(workspace)
  const folder = root.endsWith('/') ? root : `${root}/`
  const lies = (form: string): boolean =>
    unified(form) === root ||
    (unified(form).startsWith(folder) && !form.split(/[\\/]/).includes('..'))
  return resolved && forms.length > 0 && forms.every(lies)
}

/**
 * Text that the analysis could not prove is searched word by word, with and without its quotes; nobody
 * can say where it writes or what it contacts, so it is never low.
 */
function riskOfCommand({ command, shell, analysis }: CommandSubject): Risk {
  const proved = shell === 'bash' && analysis.refusals.length === 0 && analysis.commands.length > 0
  if (!proved) {
    const dequoted = command.replace(/["'\\`^]/g, '')
    return holdsHighRisk(command) || holdsHighRisk(dequoted) ? 'high' : 'medium'
  }
  const isHigh = analysis.commands.some(({ argv }) => {
    const program = programName(argv[0] ?? '')
    return isHighRiskProgram(program) || (RUNS_OTHERS.has(program) && argv.some(holdsHighRisk))
  })
  return isHigh ? 'high' : 'low'
}

function holdsHighRisk(argument: string): boolean {
  return wordsOf(argument).some(isHighRiskProgram)
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[^\w.-]+/).map(programName)
}

/** The name by which a program is known, whatever folder, case or suffix it was called with. */
function programName(word: string): string {
  const base = word.split(/[\\/]/).at(-1) ?? word
  return base.toLowerCase().replace(/\.(?:exe|cmd|bat|com)$/, '')
}

/** Programs whose arguments name, or hold, further programs. */
const RUNS_OTHERS: ReadonlySet<string> = new Set([
  ...['sh', 'bash', 'dash', 'zsh', 'ksh', 'fish', 'busybox', 'env', 'nice', 'nohup', 'setsid'],
  ...[
    'timeout',
    'time',
    'stdbuf',
    'command',
    'builtin',
    'exec',
    'eval',
    'xargs',
    'find',
    'parallel',
  ],
  ...['watch', 'doas', 'script', 'flock', 'chroot', 'unshare', 'nsenter', 'strace', 'ionice'],
])
