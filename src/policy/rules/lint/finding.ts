/** What lint reports (rules.md §2): a closed list of ids, each with one severity and one sentence. */

/** `error`: does not load; `warning`: does not do what it says, or does more; `note`: may be meant. */
export type Severity = 'error' | 'warning' | 'note'

/** One thing that a policy says and does not do, or does and hardly means. */
export interface Finding {
  readonly id: FindingId
  readonly severity: Severity
  readonly file: string
  /** Lines and columns count from 1, columns in UTF-16 units. */
  readonly line: number
  readonly column: number
  /** The rule as text, or `null` where none is concerned. */
  readonly rule: string | null
  readonly message: string
  /** What to write instead: a rule that loads, or a command line; `null` where nothing is certain. */
  readonly suggestion: string | null
}

export type FindingId =
  | 'unloadable'
  | 'id-conflict'
  | 'never-matches'
  | 'unreachable'
  | 'shadowed'
  | 'redundant'
  | 'duplicate'
  | 'not-compared'
  | 'runs-programs'
  | 'runs-script'
  | 'broad-allow'
  | 'mcp-wildcard'
  | 'short-star'
  | 'open-star'
  | 'children-only'
  | 'root-only'
  | 'word-break'
  | 'shell-text'
  | 'misplaced-pattern'
  | 'narrow-deny'
  | 'except-removes-all'
  | 'except-unused'
  | 'ineffective'
  | 'unknown-tool'

/** Every id with its severity and what it stands for. Ids are stable. */
export const FINDINGS: {
  readonly [Id in FindingId]: { readonly severity: Severity; readonly about: string }
} = {
  unloadable: error('A policy, or a rule of it, does not load.'),
  'id-conflict': error('Two policies have different rules of one id.'),
  'never-matches': warning('A rule can meet no call.'),
  unreachable: warning('Another axis denies every call that an allow would allow.'),
  shadowed: warning('A stricter rule meets everything that this one does.'),
  redundant: note('Another rule of the same effect covers this one.'),
  duplicate: note('The same rule stands twice.'),
  'not-compared': note('There are too many rules to compare them all with each other.'),
  'runs-programs': warning('An allow covers a program whose arguments are programs.'),
  'runs-script': note('An allow names an interpreter or a wrapper, with fixed words.'),
  'broad-allow': warning('An allow covers every tool, or every command.'),
  'mcp-wildcard': warning('An allow names no particular server.'),
  'short-star': warning('An allow ends in a star that stops at a slash.'),
  'open-star': warning('A deny or an ask ends in a star that stops at a slash.'),
  'children-only': note('An allow ends in a star: the direct children of a folder only.'),
  'root-only': note('A deny or an ask of a name means the one in the workspace root only.'),
  'word-break': warning('An allow ends within a word, so it covers other programs as well.'),
  'shell-text': warning('An allow is written as shell text, but is proved on words.'),
  'misplaced-pattern': warning('A pattern is of a kind that its tool does not have.'),
  'narrow-deny': note('Other tools write the same file, and this rule does not meet them.'),
  'except-removes-all': warning('An exception takes out everything that its rule is for.'),
  'except-unused': note('An exception is about a tool that its rule does not meet.'),
  ineffective: warning('What an untrusted workspace policy or a child allows does not count.'),
  'unknown-tool': note('A tool is named nearly as a built-in one.'),
}

function error(about: string): { readonly severity: 'error'; readonly about: string } {
  return { severity: 'error', about }
}

function warning(about: string): { readonly severity: 'warning'; readonly about: string } {
  return { severity: 'warning', about }
}

function note(about: string): { readonly severity: 'note'; readonly about: string } {
  return { severity: 'note', about }
}
