/** What a listing or a walk below a judged folder must leave out (tools.md §1): each file has rules of its own. */

import type { Roots } from '../../core/facts.js'
import type { PathSubject } from '../../core/subject.js'
import type { EffectivePolicy } from '../../policy/effective-policy.js'
import { touches } from '../../policy/rules/classes.js'
import { normalFolder } from '../../policy/rules/path-forms.js'
import { judgeRules } from '../../policy/rules/verdict.js'
import { guardedFiles, guardedNames, type GuardedFiles } from '../call/aliases.js'
import type { Surroundings } from '../surroundings.js'

/**
 * True for a file that a call of this tool could not read by name without being denied or asked, under
 * the policy in force when it is looked at. Made for one call: second names are looked up once.
 */
export function hiddenBelow(
  tool: string,
  current: () => EffectivePolicy,
  { roots, controlPlane, paths }: Pick<Surroundings, 'roots' | 'controlPlane' | 'paths'>,
): (real: string) => boolean {
  let guarded: GuardedFiles | null | undefined
  const lookedUp = (): GuardedFiles | null => {
    guarded = guarded === undefined ? guardedFiles(roots, paths) : guarded
    return guarded
  }
  return (real) => {
    const names = guardedNames(real, lookedUp, paths)
    // It may be a second name of what nobody found.
    if (names === null) return true
    const subject: PathSubject = {
      kind: 'path',
      access: 'read',
      given: real,
      forms: [normalFolder(real, roots.platform), ...names],
      real,
      resolved: true,
    }
    return (
      touches(subject, controlPlane, roots) || isKept(subject, tool, { policy: current(), roots })
    )
  }
}

function isKept(
  subject: PathSubject,
  tool: string,
  { policy, roots }: { readonly policy: EffectivePolicy; readonly roots: Roots },
): boolean {
  const { decision } = judgeRules(policy.rules, {
    tool,
    runsIn: 'process',
    subjects: [subject],
    roots,
  })
  return decision === 'deny' || decision === 'ask'
}
