/** The paths that an unquoted `{a,b}` stands for, as far as deny and ask need them. */

const MOST = 64

/** Every alternative, the text itself when it has none; ranges stay as written. */
export function expandBraces(text: string): readonly string[] {
  let texts: readonly string[] = [text]
  for (let round = 0; round < 8; round += 1) {
    const next = texts.flatMap(expandOnce).slice(0, MOST)
    if (next.length === texts.length) return next
    texts = next
  }
  return texts
}

/** The innermost group first. */
function expandOnce(text: string): readonly string[] {
  const group = INNERMOST.exec(text)
  if (group === null) return [text]
  const before = text.slice(0, group.index)
  const after = text.slice(group.index + group[0].length)
  return (group[1] ?? '').split(',').map((choice) => before + choice + after)
}

const INNERMOST = /\{([^{},]*(?:,[^{},]*)+)\}/
