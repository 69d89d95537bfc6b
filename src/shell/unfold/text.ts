/** A whole text, or one that a wrapper would read as text: parsed, guarded, taken apart (rules.md §5). */

import { refuse, type Context } from '../context.js'
import { SHELL_LIMITS } from '../findings.js'
import { guardText, nestingOf } from '../guard/text.js'
import { eachChild, parseScript, type SyntaxNode } from '../parse.js'
import { unfold } from './script.js'

/** Past this many open brackets the parser takes quadratic time, and nobody reads such a text. */
const DEEPEST = 100

/** Adds to the findings what this text would run. */
export function unfoldText(text: string, context: Context): void {
  const { findings, depth } = context
  const isReadable = depth <= SHELL_LIMITS.depth && nestingOf(text) <= DEEPEST
  if (!isReadable) return refuse(context, 'unread', 0)
  if (!findings.spend(text.length)) return
  const inner = { ...context, source: text }
  for (const { code, at } of guardText(text)) refuse(inner, code, at)
  const tree = parseScript(text)
  const kinds = survey(tree, context)
  if (findings.isRefused('unread')) return
  // Bash loses the body of a here-document behind some process substitutions of the same line.
  if (kinds.has('HereDoc') && kinds.has('ProcessSubstitution')) refuse(inner, 'heredoc_line', 0)
  // Bash writes a substitution down again before it runs it, and what it writes for a coprocess is another.
  if (kinds.has('Coproc') && SUBSTITUTIONS.some((kind) => kinds.has(kind))) {
    refuse(inner, 'unanalysed', 0)
  }
  unfold(tree, inner)
}

const SUBSTITUTIONS: readonly SyntaxNode['type'][] = [
  ...(['CommandExpansion', 'ProcessSubstitution', 'ArithmeticCommandExpansion'] as const),
]

/** The kinds of all nodes. What has too many of them is not walked at all. */
function survey(tree: SyntaxNode, { findings, variables }: Context): ReadonlySet<string> {
  const kinds = new Set<string>()
  const visit = (node: SyntaxNode): void => {
    if (!findings.step()) return
    kinds.add(node.type)
    variables.survey(node)
    eachChild(node, visit)
  }
  visit(tree)
  return kinds
}
