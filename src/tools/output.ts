/** Text on its way to a model or a record (tools.md §5): no control sequences, no known secrets, bounded. */

export interface CleanOptions {
  /** UTF-16 units that are kept of a longer text, head and tail; default 1 Mi. */
  readonly maximumLength?: number | undefined
  /** Values that must not show; shorter ones than four characters are not masked. */
  readonly secrets?: readonly string[] | undefined
}

export interface CleanText {
  readonly text: string
  readonly truncated: boolean
}

/** Cleans a text. In this order: a secret that is split by a control sequence is still found, and none is cut in two. */
export function cleanOutput(text: string, options: CleanOptions = {}): CleanText {
  const visible = text.replace(SEQUENCE, '').replace(/\r\n?/g, '\n').replace(INVISIBLE, '')
  return bound(
    mask(visible, options.secrets ?? []),
    options.maximumLength ?? DEFAULT_MAXIMUM_LENGTH,
  )
}

const DEFAULT_MAXIMUM_LENGTH = 1024 * 1024
const SHORTEST_SECRET = 4

/** Terminal sequences, the string kinds only with their end, so that an open one hides no text. */
const SEQUENCE =
  // eslint-disable-next-line no-control-regex -- control characters are what it removes
  /(?:\x1b\]|\x9d)[^\x07\x1b\x9c\x9d]*(?:\x07|\x1b\\|\x9c)|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x90\x98\x9c\x9e\x9f]*(?:\x1b\\|\x9c)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]/g

/** Controls but newline and tab, text that turns direction, tags and other characters made to hide text. */
const INVISIBLE =
  // eslint-disable-next-line no-control-regex -- control characters are what it removes
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

function mask(text: string, secrets: readonly string[]): string {
  // Longest first: one secret may be the beginning of another.
  const known = secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((left, right) => right.length - left.length)
  return known.reduce((masked, secret) => masked.replaceAll(secret, () => '[masked]'), text)
}

function bound(text: string, maximumLength: number): CleanText {
  if (text.length <= maximumLength) return { text, truncated: false }
  const head = text.slice(0, Math.ceil(maximumLength / 2)).toWellFormed()
  const tail = text.slice(text.length - Math.floor(maximumLength / 2)).toWellFormed()
  const cut = text.length - maximumLength
  return { text: `${head}\n[... ${cut} characters cut ...]\n${tail}`, truncated: true }
}
