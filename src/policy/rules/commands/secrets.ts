/** Globs of a shell text that may match a store of credentials (rules.md §4, §5 item 6). */

import type { Roots } from '../../../core/facts.js'
import type { PathSubject } from '../../../core/subject.js'
import { HOME_CREDENTIALS, WORKSPACE_CREDENTIALS } from '../../../lists/credentials.js'
import { bindGlob } from '../paths.js'
import { parsePathPattern, type PathGlob } from '../patterns/path-pattern.js'
import { isGlob, overlaps } from './glob-overlap.js'

const STORES: readonly PathGlob[] = [
  ...WORKSPACE_CREDENTIALS.map((name) => `**/${name}`),
  ...HOME_CREDENTIALS.flatMap((name) => [`~/${name}`, `~/${name}/**`]),
].flatMap((pattern) => {
  const parsed = parsePathPattern(pattern)
  return parsed.kind === 'globs' ? parsed.globs : []
})

/** True for a glob, read off a command, that some store's name would match. */
export function mayMatchSecret(path: PathSubject, roots: Roots): boolean {
  if (path.derived?.tree === undefined || !isGlob(path.given)) return false
  return STORES.some((store) => {
    const { tokens } = bindGlob(store, roots, new Map())
    return path.forms.some((form) => overlaps(tokens, form))
  })
}
