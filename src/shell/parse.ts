/** Bash text as a syntax tree: the one file that knows the parser (rules.md §5). */

import { forEachChild, parse, type ParsedScript, type SyntaxNode } from 'unbash'

export type {
  ArithmeticExpression,
  Assignment,
  Command,
  Function as FunctionNode,
  HereDoc,
  ParameterExpansionPart,
  Pipeline,
  ParsedScript,
  Redirect,
  Redirection,
  SyntaxNode,
  TestExpression,
  Word,
  WordPart,
} from 'unbash'

/** The tree of a text. A text with a fault gives `errors` and what could be told; it never throws. */
export function parseScript(text: string): ParsedScript {
  return parse(text)
}

/** Calls back for each direct child, nested scripts included. */
export function eachChild(node: SyntaxNode, visit: (child: SyntaxNode) => void): void {
  forEachChild(node, visit)
}
