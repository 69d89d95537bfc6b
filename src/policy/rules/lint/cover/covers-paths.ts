/** Whether one path pattern covers another, whatever the folders are that it will be bound to. */

import type { CompiledMatch } from '../../match.js'
import type { PathGlob } from '../../patterns/path-pattern.js'
import type { Token } from '../../patterns/text.js'
import type { Claim } from './claim.js'
import { includes } from './inclusion.js'

/** True when it is proved. Patterns that are not plain ASCII are compared by their text alone. */
export function coversPaths(outer: CompiledMatch, inner: CompiledMatch, claim: Claim): boolean {
  if (outer.path === null || inner.path === null) return false
  if (outer.path.kind === 'class') {
    if (inner.path.kind === 'class') return outer.path.name === inner.path.name
    const below = inner.path.globs.every(isBelowWorkspace)
    if (outer.path.name !== '@workspace' || !below || claim === 'suspicion_in_suspicion') {
      return false
    }
    return claim === 'proof_in_suspicion' || !inner.path.globs.some(isExact)
  }
  if (inner.path.kind === 'class') return false
  const outers = outer.path.globs
  return inner.path.globs.every((glob) => coversGlob(outers, glob, claim))
}

/** True for a pattern that names one path. */
export function isExact({ tokens }: PathGlob): boolean {
  return tokens.every(({ kind }) => kind === 'literal')
}

function coversGlob(outers: readonly PathGlob[], inner: PathGlob, claim: Claim): boolean {
  const able = outers.filter((outer) => isComparable(outer, inner, claim))
  if (!isPlain(inner) || able.length === 0) return false
  const isStrict = claim === 'suspicion_in_suspicion'
  const spelt = (glob: PathGlob): readonly (readonly Token[])[] =>
    isStrict ? withFolderItself(absolute(glob)).map(lowered) : [absolute(glob)]
  const lists = able.flatMap(spelt)
  return spelt(inner).every((tokens) => includes(lists, filled(tokens)))
}

/** No path has a name without characters, so a star that is a whole name stands for one at least. */
function filled(tokens: readonly Token[]): readonly Token[] {
  return tokens.flatMap((token, at): readonly Token[] => {
    const [before, after] = [tokens[at - 1], tokens[at + 1]]
    const begins = before?.kind === 'literal' && before.text.endsWith('/')
    const ends = after === undefined || (after.kind === 'literal' && after.text.startsWith('/'))
    return token.kind === 'run' && begins && ends ? [{ kind: 'one' }, token] : [token]
  })
}

function isComparable(outer: PathGlob, inner: PathGlob, claim: Claim): boolean {
  if (!isPlain(outer)) return false
  switch (claim) {
    case 'proof_in_proof':
      // A secret is reached by its exact path and by no wildcard.
      return !isExact(inner) || isExact(outer)
    case 'proof_in_suspicion':
      // Names are compared after their letters were composed: one character may stand for several.
      return outer.tokens.every(({ kind }) => kind !== 'one')
    case 'suspicion_in_suspicion':
      // The folders that a deny begins with are followed to where they really lead.
      return outer.base === 'anywhere' || leading(outer) === leading(inner)
  }
}

const PLAIN = /^[\x20-\x7e]*$/
/** Endings that volumes drop, and steps that only a real folder can answer. */
const UNSURE = /[. ](?:\/|$)/

function isPlain({ tokens }: PathGlob): boolean {
  return tokens.every(
    (token) => token.kind !== 'literal' || (PLAIN.test(token.text) && !UNSURE.test(token.text)),
  )
}

function isBelowWorkspace(glob: PathGlob): boolean {
  return glob.base === 'workspace' && isPlain(glob)
}

/** Folders of unknown names: no pattern holds these letters, so only wildcards take them. */
const FOLDERS = {
  root: '',
  share: '',
  home: '/\u{f8f0}/\u{f8f1}',
  workspace: '/\u{f8f2}/\u{f8f3}',
} as const

function absolute({ base, tokens }: PathGlob): readonly Token[] {
  if (base === 'anywhere' || base === 'root') return tokens
  const [first, ...rest] = tokens
  const folder = FOLDERS[base]
  if (first?.kind !== 'literal') return [{ kind: 'literal', text: `${folder}/` }, ...tokens]
  const slash = first.text.startsWith('/') ? '' : '/'
  return [{ kind: 'literal', text: `${folder}${slash}${first.text}` }, ...rest]
}

function leading(glob: PathGlob): string {
  const first = absolute(glob)[0]
  if (first?.kind !== 'literal') return ''
  return isExact(glob) ? first.text : first.text.slice(0, first.text.lastIndexOf('/'))
}

/** For deny and ask `dir/**` means `dir` as well. */
function withFolderItself(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const before = tokens.at(-3)
  const isTail = tokens.at(-1)?.kind === 'all' && tokens.at(-2)?.kind === 'any'
  if (!isTail || before?.kind !== 'literal' || !before.text.endsWith('/')) return [tokens]
  return [tokens, [...tokens.slice(0, -3), { kind: 'literal', text: before.text.slice(0, -1) }]]
}

function lowered(tokens: readonly Token[]): readonly Token[] {
  return tokens.map((token) =>
    token.kind === 'literal' ? { kind: 'literal', text: token.text.toLowerCase() } : token,
  )
}
