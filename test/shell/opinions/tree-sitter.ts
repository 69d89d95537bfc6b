/** The opinion of tree-sitter-bash, which editors and the approvers of some agents are built on. */

import { REFUSED, unescaped, unescapedInQuotes, type Opinion, type Parser } from './opinion.js'
import { fromHere } from './packages.js'

export async function treeSitter(): Promise<Parser> {
  const library = fromHere('web-tree-sitter') as Library
  await library.Parser.init()
  const wasm = fromHere.resolve('tree-sitter-bash/tree-sitter-bash.wasm')
  const parser = new library.Parser()
  parser.setLanguage(await library.Language.load(wasm))
  return { name: 'tree-sitter-bash', read: (text) => read(text, parser) }
}

interface Library {
  readonly Language: { readonly load: (path: string) => Promise<object> }
  readonly Parser: {
    readonly init: () => Promise<void>
    new (): TreeParser
  }
}

interface TreeParser {
  readonly setLanguage: (language: object) => void
  readonly parse: (text: string) => Tree | null
}

interface Tree {
  readonly rootNode: Node
  /** Trees live outside of what the engine collects. */
  readonly delete: () => void
}

interface Node {
  readonly type: string
  readonly text: string
  readonly hasError: boolean
  readonly children: readonly (Node | null)[]
  readonly namedChildren: readonly (Node | null)[]
  readonly descendantsOfType: (types: readonly string[]) => readonly (Node | null)[]
}

const COMMANDS = ['command_name', 'declaration_command', 'unset_command', 'test_command']

function read(text: string, parser: TreeParser): Opinion {
  const tree = parser.parse(text)
  if (tree === null) return REFUSED
  try {
    if (tree.rootNode.hasError) return REFUSED
    const commands = tree.rootNode.descendantsOfType(COMMANDS)
    const names = commands.flatMap((node) => (node === null ? [] : (nameOf(node) ?? [])))
    return { accepted: true, names }
  } finally {
    tree.delete()
  }
}

function nameOf(node: Node): string | undefined {
  if (node.type === 'command_name') return literal(node.namedChildren)
  const [keyword] = node.children
  // `[[` and `((` are no commands; `[`, `declare` and `unset` are.
  return keyword?.type === '[[' || keyword?.type === '((' ? undefined : keyword?.type
}

/** The text of parts that nothing fills in. */
function literal(parts: readonly (Node | null)[]): string | undefined {
  const texts = parts.map((part) => (part === null ? undefined : textOf(part)))
  return texts.includes(undefined) ? undefined : texts.join('')
}

function textOf(part: Node): string | undefined {
  switch (part.type) {
    case 'word':
    case 'number':
      return unescaped(part.text)
    case 'raw_string':
      return part.text.slice(1, -1)
    case 'ansi_c_string':
      return part.text.includes('\\') ? undefined : part.text.slice(2, -1)
    case 'string':
      return part.namedChildren.every((child) => child?.type === 'string_content')
        ? unescapedInQuotes(part.text.slice(1, -1))
        : undefined
    case 'concatenation':
      return literal(part.namedChildren)
    default:
      return undefined
  }
}
