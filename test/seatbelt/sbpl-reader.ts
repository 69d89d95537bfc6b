/** Reads the text of a Seatbelt profile: lists, words, texts. Whatever else stands there is a mistake. */

/** A list, a word, or a text in quotes. */
export type Expression =
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'word' | 'text'; readonly value: string }

/** Every expression at the top of a profile. Throws for what Seatbelt could not read either. */
export function readProfile(source: string): readonly Expression[] {
  const tokens = tokensOf(source)
  const stack: Expression[][] = [[]]
  for (const token of tokens) {
    if (token === '(') stack.push([])
    else if (token === ')') {
      const items = stack.pop() ?? []
      const around = stack.at(-1)
      if (around === undefined) throw new SyntaxError('a parenthesis closes nothing')
      around.push({ kind: 'list', items })
    } else stack.at(-1)?.push(atom(token))
  }
  if (stack.length !== 1) throw new SyntaxError('a parenthesis is not closed')
  return stack[0] ?? []
}

function tokensOf(source: string): readonly string[] {
  const tokens: string[] = []
  let rest = source
  while (rest !== '') {
    const token = /^(?:\s+|;[^\n]*|[()]|"(?:[^"\\]|\\.)*"|[A-Za-z0-9*_?-]+)/.exec(rest)?.[0]
    if (token === undefined) throw new SyntaxError(`cannot read: ${rest.slice(0, 40)}`)
    if (!/^[\s;]/.test(token)) tokens.push(token)
    rest = rest.slice(token.length)
  }
  return tokens
}

function atom(token: string): Expression {
  return token.startsWith('"')
    ? { kind: 'text', value: token.slice(1, -1).replace(/\\(.)/g, '$1') }
    : { kind: 'word', value: token }
}
