/** What a node of the tree must not hold for its text to prove anything (rules.md §5 item 3). */

import type { RefusalCode } from '../../core/need.js'
import { refuse, type Context } from '../context.js'
import type { Assignment, ParameterExpansionPart, SyntaxNode, Word } from '../parse.js'
import { readAssignment } from '../unfold/word.js'
import { isPlainArithmetic, isPlainOperand } from './arithmetic.js'
import { isPlainlyClosed, isPlainlyReplaced, quotesSpecial } from './braced.js'
import { isNumeric, PLAIN_NAME, steers, steersAs, type Variables } from './variables.js'

/** Refuses what is wrong with this node alone; its children are looked at on their own. */
export function guardNode(node: SyntaxNode, context: Context): void {
  const look = GUARDS[node.type] as ((one: SyntaxNode, context: Context) => Faults) | undefined
  for (const code of look?.(node, context) ?? []) refuse(context, code, node.pos)
}

type Faults = readonly RefusalCode[]

/** Nodes without a row hold nothing but their children. */
type Guards = {
  readonly [T in SyntaxNode['type']]?: (
    node: Extract<SyntaxNode, { readonly type: T }>,
    context: Context,
  ) => Faults
}

const GUARDS: Guards = {
  Script: (node) => when('errors' in node && (node.errors?.length ?? 0) > 0, 'syntax'),
  Word: wordFaults,
  Literal: (node) => when(HIDDEN_OPENER.test(withoutEscapes(node.text)), 'hidden_opener'),
  AnsiCQuoted: (node) => when(withoutKnownEscapes(node.text).includes('\\'), 'ansi_c'),
  ExtendedGlob: () => ['extglob'],
  Assignment: assignmentFaults,
  ParameterExpansion: parameterFaults,
  ArithmeticExpansion: arithmeticFaults,
  ArithmeticCommand: arithmeticFaults,
  ArithmeticFor: (node, context) => when(!isPlainLoop(node, context), 'arithmetic'),
  TestUnary: (node) =>
    when(/^-[vR]$/.test(node.operator) && !PLAIN_NAME.test(node.operand.text), 'evaluated_operand'),
  TestBinary: (node, { variables }) =>
    when(
      NUMERIC_TEST.test(node.operator) &&
        ![node.left, node.right].every((word) => isPlainOperand(word, variables)),
      'arithmetic',
    ),
  HereDoc: (node) => when(node.closing === undefined, 'open_heredoc'),
  Negation: (node, { source }) => when(source.startsWith('!(', node.pos), 'extglob'),
  Time: (node) => when(node.endOfOptions !== undefined, 'unanalysed'),
  FileDescriptorVariable: (node) => when(steers(node.name), 'variable'),
  For: loopFaults,
  Select: loopFaults,
  Function: () => ['shadowing'],
  // To bash it is a word with what is glued to it, a hash included; to the parser it is one by itself.
  ProcessSubstitution: ({ pos, end }, { source }) =>
    when(GLUE.test(source.charAt(pos - 1)) || GLUE.test(source.charAt(end)), 'hidden_opener'),
  Statement: (node, { source }) => when(leavesEmpty(node, source), 'syntax'),
  Command: ({ name }, { source }) => (name === undefined ? [] : nameFaults(name, source)),
  CommandExpansion: ({ text }) =>
    when(text.startsWith('${') && !isPlainlyClosed(text), 'hidden_opener'),
  Coproc: ({ name }) => when(name !== undefined && steers(name.value), 'variable'),
}

const GLUE = /[^\s;&|<>()]/
const NUMERIC_TEST = /^-(?:eq|ne|lt|le|gt|ge)$/

function arithmeticFaults(
  node: Extract<SyntaxNode, { type: 'ArithmeticExpansion' | 'ArithmeticCommand' }>,
  { variables }: Context,
): Faults {
  return when(!isPlainArithmetic(node.expression, variables), 'arithmetic')
}

/** Behind a command and what ends it, bash takes no `;` alone. */
function leavesEmpty(
  { pos, end, background }: Extract<SyntaxNode, { type: 'Statement' }>,
  source: string,
): boolean {
  const empty = background === true ? EMPTY_BEHIND_BACKGROUND : EMPTY
  empty.lastIndex = end
  // The lines of a here-document stand behind its command.
  return empty.test(source) && !source.slice(pos, end).includes('<<')
}

const EMPTY_BEHIND_BACKGROUND = /\s*;(?![;&])/y
const EMPTY = /[ \t]*(?:\n\s*|;\s+);(?![;&])/y

function nameFaults({ text, parts, end }: Word, source: string): Faults {
  return [
    // The parser passes over it; to bash it opens a function or is a fault.
    ...when(opensParenthesis(source, end), 'syntax'),
    // One word only because of a subscript: what stands around it was not taken apart.
    ...when(parts === undefined && PARTING.test(withoutEscapes(text)), 'dynamic_program'),
  ]
}

