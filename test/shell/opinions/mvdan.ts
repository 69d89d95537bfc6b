/** The opinion of mvdan-sh, a Go parser turned into JavaScript. */

import { REFUSED, unescaped, unescapedInQuotes, type Opinion, type Parser } from './opinion.js'
import { fromHere } from './packages.js'

export function mvdan(): Parser {
  const { syntax } = fromHere('mvdan-sh') as { readonly syntax: Syntax }
  return { name: 'mvdan-sh', read: (text) => read(text, syntax) }
}

interface Syntax {
  readonly NewParser: () => { readonly Parse: (text: string, name: string) => Node }
  readonly NodeType: (node: Node) => string
  /** Visits a node, then its children, then `null`. */
  readonly Walk: (node: Node, visit: (node: Node | null) => boolean) => void
}

interface Node {
  /** Of a `CallExpr`. */
  readonly Args: readonly Node[]
  /** Of a `Word` and of double quotes. */
  readonly Parts: readonly Node[]
  /** Of a literal; as it is written, for what is not in single quotes. */
  readonly Value: string
  /** Of single quotes: `$'…'`. Of double quotes: `$"…"`. */
  readonly Dollar: boolean
  /** Of a `DeclClause`: its builtin, as a literal. */
  readonly Variant: Node
}

function read(text: string, syntax: Syntax): Opinion {
  const names: string[] = []
  try {
    syntax.Walk(syntax.NewParser().Parse(text, ''), (node) => {
      const name = node === null ? undefined : nameOf(node, syntax)
      if (name !== undefined) names.push(name)
      return true
    })
  } catch {
    // It throws objects of the Go runtime, and a few faults of its own for odd texts: no opinion.
    return REFUSED
  }
  return { accepted: true, names }
}

function nameOf(node: Node, syntax: Syntax): string | undefined {
  switch (syntax.NodeType(node)) {
    case 'CallExpr':
      return node.Args[0] === undefined ? undefined : literal(node.Args[0].Parts, syntax, false)
    case 'DeclClause':
      return node.Variant.Value
    case 'LetClause':
      return 'let'
    default:
      return undefined
  }
}

/** The text of parts that nothing fills in. */
function literal(parts: readonly Node[], syntax: Syntax, quoted: boolean): string | undefined {
  const texts = parts.map((part) => {
    switch (syntax.NodeType(part)) {
      case 'Lit':
        return quoted ? unescapedInQuotes(part.Value) : unescaped(part.Value)
      case 'SglQuoted':
        return part.Dollar && part.Value.includes('\\') ? undefined : part.Value
      case 'DblQuoted':
        return literal(part.Parts, syntax, true)
      default:
        return undefined
    }
  })
  return texts.includes(undefined) ? undefined : texts.join('')
}
