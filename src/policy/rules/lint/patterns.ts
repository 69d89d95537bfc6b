/** Patterns that are not what their tool is asked about (rules.md §3, §5): dead, or dead in most calls. */

import type { Roots } from '../../../core/facts.js'
import { isInClass, PATH_CLASSES } from '../classes.js'
import { LEGACY_MODES } from '../grammar.js'
import { canonicalHost } from '../../../core/names/host.js'
import { normalFolder } from '../path-forms.js'
import type { PathGlob } from '../patterns/path-pattern.js'
import type { Finding } from './finding.js'
import { isExact } from './cover/covers-paths.js'
import { findingAt, type LintRule } from './read-source.js'
import { compiledOrNull, rewritten, ruleText } from './rule-text.js'

/** Findings of one rule or whitelist entry. */
export function patternFindings(one: LintRule): readonly Finding[] {
  const { parsed } = one.match
  if (parsed.pattern === null) return []
  const wrong = misplaced(one, parsed.pattern)
  if (wrong !== null) return [wrong]
  switch (parsed.kind) {
    case 'command':
      if (BRACES.test(parsed.pattern)) {
        return [at(one, 'shell-text', 'braces stand for themselves here: write a rule for each')]
      }
      return one.rule.effect === 'allow' ? shellText(one, parsed.pattern) : []
    case 'text':
      return parsed.tool === 'search' ? searchMode(one) : []
    case 'path':
      return one.rule.effect === 'allow' ? secretWildcard(one) : []
    case 'host':
    case 'any':
      return []
  }
}

/** A path class, a URL or a key where the tool has a command, a text or a path. */
function misplaced(one: LintRule, pattern: string): Finding | null {
  const { kind } = one.match.parsed
  if (kind === 'any' || kind === 'host') return null
  const className = PATH_CLASSES.find((name) => pattern === name)
  if (kind !== 'path' && className !== undefined) {
    return at(
      one,
      'misplaced-pattern',
      `\`${className}\` is a class of paths; here it is plain text`,
    )
  }
  const key = /^(?:command|domain|url|file_path|path|query):(?!\*$)/.exec(pattern)?.[0]
  if (key !== undefined) {
    const rest = rewritten(one, `${one.match.parsed.tool}(${pattern.slice(key.length)})`)
    return at(one, 'misplaced-pattern', `\`${key}\` is taken for a part of the text itself`, rest)
  }
  const url = /https?:\/\/(?<host>[^/\s*?:]+)/.exec(pattern)
  if (kind !== 'command' || url === null || one.rule.effect === 'allow') return null
  const host = canonicalHost(url.groups?.['host'] ?? '')
  const rule = host === null ? null : `${one.rule.effect} web_fetch(${host})`
  const message = 'meets one spelling of a command only; a rule for the host meets every way to it'
  return at(one, 'misplaced-pattern', message, rule)
}

/** `{a,b}`, which alternates in paths alone. */
const BRACES = /(?<![^ /])[\w./-]{0,40}\{[\w.-]+(?:,[\w.-]+)+\}/

/** An allow is proved on the words of one simple command, without quotes, joined by single blanks. */
function shellText(one: LintRule, pattern: string): readonly Finding[] {
  const { tool } = one.match.parsed
  const prefix = pattern.endsWith(':*') ? pattern.slice(0, -2) : pattern
  if (/\t| {2}/.test(prefix.trim())) {
    const next = rewritten(one, `${tool}(${pattern.trim().replace(/[ \t]+/g, ' ')})`)
    return [at(one, 'never-matches', 'words are joined by single blanks', next)]
  }
  if (/^[A-Za-z_]\w*=/.test(prefix)) {
    const next = rewritten(one, `${tool}(${pattern.replace(/^(?:[A-Za-z_]\w*=\S* +)+/, '')})`)
    return [
      at(one, 'shell-text', 'assignments in front of a command are not among its words', next),
    ]
  }
  if (/(?:^| )(?:&&|\|\|?|;|&|[0-9]?>{1,2}|<)(?: |$)|[^\s\\];(?: |$)|\$\(|`/.test(prefix)) {
    return [
      at(one, 'shell-text', 'each command of a compound is judged alone: write a rule for each'),
    ]
  }
  if (/\$(?:[A-Za-z_]|\{\w)/.test(prefix)) {
    const message = 'the shell fills in a variable: of a pattern only `**` covers such a word'
    return [at(one, 'shell-text', message)]
  }
  if (!/(?<!\\)["']/.test(prefix)) return []
  return [at(one, 'shell-text', 'quotes are no part of words', unquoted(one, pattern))]
}

/** A blank within a word is met by a wildcard only. */
function unquoted(one: LintRule, pattern: string): string | null {
  const next = pattern.replace(
    /"([^"]*)"|'([^']*)'/g,
    (_, double: string | undefined, single: string) => (double ?? single).replace(/ /g, '?'),
  )
  return /["']/.test(next) ? null : rewritten(one, `${one.match.parsed.tool}(${next})`)
}

/** The text of a search begins with its mode. */
function searchMode(one: LintRule): readonly Finding[] {
  const { text, parsed } = one.match
  const first = text?.[0]?.[0]
  if (first?.kind !== 'literal') return []
  const blank = first.text.indexOf(' ')
  const isOpen = blank === -1 && text?.[0]?.length !== 1
  const word = blank === -1 ? first.text : first.text.slice(0, blank)
  const modes = [...LEGACY_MODES]
  if (isOpen ? modes.some((mode) => mode.startsWith(word)) : modes.includes(word)) return []
  const message = `no search begins with \`${word}\`: its text is the mode, then the query`
  return [at(one, 'never-matches', message, rewritten(one, `grep(${parsed.pattern ?? ''})`))]
}

/** Sample folders: what is a secret is told by names below them. */
const ROOTS: Roots = {
  workspace: '/workspace',
  home: '/home/user',
  temporary: ['/tmp'],
  platform: 'linux',
}

/** No wildcard reaches secrets and kernel files: an allow of them names the class or the exact path. */
function secretWildcard(one: LintRule): readonly Finding[] {
  const { path } = one.match
  if (path?.kind !== 'globs' || !path.globs.every(isOutOfReach)) return []
  const message = 'no wildcard reaches credentials or kernel files; name the exact path'
  return [at(one, 'never-matches', message)]
}

function isOutOfReach(glob: PathGlob): boolean {
  const [first] = glob.tokens
  if (isExact(glob) || first?.kind !== 'literal' || glob.base === 'anywhere') return false
  const folder = { root: '', share: '', home: ROOTS.home, workspace: ROOTS.workspace }[glob.base]
  const text = first.text.slice(0, first.text.lastIndexOf('/'))
  if (text === '') return false
  const place = normalFolder(`${folder}/${text}`, 'linux')
  // A few devices are no secret.
  if (place === '/dev') return false
  const measure = { roots: ROOTS, claim: 'proof' } as const
  return isInClass('@credentials', place, measure) || isInClass('@kernel', place, measure)
}

// eslint-disable-next-line max-params -- a finding's parts, in the order of its sentence
function at(
  one: LintRule,
  id: Finding['id'],
  message: string,
  suggestion: string | null = null,
): Finding {
  const checked = suggestion === null || isRule(suggestion) ? suggestion : null
  return findingAt(one.source, one.path, { id, message, rule: ruleText(one), suggestion: checked })
}

function isRule(text: string): boolean {
  return compiledOrNull(text.replace(/^(?:allow|ask|deny) /, '')) !== null
}
