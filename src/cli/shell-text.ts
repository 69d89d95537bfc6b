/** The words after `--` as the shell text that the pipeline judges. */

/** One word is a text of its own; several are quoted so that bash sees exactly these words. */
export function shellText(words: readonly string[]): string {
  const [only] = words
  if (words.length === 1 && only !== undefined) return only
  return words.map(quoted).join(' ')
}

function quoted(word: string): string {
  if (/^[A-Za-z0-9_./:@%+,-]+$/.test(word)) return word
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}
