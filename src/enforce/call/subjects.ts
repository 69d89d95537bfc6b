/** Needs become subjects: paths in all their spellings, hosts in canonical form (rules.md §3, §4). */

import type { ToolCall } from '../../core/call.js'
import type { Need } from '../../core/need.js'
import type { PathSubject, Subject } from '../../core/subject.js'
import { canonicalHost } from '../../policy/rules/hosts.js'
import { lexicalForms } from '../../policy/rules/path-forms.js'
import type { Surroundings } from '../surroundings.js'
import { untrustedPrograms } from './untrusted-programs.js'

/** Past this many subjects no allow counts anyway (H-07), so links are not followed any more. */
const RESOLVED_AT_MOST = 256

/** In the order of the needs; capabilities and escalations are no subjects. */
export async function subjectsOf(
  call: ToolCall,
  around: Surroundings,
): Promise<readonly Subject[]> {
  const subjects: Subject[] = []
  for (const need of call.needs) {
    const follow = subjects.length < RESOLVED_AT_MOST
    const subject = await subjectOf(need, call, follow ? around : null)
    if (subject !== null) subjects.push(subject)
  }
  return subjects
}

/** The same subjects where these folders are writable: a name that leads into one is no proof of what runs. */
export function whereWritable(
  subjects: readonly Subject[],
  writable: readonly string[],
  around: Surroundings,
): readonly Subject[] {
  return subjects.map((subject) => {
    if (subject.kind !== 'command') return subject
    const { kind, command, shell, analysis } = subject
    const untrusted = untrustedPrograms(analysis, around, writable)
    return { kind, command, shell, analysis, ...(untrusted.length === 0 ? {} : { untrusted }) }
  })
}

/** The real path of a folder, if it lies inside the workspace; else `null`. */
export async function realFolder(given: string, around: Surroundings): Promise<string | null> {
  const { workspace } = around.roots
  const resolved = await around.paths.resolve(
    given.startsWith('/') ? given : `${workspace}/${given}`,
  )
  if (resolved.status !== 'resolved') return null
  const isInside = resolved.real === workspace || resolved.real.startsWith(`${workspace}/`)
  return isInside ? resolved.real : null
}

async function subjectOf(
  need: Need,
  call: ToolCall,
  around: Surroundings | null,
): Promise<Subject | null> {
  switch (need.kind) {
    case 'path':
      return pathSubject(need, call, around)
    case 'command': {
      const analysis = need.analysis ?? UNANALYSED
      return { kind: 'command', command: need.command, shell: need.shell ?? 'bash', analysis }
    }
    case 'host': {
      const { port = null, path = null } = need
      const host = need.host === null ? null : canonicalHost(need.host)
      return { kind: 'host', host, port, path, ...(need.derived === true ? { derived: true } : {}) }
    }
    case 'text':
      return { kind: 'text', text: need.text }
    case 'capability':
    case 'escalation':
      return null
  }
}

const UNANALYSED = { commands: [], refusals: [{ code: 'unanalysed', at: 0 }] } as const

/** Lexical readings first, then where each of them really leads. */
async function pathSubject(
  need: Need & { readonly kind: 'path' },
  call: ToolCall,
  around: Surroundings | null,
): Promise<PathSubject> {
  const { access, path: given, derived } = need
  const base = {
    kind: 'path',
    access,
    given,
    ...(derived === undefined ? {} : { derived }),
  } as const
  if (around === null) return { ...base, forms: [given], real: null, resolved: false }
  const { unfolded, folded } = lexicalForms(given, { ...around.roots, cwd: call.cwd })
  // Nobody knows the folder that it is relative to: it counts as outside and protected.
  if (derived?.adrift === true) return { ...base, forms: folded, real: null, resolved: false }
  const forms = new Set(folded)
  const reals: (string | null)[] = []
  for (const spelling of new Set([...unfolded, ...folded])) {
    const resolution = await around.paths.resolve(spelling)
    const real = resolution.status === 'resolved' ? resolution.real : null
    if (real !== null) forms.add(real)
    reals.push(real)
  }
  return { ...base, forms: [...forms], real: reals[0] ?? null, resolved: !reals.includes(null) }
}
