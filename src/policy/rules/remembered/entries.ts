/** The entries of a remembered grant, bound once (H-12): the same value is folded over and over. */

import type { RememberedGrant, Roots } from '../../../core/facts.js'
import type { BoundMatch } from '../../effective-policy.js'
import { bindMatch, compileMatch } from '../match.js'

/** Throws `ConfigError` for a text that is no entry: the layer that asks then denies. */
export function boundEntries(grant: RememberedGrant, roots: Roots): readonly BoundMatch[] {
  const known = bound.get(grant)
  if (known?.roots === roots) return known.entries
  const entries = grant.entries.map((text) => bindMatch(compileMatch(text), roots))
  bound.set(grant, { roots, entries })
  return entries
}

const bound = new WeakMap<
  RememberedGrant,
  { readonly roots: Roots; readonly entries: readonly BoundMatch[] }
>()
