/** Finds the rules that may cover one, so that not every pair is compared. */

import { hasWildcard } from '../../tool-names.js'
import type { CompiledMatch } from '../../match.js'
import type { Token } from '../../patterns/text.js'

/** Rules by the text that their patterns begin with: what covers a pattern begins with a part of its beginning. */
export class CoverIndex<Entry extends { readonly match: CompiledMatch }> {
  private readonly byStart = new Map<string, Entry[]>()
  /** Rules whose patterns say nothing of a beginning. */
  private readonly open: Entry[] = []
  private spent = 0

  constructor(entries: readonly Entry[]) {
    for (const entry of entries) {
      const start = startOf(entry.match)
      if (start === null) this.open.push(entry)
      else this.add(start, entry)
    }
  }

  private add(start: string, entry: Entry): void {
    const known = this.byStart.get(start)
    if (known === undefined) this.byStart.set(start, [entry])
    else known.push(entry)
  }

  /** In no particular order; none once too many were given out. */
  candidates(inner: CompiledMatch): readonly Entry[] {
    const found = [...this.open]
    const start = startOf(inner)
    for (let length = 0; start !== null && length <= start.length; length += 1) {
      found.push(...(this.byStart.get(start.slice(0, length)) ?? []))
    }
    const named = found.filter(({ match }) => mayName(match, inner))
    this.spent += named.length
    return this.isExhausted() ? [] : named
  }

  /** True when rules were not compared any more. */
  isExhausted(): boolean {
    return this.spent > MOST_PAIRS
  }
}

const MOST_PAIRS = 200_000
const LONGEST_START = 200

/** Only tools of one name, or of wildcards, or of one kind of file can cover each other. */
function mayName({ parsed: outer }: CompiledMatch, { parsed: inner }: CompiledMatch): boolean {
  const isWide = hasWildcard(outer.tool) || outer.tool.startsWith('mcp__')
  return isWide || outer.tool === inner.tool || outer.kind === 'path'
}

/** The literal beginning of a pattern with a sign of its kind; `null` where there is none. */
function startOf({ parsed, path, text }: CompiledMatch): string | null {
  if (parsed.pattern === null || parsed.kind === 'any') return null
  if (parsed.kind === 'command' || parsed.kind === 'text') return literal('t', text?.[0] ?? [])
  if (path?.kind !== 'globs' || path.globs.length !== 1) return null
  const [glob] = path.globs
  return glob === undefined || glob.base === 'anywhere' ? null : literal(glob.base, glob.tokens)
}

function literal(sign: string, [first]: readonly Token[]): string {
  const text = first?.kind === 'literal' ? first.text : ''
  // Paths differ in a slash at their beginning, and deny and ask ignore case.
  return (sign + text.replace(/^\/|\/$/g, '').toLowerCase()).slice(0, LONGEST_START)
}
