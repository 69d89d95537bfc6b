/** Needs become subjects: paths in all their spellings, hosts in canonical form (rules.md §3, §4). */

import type { ToolCall } from '../../core/call.js'
import type { CommandAnalysis, Need } from '../../core/need.js'
import type { PathSubject, Subject } from '../../core/subject.js'
import { canonicalHost } from '../../core/names/host.js'
import { foldForProof } from '../../policy/rules/compare.js'
import { isAbsolute, lexicalForms, normalFolder } from '../../policy/rules/path-forms.js'
import type { Surroundings } from '../surroundings.js'
import { guardedFiles } from './aliases.js'
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
  const { workspace, platform } = around.roots
  const resolved = await around.paths.resolve(
    isAbsolute(given, platform) ? given : `${workspace}/${given}`,
  )
  if (resolved.status !== 'resolved') return null
  const real = normalFolder(resolved.real, platform)
  const [inner, outer] = [foldForProof(real, platform), foldForProof(workspace, platform)]
  return inner === outer || inner.startsWith(`${outer}/`) ? real : null
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
      const given = need.analysis ?? UNANALYSED
      const analysis = around === null ? given : seenFrom(given, call, around)
      return { kind: 'command', command: need.command, shell: need.shell ?? 'bash', analysis }
    }
    case 'host': {
      const { port = null, path = null } = need
      const host = need.host === null ? null : canonicalHost(need.host)
      const derived = need.derived === true ? { derived: true as const } : {}
      const suspected = need.suspected === true ? { suspected: true as const } : {}
      return { kind: 'host', host, port, path, ...derived, ...suspected }
    }
    case 'text':
      return { kind: 'text', text: need.text }
    case 'capability':
    case 'escalation':
      return null
  }
}

/** A text that comes back to the folder of the call, by whatever spelling, has not left it. */
function seenFrom(
  analysis: CommandAnalysis,
  { cwd }: ToolCall,
  { roots }: Surroundings,
): CommandAnalysis {
  if (analysis.commands.every(({ from }) => from === undefined)) return analysis
  const own = normalFolder(cwd, roots.platform)
  // A step up from a link leads elsewhere for some programs, so it is not followed here.
  const isOwn = (folder: string): boolean =>
    folder === '' ||
    (!folder.includes('..') &&
      lexicalForms(folder, { ...roots, cwd }).folded.every((form) => form === own))
  const commands = analysis.commands.map((command) =>
    command.from?.every(isOwn) === true ? { ...command, from: undefined } : command,
  )
  return { ...analysis, commands }
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
  const { unfolded, folded, certain } = lexicalForms(given, { ...around.roots, cwd: call.cwd })
  // Nobody knows the folder that it is relative to: it counts as outside and protected.
  if (derived?.adrift === true) return { ...base, forms: folded, real: null, resolved: false }
  const led = await follow(new Set([...unfolded, ...folded]), around)
  return {
    ...base,
    forms: [...new Set([...folded, ...led.forms])],
    real: certain ? led.first : null,
    resolved: certain && led.complete,
  }
}

/** Where the spellings of one path lead. */
interface Led {
  /** Real paths, and the guarded files that they are second names of. */
  readonly forms: readonly string[]
  /** Where the first spelling leads. */
  readonly first: string | null
  /** False when any spelling cannot be resolved, or may be a second name of anything. */
  readonly complete: boolean
}

async function follow(
  spellings: ReadonlySet<string>,
  { paths, roots }: Surroundings,
): Promise<Led> {
  const forms: string[] = []
  const reals: (string | null)[] = []
  let complete = true
  for (const spelling of spellings) {
    const resolution = await paths.resolve(spelling)
    reals.push(resolution.status === 'resolved' ? resolution.real : null)
    if (resolution.status === 'unresolvable') {
      complete = false
      continue
    }
    const { real, identity } = resolution
    forms.push(normalFolder(real, roots.platform))
    if (identity === undefined) continue
    const guarded = guardedFiles(roots, paths)
    if (guarded === null) complete = false
    else forms.push(...(guarded.get(identity) ?? []))
  }
  return { forms, first: reals[0] ?? null, complete }
}
