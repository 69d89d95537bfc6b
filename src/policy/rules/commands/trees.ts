/** Whether a recursive operation reaches a path that a rule denies (rules.md §5 item 6). */

import type { Roots } from '../../../core/facts.js'
import type { PathSubject } from '../../../core/subject.js'
import type { BoundRule } from '../../effective-policy.js'
import { toolOf } from '../applies.js'
import type { PathClass } from '../classes.js'
import { foldForSuspicion } from '../compare.js'
import { isGlob, overlaps } from './glob-overlap.js'
import { compileMatch } from '../match.js'
import { normalFolder } from '../path-forms.js'
import { bindGlob } from '../paths.js'

/** True when a rule for paths of this access names something that the operation reaches by this path. */
export function reachesDenied(rule: BoundRule, path: PathSubject, roots: Roots): boolean {
  const { tree, origin } = path.derived ?? {}
  if (tree === undefined || origin === 'listing' || toolOf(rule.match) !== path.access) return false
  const { path: pattern } = compileMatch(rule.match.text)
  if (pattern === null) return false
  if (pattern.kind === 'class') return tree !== 'matched' && holdsClass(path, pattern.name, roots)
  return pattern.globs.some((glob) => {
    const { leading, tokens } = bindGlob(glob, roots, new Map())
    if (isGlob(path.given)) {
      const spellings =
        tree === 'matched' ? path.forms : path.forms.flatMap((form) => [form, `${form}/**`])
      if (spellings.some((form) => overlaps(tokens, form))) return true
    }
    if (tree === 'matched') return false
    // `**/x` lies in every tree; what is only moved as a whole is looked at by name alone.
    if (leading === null) return tree === 'walked'
    return (
      isBelow(path, leading) ||
      (tree === 'walked' && !glob.tokens.every(isLiteral) && isWithin(path, leading))
    )
  })
}

function isLiteral({ kind }: { readonly kind: string }): boolean {
  return kind === 'literal'
}

/** The folder is the path, or below it. */
function isBelow(path: PathSubject, folder: string): boolean {
  const inner = foldForSuspicion(folder)
  return path.forms.some((form) => isAtOrUnder(inner, foldForSuspicion(form)))
}

/** The path is below the folder whose pattern may name something deeper. */
function isWithin(path: PathSubject, folder: string): boolean {
  const outer = foldForSuspicion(folder)
  return path.forms.some((form) => isAtOrUnder(foldForSuspicion(form), outer))
}

function isAtOrUnder(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`)
}

/** A class lies in every tree that holds its folder; some names are in it at any depth. */
function holdsClass(path: PathSubject, name: PathClass, roots: Roots): boolean {
  const folder = (root: string): boolean => isBelow(path, normalFolder(root, roots.platform))
  const inWorkspace = isWithin(path, normalFolder(roots.workspace, roots.platform))
  switch (name) {
    case '@workspace':
      return folder(roots.workspace)
    case '@home':
      return folder(roots.home)
    case '@tmp':
      return roots.temporary.some(folder)
    case '@protected':
      return inWorkspace || folder(roots.workspace)
    case '@credentials':
      return inWorkspace || folder(roots.workspace) || folder(roots.home)
    case '@kernel':
      return ['/proc', '/sys', '/dev'].some(folder)
    case '@outside':
      // A tree with anything outside is outside itself, and met as such.
      return false
  }
}
