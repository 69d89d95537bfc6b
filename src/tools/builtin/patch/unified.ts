/** Unified diffs, with or without the headers of git. What two headers say of a path must agree. */

import {
  Cursor,
  header,
  malformed,
  pathIn,
  skipBlank,
  type FileChange,
  type Hunk,
} from './change.js'
import { parseHunks } from './unified-hunks.js'

/** The cursor stands at the first line. Throws `ToolError`. */
export function parseUnified(cursor: Cursor): readonly FileChange[] {
  const changes: FileChange[] = []
  for (;;) {
    skipBlank(cursor)
    if (header(cursor) === undefined) return changes
    changes.push(fileChange(cursor))
  }
}

/** What the lines of git between `diff --git` and the hunks say. */
interface Extended {
  /** Everything behind `diff --git `; `null` without that line. */
  readonly git: string | null
  readonly isNew: boolean
  readonly isDeleted: boolean
  readonly from: string | null
  readonly to: string | null
}

/** Both names of a file; `null` is `/dev/null`. */
interface Names {
  readonly old: string | null
  readonly new: string | null
}

function fileChange(cursor: Cursor): FileChange {
  const start = new Cursor(cursor.lines, cursor.at)
  const extended = extendedHeader(cursor)
  const written = writtenNames(cursor)
  if (written === null && extended.git === null) {
    throw malformed('no file begins here: `--- ` and `+++ ` are missing', cursor)
  }
  const names = written === null ? namesWithoutText(extended, start) : namesOf(written, start)
  demandAgreement({ extended, names, written }, start)
  const label = names.new ?? names.old ?? ''
  const hunks = written === null ? [] : parseHunks(label, cursor)
  if (names.old === null) return added(names.new ?? '', hunks, start)
  if (names.new === null) return deleted(names.old, hunks, start)
  const moveTo = names.new === names.old ? null : names.new
  if (hunks.length === 0 && moveTo === null) throw malformed('the file is not changed', start)
  return { kind: 'update', path: names.old, moveTo, hunks }
}

const GIT = 'diff --git '

function extendedHeader(cursor: Cursor): Extended {
  let extended: Extended = { git: null, isNew: false, isDeleted: false, from: null, to: null }
  const first = header(cursor)
  if (first?.startsWith(GIT) !== true) return extended
  extended = { ...extended, git: first.slice(GIT.length) }
  const seen = new Set<string>()
  for (cursor.at += 1; ; cursor.at += 1) {
    const line = header(cursor) ?? ''
    const found = EXTENDED.find(({ form }) => form.test(line))
    if (found === undefined) break
    if (seen.has(found.name)) throw malformed('a header stands twice', cursor)
    seen.add(found.name)
    const value = line.replace(found.form, '')
    switch (found.name) {
      case 'refused':
        throw malformed('links, modes, copies and binary files are not patched', cursor)
      case 'ignored':
      case 'index':
        break
      case 'new':
        extended = { ...extended, isNew: true }
        break
      case 'deleted':
        extended = { ...extended, isDeleted: true }
        break
      case 'from':
      case 'to':
        extended = { ...extended, [found.name]: pathIn(unquoted(value, cursor), cursor) }
    }
  }
  if ((extended.from === null) !== (extended.to === null)) {
    throw malformed('a rename states one name only', cursor)
  }
  return extended
}

const EXTENDED = [
  { name: 'new', form: /^new file mode 100644$/ },
  { name: 'deleted', form: /^deleted file mode 100(?:644|755)$/ },
  { name: 'from', form: /^rename from / },
  { name: 'to', form: /^rename to / },
  { name: 'ignored', form: /^(?:dis)?similarity index \d+%$/ },
  { name: 'index', form: /^index [0-9a-f]{4,64}\.\.[0-9a-f]{4,64}(?: 100(?:644|755))?$/ },
  {
    name: 'refused',
    form: /^(?:index |new file |deleted file |old mode |new mode |copy (?:from|to) |Binary files |GIT binary patch)/,
  },
] as const

/** The two names as they are spelt, without what stands behind a tab. */
interface Written {
  readonly old: string
  readonly new: string
}

/** `null` where there are none. */
function writtenNames(cursor: Cursor): Written | null {
  const [first, second] = [header(cursor), header(new Cursor(cursor.lines, cursor.at + 1))]
  if (first?.startsWith('--- ') !== true) return null
  if (second?.startsWith('+++ ') !== true) {
    throw malformed('`--- ` is not followed by `+++ `', cursor)
  }
  const names = { old: withoutTime(first, cursor), new: withoutTime(second, cursor) }
  cursor.at += 2
  return names
}

/** Behind a tab stands a time or nothing; anything else may be a part of the name. */
function withoutTime(line: string, cursor: Cursor): string {
  const tab = line.indexOf('\t')
  if (tab === -1) return line.slice(4)
  if (!TIME.test(line.slice(tab + 1))) {
    throw malformed('a tab stands in a name', cursor)
  }
  return line.slice(4, tab)
}

