/**
 * The matcher for paths, commands and text (rules.md §1). `*` and `?` match neither `/` nor a
 * newline, `**` matches both. Work is bounded by pattern length times text length: where a star has
 * failed once, it is not tried again, so no pattern is exponential on hostile text.
 */

/** One piece of a compiled pattern. */
export type Token =
  | { readonly kind: 'literal'; readonly text: string }
  /** One character of a segment. */
  | { readonly kind: 'one' }
  /** One character of any kind. */
  | { readonly kind: 'any' }
  /** Any run within a segment. */
  | { readonly kind: 'run' }
  /** Any run at all. */
  | { readonly kind: 'all' }
  /** Whole segments, each with its `/`, or nothing. Stands at the start of a segment only. */
  | { readonly kind: 'folders' }

/** True when the tokens match the whole text. */
export function matchesTokens(tokens: readonly Token[], text: string): boolean {
  return new Walk(tokens, text).run()
}

/** Compiles a pattern of commands and text, where `\` escapes `* ? \ ( )`. */
export function compileText(pattern: string): readonly Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < pattern.length;) {
    const char = pattern.charAt(at)
    const next = pattern.charAt(at + 1)
    if (char === '\\' && ESCAPABLE.includes(next) && next !== '') {
      pushLiteral(tokens, next)
      at += 2
    } else if (char === '*') {
      const end = endOfRun(pattern, at)
      tokens.push({ kind: end - at > 1 ? 'all' : 'run' })
      at = end
    } else {
      if (char === '?') tokens.push({ kind: 'one' })
      else pushLiteral(tokens, char)
      at += 1
    }
  }
  return tokens
}

/** Adds to the last literal, so that equal patterns have equal tokens. */
export function pushLiteral(tokens: Token[], text: string): void {
  const last = tokens.at(-1)
  if (last?.kind === 'literal') {
    tokens[tokens.length - 1] = { kind: 'literal', text: last.text + text }
  } else tokens.push({ kind: 'literal', text })
}

/** Writes text so that `compileText` reads it back literally. */
export function escapeText(text: string): string {
  return text.replace(/[*?\\()]/g, '\\$&')
}

/** Where a run of stars that begins at `at` ends. */
export function endOfRun(pattern: string, at: number): number {
  let end = at
  while (pattern.charAt(end) === '*') end += 1
  return end
}

const ESCAPABLE = '*?\\()'

/** A star that the walk has passed, and how far it has been stretched. */
interface Mark {
  readonly token: number
  at: number
}

/**
 * A section is what stands between two crossing stars. Once a later crossing star is reached, an
 * earlier one never needs another try: whatever it could take, the later one can take as well. The
 * same holds for two stars of one section, so only the last of each kind is stretched.
 */
class Walk {
  private readonly tokens: readonly Token[]
  private readonly text: string
  /** Per star: no match begins at or before this position. */
  private readonly dead = new Map<number, number>()
  private crossing: Mark | null = null
  private section: Mark[] = []
  private token = 0
  private at = 0

  constructor(tokens: readonly Token[], text: string) {
    this.tokens = tokens
    this.text = text
  }

  run(): boolean {
    for (;;) {
      if (this.token === this.tokens.length && this.at === this.text.length) return true
      if (!this.step() && !this.stretch()) return false
    }
  }

  private step(): boolean {
    const token = this.tokens[this.token]
    if (token === undefined) return false
    switch (token.kind) {
      case 'literal':
        return this.text.startsWith(token.text, this.at) && this.advance(token.text.length)
      case 'one':
        return this.within() && this.advance(this.width())
      case 'any':
        return this.at < this.text.length && this.advance(this.width())
      case 'run':
        if ((this.dead.get(this.token) ?? -1) >= this.at) return false
        this.section.push({ token: this.token, at: this.at })
        return this.advance(0)
      case 'all':
      case 'folders':
        if (this.token === this.tokens.length - 1 && token.kind === 'all') {
          this.at = this.text.length
          return this.advance(0)
        }
        this.crossing = { token: this.token, at: this.at }
        this.section = []
        return this.advance(0)
    }
  }

  private advance(width: number): true {
    this.at += width
    this.token += 1
    return true
  }

  /** Lets the last star take one step more; false when no star can. */
  private stretch(): boolean {
    const mark = this.section.at(-1)
    if (mark !== undefined && (this.dead.get(mark.token) ?? -1) < mark.at) {
      this.at = mark.at
      if (this.within()) {
        mark.at += 1
        this.at = mark.at
        this.token = mark.token + 1
        return true
      }
    }
    for (const { token, at } of this.section) {
      this.dead.set(token, Math.max(at, this.dead.get(token) ?? -1))
    }
    return this.stretchCrossing()
  }

  private stretchCrossing(): boolean {
    const mark = this.crossing
    if (mark === null || mark.at >= this.text.length) return false
    if (this.tokens[mark.token]?.kind === 'folders') {
      const slash = this.text.indexOf('/', mark.at)
      if (slash === -1) return false
      mark.at = slash + 1
    } else mark.at += 1
    this.section = []
    this.at = mark.at
    this.token = mark.token + 1
    return true
  }

  private within(): boolean {
    const char = this.text.charAt(this.at)
    return char !== '' && char !== '/' && char !== '\n'
  }

  /** A pair of surrogates is one character. */
  private width(): number {
    const point = this.text.codePointAt(this.at) ?? 0
    return point > 0xffff ? 2 : 1
  }
}
