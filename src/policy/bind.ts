/** The second stage of compilation (pipeline.md §2): patterns meet the folders of one workspace. */

import type { Roots } from '../core/facts.js'
import type { PolicyRevision } from '../core/ids.js'
import type { BoundPolicy, BoundRule, PolicyAxes, Rule } from './effective-policy.js'
import { loweredRules } from './lowered.js'
import { indexed } from './rules/index/bound-rules.js'
import { bindMatch, compileMatch, type CompiledMatch } from './rules/match.js'
import { bindGlob } from './rules/paths.js'

/** Binds the axes. `realFolders` says where the folders of `leadingFolders` really lead. */
// eslint-disable-next-line max-params -- policy, its name, and the two things it is bound to
export function bindPolicy(
  axes: PolicyAxes,
  revision: PolicyRevision,
  roots: Roots,
  realFolders: ReadonlyMap<string, string>,
): BoundPolicy {
  const bind = (text: string): BoundRule['match'] =>
    bindMatch(compileMatch(text), roots, realFolders)
  return {
    revision,
    axes,
    rules: indexed(
      [...axes.rules, ...loweredRules(axes)].map(
        ({ id, effect, source, effective, reason, match, except }) => ({
          id,
          effect,
          source,
          effective,
          reason,
          match: bind(match),
          except: except.map(bind),
        }),
      ),
    ),
    toolApproval: axes.toolApproval.map(({ policy, whitelist }) => ({
      policy,
      whitelist: whitelist.map(bind),
    })),
  }
}

/**
 * The literal folders that patterns of suspicion start with: of deny and ask rules, and of an allow
 * rule's exceptions. The caller follows their links, so that both spellings match.
 */
export function leadingFolders(axes: PolicyAxes, roots: Roots): readonly string[] {
  const folders = [...axes.rules, ...loweredRules(axes)]
    .flatMap(suspicious)
    .map(compileMatch)
    .flatMap((match) => leadingOf(match, roots))
  return [...new Set(folders)].sort()
}

function suspicious({ effect, match, except }: Rule): readonly string[] {
  return effect === 'allow' ? except : [match]
}

function leadingOf({ path }: CompiledMatch, roots: Roots): readonly string[] {
  if (path?.kind !== 'globs') return []
  return path.globs.flatMap((glob) => bindGlob(glob, roots, new Map()).leading ?? [])
}
