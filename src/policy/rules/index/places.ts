/**
 * Where a bound match stands in the tables of an index: the anchors of what its matcher compares, kind of
 * subject by kind. Each mirrors one matcher; what it cannot tell for certain stands under `always`.
 */

import {
  describeSubject,
  type CommandSubject,
  type HostSubject,
  type PathSubject,
  type Subject,
} from '../../../core/subject.js'
import { foldForProof } from '../compare.js'
import { canonicalHost } from '../../../core/names/host.js'
import type { MatchBinding } from '../match.js'
import { bindGlob, suspectedSpellings, type BoundGlob } from '../paths.js'
import { suspicions } from '../patterns/commands.js'
import { pushLiteral, type Token } from '../patterns/text.js'
import { anchorOf, type Place } from './anchor.js'

/** A kind of comparison that has a table of its own. */
export interface Domain {
  readonly name: 'spelling' | 'volume' | 'host' | 'text'
  readonly place: (binding: MatchBinding) => Place
}

/** Paths as suspicion compares them, every form. */
export const SPELLING: Domain = {
  name: 'spelling',
  place: (binding) => pathPlace(binding, ({ suspicions }) => suspicions),
}

/** Paths as proof compares them; every form must match, so the first tells enough. */
export const VOLUME: Domain = {
  name: 'volume',
  place: (binding) => pathPlace(binding, ({ proof }) => [proof]),
}

/** Hosts, by suspicion and by proof alike; the path of a URL is left to the match. */
export const HOST: Domain = { name: 'host', place: hostPlace }

/** Arguments as the call wrote them. */
export const TEXT: Domain = { name: 'text', place: textPlace }

/** The texts by which suspicion finds a path in `SPELLING`. */
export function spellingsOf(path: PathSubject): readonly string[] {
  const known = SPELLINGS.get(path)
  if (known !== undefined) return known
  const texts = [...new Set(path.forms.flatMap(suspectedSpellings))]
  SPELLINGS.set(path, texts)
  return texts
}

/** The text by which proof finds a path in `VOLUME`. */
export function volumeTextsOf(
  path: PathSubject,
  { roots }: Pick<MatchBinding, 'roots'>,
): readonly string[] {
  const [form] = path.forms
  return form === undefined ? [] : [foldForProof(form, roots.platform)]
}

/** The text by which a host is found in `HOST`; none for a host that nobody knows. */
export function hostTextsOf(subject: HostSubject): readonly string[] {
  const known = HOST_TEXTS.get(subject)
  if (known !== undefined) return known
  const canonical = subject.host === null ? null : canonicalHost(subject.host)
  const texts = canonical === null ? [] : [canonical]
  HOST_TEXTS.set(subject, texts)
  return texts
}

/** The texts by which suspicion finds a command in `TEXT`. */
export function commandTextsOf(subject: CommandSubject): readonly string[] {
  return [...suspicions(subject)]
}

/** The texts by which a subject is found in `TEXT`. */
export function writtenTextsOf(subject: Subject): readonly string[] {
  const text = describeSubject(subject)
  const trimmed = text.trim()
  return trimmed === text ? [text] : [text, trimmed]
}

/** Deny, ask and allow look a subject up one after the other. */
const SPELLINGS = new WeakMap<PathSubject, readonly string[]>()
const HOST_TEXTS = new WeakMap<HostSubject, readonly string[]>()

function pathPlace(
  { compiled, roots, realFolders }: MatchBinding,
  compared: (glob: BoundGlob) => readonly (readonly Token[])[],
): Place {
  const { parsed, path } = compiled
  if (parsed.pattern === null) return 'always'
  if (path === null) return 'never'
  if (path.kind === 'class') return 'always'
  return path.globs
    .flatMap((glob) => compared(bindGlob(glob, roots, realFolders)))
    .map((tokens) => anchorOf(tokens))
}

function hostPlace({ compiled: { parsed, host } }: MatchBinding): Place {
  if (parsed.pattern === null) return 'always'
  if (host === null) return 'never'
  const { host: pattern } = host
  const none = { head: '', tail: '', inner: [] }
  if (pattern.startsWith('*.')) return [{ ...none, exact: false, tail: pattern.slice(1) }]
  return PLAIN_HOST.test(pattern) ? [{ ...none, exact: true, head: pattern }] : 'always'
}

const PLAIN_HOST = /^[a-z0-9._:-]+$/

function textPlace({ compiled: { parsed, text } }: MatchBinding): Place {
  if (parsed.pattern === null) return 'always'
  if (text === null) return 'never'
  return text.map((tokens) => anchorOf(joined(tokens)))
}

/** The blank behind an open prefix is a literal of its own. */
function joined(tokens: readonly Token[]): readonly Token[] {
  const all: Token[] = []
  for (const token of tokens) {
    if (token.kind === 'literal') pushLiteral(all, token.text)
    else all.push(token)
  }
  return all
}