const PARTING = /[\s;&|<>()]/

function opensParenthesis(source: string, at: number): boolean {
  AHEAD.lastIndex = at
  return AHEAD.test(source)
}

const AHEAD = /(?:[ \t]|\\\n)*\(/y

function loopFaults({ name }: Extract<SyntaxNode, { type: 'For' | 'Select' }>): Faults {
  return when(!PLAIN_NAME.test(name.value) || steers(name.value), 'variable')
}

function when(isFault: boolean, code: RefusalCode): Faults {
  return isFault ? [code] : []
}

function wordFaults(word: Word): Faults {
  const { text, parts } = word
  return [
    // Bash runs what stands in an array literal even where a word is glued to it.
    ...when(ARRAY_WORD.test(text), 'array_tail'),
    ...when(parts === undefined && UNQUOTED_OPENER.test(withoutEscapes(text)), 'hidden_opener'),
    ...when(
      parts?.some(
        (part) => part.type === 'Literal' && PROCESS_OPENER.test(withoutEscapes(part.text)),
      ) === true,
      'hidden_opener',
    ),
  ]
}

function assignmentFaults(node: Assignment, { variables, source }: Context): Faults {
  const { name, value, index } = node
  if (isNumeric(node)) variables.setNumber(name)
  const elements = value.type === 'ArrayValue' ? value.elements : []
  return [
    ...when(value.type === 'Word' && value.text.startsWith('('), 'array_tail'),
    ...when(
      (index === undefined ? steersAs(readAssignment(node).text) : steers(name)) &&
        !isForRead(node, source),
      'variable',
    ),
    ...when(index !== undefined && !isPlainOperand(index, variables), 'evaluated_operand'),
    ...when(
      elements.some((element) => element.text.startsWith('[') && !/^\[\d+\]=/.test(element.text)),
      'evaluated_operand',
    ),
  ]
}

/** In front of the builtin `read` separators are of that line alone, and nothing runs by them. */
function isForRead({ name, end }: Assignment, source: string): boolean {
  READ.lastIndex = end
  return name === 'IFS' && READ.test(source)
}

const READ = /[ \t]+read[ \t]+/y

function parameterFaults(node: ParameterExpansionPart, { variables }: Context): Faults {
  const { prefix, index, operation, parameter } = node
  const isSubscript =
    index === undefined || /^[@*]$/.test(index.value) || isPlainOperand(index, variables)
  const found = [
    // Where its default holds one, parser and bash may differ about where it ends.
    ...when(PROCESS_OPENER.test(withoutEscapes(node.text)), 'hidden_opener'),
    ...when(
      operation?.type === 'Default' && quotesSpecial(operation.operand.parts),
      'hidden_opener',
    ),
    ...when(operation?.type === 'Replace' && !isPlainlyReplaced(node.text), 'hidden_opener'),
    ...when(prefix === '!', 'indirection'),
    ...when(!isSubscript, 'arithmetic'),
  ]
  return [...found, ...operationFaults(parameter, operation, variables)]
}

function operationFaults(
  parameter: string,
  operation: ParameterExpansionPart['operation'],
  variables: Variables,
): Faults {
  if (operation === undefined) return []
  switch (operation.type) {
    case 'Slice': {
      const bounds = [
        operation.offset,
        ...(operation.length === undefined ? [] : [operation.length]),
      ]
      return when(!bounds.every((word) => isPlainOperand(word, variables)), 'arithmetic')
    }
    case 'Transform':
      return when(!/^[QULu]$/.test(operation.operand.text), 'indirection')
    case 'Unknown':
      return ['indirection']
    case 'Default':
      return when(operation.operator.includes('=') && steers(parameter), 'variable')
    case 'CaseModification':
    case 'Names':
    case 'Remove':
    case 'Replace':
      return []
  }
}

function isPlainLoop(
  { initialize, test, update }: Extract<SyntaxNode, { type: 'ArithmeticFor' }>,
  { variables }: Context,
): boolean {
  return [initialize, test, update].every(
    (part) => part === undefined || isPlainArithmetic(part, variables),
  )
}

function withoutEscapes(text: string): string {
  return text.replace(/\\[\s\S]/g, '')
}

/** Only escapes that every version decodes alike, to printable characters or plain layout. */
function withoutKnownEscapes(text: string): string {
  return text.replace(
    /\\(?:[ntrabefvE\\'"?]|x[2-7][0-9A-Fa-f]|[01][0-7]{2}|u00[2-7][0-9A-Fa-f])/g,
    '',
  )
}

const HIDDEN_OPENER = /\$\(|`|\$\{|\$\[/
const PROCESS_OPENER = /[<>]\(/
const UNQUOTED_OPENER = /\$\(|`|\$\{|\$\[|[<>]\(/
const ARRAY_WORD = /^[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=\(/