const TIME =
  /^(?:\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?: ?[+-]\d{4}|Z)?|\(revision \d+\))?$/

function namesOf(written: Written, cursor: Cursor): Names {
  const isPrefixed = hasPrefix(written.old, 'a/') && hasPrefix(written.new, 'b/')
  const nameOf = (text: string): string | null => {
    if (text === NOWHERE) return null
    const plain = unquoted(text, cursor)
    return pathIn(isPrefixed ? plain.slice(2) : plain, cursor)
  }
  const names = { old: nameOf(written.old), new: nameOf(written.new) }
  if (names.old === null && names.new === null) throw malformed('no file is named', cursor)
  return names
}

const NOWHERE = '/dev/null'

function hasPrefix(text: string, prefix: string): boolean {
  return text === NOWHERE || text.startsWith(prefix) || text.startsWith(`"${prefix}`)
}

/** A renamed file without changes states its names, an empty one only in the first line, twice the same. */
function namesWithoutText({ git, from, to, isNew, isDeleted }: Extended, cursor: Cursor): Names {
  if (from !== null) return { old: from, new: to }
  const half = (git ?? '').slice(0, ((git ?? '').length - 1) / 2)
  const [old, next] = [half, (git ?? '').slice(half.length + 1)]
  const isPair = old.startsWith('a/') && next === `b/${old.slice(2)}`
  if (!isPair || isNew === isDeleted) throw malformed('the file is not changed', cursor)
  const path = pathIn(old.slice(2), cursor)
  return { old: isNew ? null : path, new: isNew ? path : null }
}

interface Stated {
  readonly extended: Extended
  readonly names: Names
  readonly written: Written | null
}

/** Every header that names the file says the same of it. */
function demandAgreement({ extended, names, written }: Stated, cursor: Cursor): void {
  const { git, from, to, isNew, isDeleted } = extended
  const isMove = names.old !== null && names.new !== null && names.old !== names.new
  if (isMove && from === null) {
    throw malformed('the names differ: give both the prefixes `a/` and `b/`, or none', cursor)
  }
  if (from !== null && (from !== names.old || to !== names.new)) throw differing(cursor)
  if (git === null) return
  if (isNew !== (names.old === null) || isDeleted !== (names.new === null)) {
    throw malformed('the headers do not agree whether the file is new or deleted', cursor)
  }
  if (!firstLines(extended, written).includes(git)) throw differing(cursor)
}

/** What may stand behind `diff --git ` for these names. */
function firstLines(
  { git, from, to }: Extended,
  written: Written | null,
): readonly (string | null)[] {
  if (written === null) {
    // Without a rename the names were read from that very line.
    return from === null ? [git] : [`a/${from} b/${to ?? ''}`, `${from} ${to ?? ''}`]
  }
  const old = written.old === NOWHERE ? written.new.replace(/^("?)b\//, '$1a/') : written.old
  const next = written.new === NOWHERE ? written.old.replace(/^("?)a\//, '$1b/') : written.new
  return [`${old} ${next}`]
}

function differing(cursor: Cursor): Error {
  return malformed('the headers name different files', cursor)
}

/** Names in quotation marks as git writes them: `\"`, `\\` and bytes in octal, which are UTF-8. */
function unquoted(text: string, cursor: Cursor): string {
  if (!text.startsWith('"')) return text
  const inner = /^"((?:[^"\\]|\\(?:["\\]|[0-3][0-7]{2}))*)"$/u.exec(text)?.[1]
  if (inner === undefined) throw malformed('a name in quotation marks cannot be read', cursor)
  const bytes: number[] = []
  for (const [part] of inner.matchAll(/\\[0-3][0-7]{2}|\\.|[^\\]/gu)) {
    if (part.length === 4) bytes.push(Number.parseInt(part.slice(1), 8))
    else bytes.push(...new TextEncoder().encode(part.replace('\\', part === '\\\\' ? '\\' : '')))
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes))
  } catch {
    // Refused: bytes that are no text name no path that could be judged.
    throw malformed('a name in quotation marks is no UTF-8', cursor)
  }
}

function added(path: string, hunks: readonly Hunk[], cursor: Cursor): FileChange {
  const [first, ...more] = hunks
  if (first === undefined) return { kind: 'add', path, content: '' }
  if (more.length > 0 || first.before.length > 0) {
    throw malformed('a new file has one hunk of added lines', cursor)
  }
  return { kind: 'add', path, content: wholeText(first.after, first.endsInNewline !== false) }
}

function deleted(path: string, hunks: readonly Hunk[], cursor: Cursor): FileChange {
  const [first, ...more] = hunks
  if (first === undefined) return { kind: 'delete', path, content: '' }
  if (more.length > 0 || first.after.length > 0) {
    throw malformed('a deleted file has one hunk of removed lines', cursor)
  }
  return { kind: 'delete', path, content: wholeText(first.before, !first.isAtEnd) }
}

function wholeText(lines: readonly string[], endsInNewline: boolean): string {
  return lines.join('\n') + (endsInNewline && lines.length > 0 ? '\n' : '')
}
