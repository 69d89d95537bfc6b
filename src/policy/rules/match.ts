/** A match text bound to the folders of one workspace: what it proves and what it suspects (rules.md §1, §4). */

import { ConfigError } from '../../core/errors.js'
import type { Roots } from '../../core/facts.js'
import { Memo } from '../../core/memory/memo.js'
import { describeSubject, type PathSubject, type Subject } from '../../core/subject.js'
import type { BoundMatch } from '../effective-policy.js'
import { isInClass, mayBeIn, type PathClass } from './classes.js'
import {
  compileTextPattern,
  matchesText,
  provesCommand,
  suspectsCommand,
  type TextPattern,
} from './patterns/commands.js'
import { parseMatch, type ParsedMatch } from './grammar.js'
import {
  hostMeantBy,
  parseHostPattern,
  provesHost,
  suspectsHost,
  type HostPattern,
} from './hosts.js'
import { bindGlob, type BoundGlob } from './paths.js'
import { malformedPattern, type PatternPlace } from './patterns/malformed.js'
import { parsePathPattern, type PathPattern } from './patterns/path-pattern.js'
import { requireToolMatcher } from './tool-names.js'

/** A match text with its pattern compiled for every kind of subject that it can meet. */
export interface CompiledMatch {
  readonly parsed: ParsedMatch
  readonly path: PathPattern | null
  readonly host: HostPattern | null
  readonly text: TextPattern | null
}

/** Checks and compiles a match text. Throws `ConfigError malformed_rule`. */
export function compileMatch(source: string): CompiledMatch {
  const known = COMPILED.get(source)
  if (known !== undefined) return known
  const made = compile(source)
  if (source.length <= LONGEST_KEPT) COMPILED.set(source, made)
  return made
}

/** A policy is checked, its folders followed and its rules bound, each time by the same texts. */
const COMPILED = new Memo<CompiledMatch>(16_384)
const LONGEST_KEPT = 256

function compile(source: string): CompiledMatch {
  const parsed = parseMatch(source)
  const { pattern, kind } = parsed
  const none = { parsed, path: null, host: null, text: null }
  if (pattern === null) return none
  const place = { text: source, from: source.indexOf('(') + 1 }
  switch (kind) {
    case 'path':
      return { ...none, path: parsePathPattern(pattern, place) }
    case 'host':
      return { ...none, host: parseHostPattern(pattern) ?? noHost(pattern, place) }
    case 'command':
    case 'text':
      return { ...none, text: textOf(pattern, place) }
    case 'any':
      return {
        parsed,
        path: pathIfAny(pattern),
        host: parseHostPattern(pattern),
        text: textOf(pattern, place),
      }
  }
}

/** Binds a compiled match. `realFolders` says where leading folders lead, for suspicion only. */
export function bindMatch(
  match: CompiledMatch,
  roots: Roots,
  realFolders: ReadonlyMap<string, string> = new Map(),
): BoundMatch {
  return new PatternMatch(match, roots, realFolders)
}

/** What a match was bound from; `undefined` for one that `bindMatch` did not make. */
export function bindingOf(match: BoundMatch): MatchBinding | undefined {
  return match instanceof PatternMatch ? match.binding : undefined
}

/** A compiled match and what it was bound to. */
export interface MatchBinding {
  readonly compiled: CompiledMatch
  readonly roots: Roots
  readonly realFolders: ReadonlyMap<string, string>
}

/** Most rules of a large policy meet no call, so what only matching needs is made when a call comes. */
class PatternMatch implements BoundMatch {
  readonly text: string
  readonly argumentFree: boolean
  readonly binding: MatchBinding
  private toolMatcher: ((tool: string) => boolean) | null = null
  private bound: Bound | null = null

  constructor(compiled: CompiledMatch, roots: Roots, realFolders: ReadonlyMap<string, string>) {
    this.text = compiled.parsed.text
    this.argumentFree = compiled.parsed.pattern === null
    this.binding = { compiled, roots, realFolders }
  }

  namesTool(tool: string): boolean {
    this.toolMatcher ??= requireToolMatcher(this.binding.compiled.parsed.tool)
    return this.toolMatcher(tool)
  }

  proves(subject: Subject): boolean {
    const { argumentFree } = this
    const { host, text } = this.binding.compiled
    switch (subject.kind) {
      case 'path':
        return provesPath(this.bind(), argumentFree, subject)
      case 'command':
        return argumentFree ? isAnalysed(subject) : text !== null && provesCommand(text, subject)
      case 'host':
        return argumentFree || (host !== null && provesHost(host, subject))
      case 'text':
        return argumentFree || (text !== null && matchesText(text, subject.text))
    }
  }

  suspects(subject: Subject): boolean {
    return this.argumentFree || suspects(this.binding.compiled, this.bind(), subject)
  }

  private bind(): Bound {
    this.bound ??= bindTo(this.binding)
    return this.bound
  }
}

function bindTo({ compiled: { path }, roots, realFolders }: MatchBinding): Bound {
  const globs =
    path?.kind === 'globs' ? path.globs.map((glob) => bindGlob(glob, roots, realFolders)) : []
  return { roots, globs, className: path?.kind === 'class' ? path.name : null }
}

/** True when the match names a credential on purpose: its class, or the exact path. */
export function namesOnPurpose(match: CompiledMatch, subject: PathSubject, roots: Roots): boolean {
  const { path } = match
  if (path === null) return false
  if (path.kind === 'class') {
    // A wide class such as `@workspace` names no secret in it (rules.md §4).
    return path.name === '@credentials' && mayBeIn(path.name, subject, roots)
  }
  return path.globs
    .map((glob) => bindGlob(glob, roots, new Map()))
    .some((glob) => glob.exact && subject.forms.some(glob.suspects))
}

interface Bound {
  readonly roots: Roots
  readonly globs: readonly BoundGlob[]
  readonly className: PathClass | null
}

/** Classes that no wildcard reaches: only their own name or the exact path does. */
const RESTRICTED: readonly PathClass[] = ['@credentials', '@kernel']

/** Where an unresolved path leads is unknown, so nothing proves anything of it. */
function provesPath(bound: Bound, argumentFree: boolean, subject: PathSubject): boolean {
  if (!subject.resolved || subject.forms.length === 0) return false
  const { roots, globs, className } = bound
  const restricted = RESTRICTED.filter((name) =>
    subject.forms.some((form) => isInClass(name, form, { roots, claim: 'suspicion' })),
  )
  if (argumentFree) return restricted.length === 0
  if (className !== null) {
    return (
      restricted.every((name) => name === className) &&
      subject.forms.every((form) => isInClass(className, form, { roots, claim: 'proof' }))
    )
  }
  const able = restricted.length === 0 ? globs : globs.filter((glob) => glob.exact)
  return subject.forms.every((form) => able.some((glob) => glob.proves(form)))
}

function suspects(match: CompiledMatch, bound: Bound, subject: Subject): boolean {
  switch (subject.kind) {
    case 'path':
      return suspectsPath(bound, subject) || suspectsAsText(match, subject)
    case 'command':
      return match.text !== null && suspectsCommand(match.text, subject)
    case 'host':
      return (
        (match.host !== null && suspectsHost(match.host, subject)) || suspectsAsText(match, subject)
      )
    case 'text':
      return (
        match.text !== null &&
        (matchesText(match.text, subject.text) || matchesText(match.text, subject.text.trim()))
      )
  }
}

function suspectsPath({ className, globs, roots }: Bound, subject: PathSubject): boolean {
  if (className === '@outside' || className === '@protected') {
    // What cannot be resolved is both.
    if (!subject.resolved) return true
  }
  if (className !== null) {
    return subject.forms.some((form) => isInClass(className, form, { roots, claim: 'suspicion' }))
  }
  return globs.some((glob) => subject.forms.some(glob.suspects))
}

/** A tool of the host's own: its rules may mean the argument as the call wrote it. */
function suspectsAsText(match: CompiledMatch, subject: Subject): boolean {
  if (match.parsed.kind !== 'any' || match.text === null) return false
  return matchesText(match.text, describeSubject(subject))
}

function isAnalysed(subject: Extract<Subject, { kind: 'command' }>): boolean {
  return subject.shell === 'bash' && subject.analysis.refusals.length === 0
}

function textOf(pattern: string, place: PatternPlace): TextPattern {
  const text = compileTextPattern(pattern)
  if (text !== null) return text
  throw malformedPattern(place, 'an empty prefix', { allowed: ['prefix:*'], suggestion: '*' })
}

function noHost(pattern: string, place: PatternPlace): never {
  throw malformedPattern(place, 'no host', {
    allowed: ['host', '*.example.com', 'host/path/**'],
    suggestion: hostMeantBy(pattern),
  })
}

/** A text that is no path pattern meets no path as a path; it is still met as text. */
function pathIfAny(pattern: string): PathPattern | null {
  try {
    return parsePathPattern(pattern)
  } catch (error) {
    // Only this spelling is out: an allow by it proves no path.
    if (error instanceof ConfigError) return null
    throw error
  }
}
