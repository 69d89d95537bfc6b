/** Walks the tree of a text down to its simple commands, whatever construct they stand in (rules.md §5 item 1). */

import { refuse, subshell, type Context, type Piped } from '../context.js'
import { SHELL_LIMITS } from '../findings.js'
import { guardNode } from '../guard/node.js'
import {
  eachChild,
  type FunctionNode,
  type ParsedScript,
  type Pipeline,
  type SyntaxNode,
} from '../parse.js'
import { runCommand } from './command.js'
import { readRedirects } from './redirects.js'
import { readAssignment, readWord, type ShellWord } from './word.js'

/** Adds to the findings what this node would run. */
export function unfold(node: SyntaxNode, context: Context): void {
  guardNode(node, context)
  const walk = (WALKS[node.type] ?? descend) as (one: SyntaxNode, context: Context) => void
  walk(node, context)
}

/** Nodes without a row are walked through. */
type Walks = {
  readonly [T in SyntaxNode['type']]?: (
    node: Extract<SyntaxNode, { readonly type: T }>,
    context: Context,
  ) => void
}

const WALKS: Walks = {
  Script: unfoldScript,
  Statement: unfoldStatement,
  AndOr: unfoldList,
  Pipeline: unfoldPipeline,
  Command: unfoldCommand,
  Redirected: unfoldRedirected,
  Function: (node, context) => unfoldFunction(node, deeper(context)),
  Subshell: (node, context) => descend(node, subshell(deeper(context))),
  Coproc: (node, context) => descend(node, subshell(deeper(context))),
  CommandExpansion: (node, context) => descend(node, apart(context)),
  ProcessSubstitution: (node, context) => descend(node, apart(context)),
  ArithmeticCommandExpansion: (node, context) => descend(node, apart(context)),
  While: (node, context) => unfoldLoop(node, deeper(context)),
  For: (node, context) => unfoldLoop(node, deeper(context)),
  Select: (node, context) => unfoldLoop(node, deeper(context)),
  ArithmeticFor: (node, context) => unfoldLoop(node, deeper(context)),
  If: (node, context) => descend(node, deeper(context)),
  Case: (node, context) => descend(node, deeper(context)),
  BraceGroup: (node, context) => descend(node, deeper(context)),
}

function apart(context: Context): Context {
  return { ...subshell(context), piped: 'nothing', feed: [] }
}

function unfoldStatement(node: Extract<SyntaxNode, { type: 'Statement' }>, context: Context): void {
  const before = context.folders.current
  descend(node, node.background === true ? subshell(context) : context)
  context.folders.orElse(before)
}

function unfoldRedirected(
  node: Extract<SyntaxNode, { type: 'Redirected' }>,
  context: Context,
): void {
  const redirects = readRedirects(node.redirects, context).notations
  if (!context.again) context.findings.command({ argv: [], redirects })
  descend(node, context)
}

function descend(node: SyntaxNode, context: Context): void {
  // Every deny and ask counts as matching then: nothing that could still be found would matter.
  if (context.findings.isRefused('unread')) return
  if (context.depth > SHELL_LIMITS.depth) return refuse(context, 'unread', node.pos)
  eachChild(node, (child) => unfold(child, context))
}

function deeper(context: Context): Context {
  return { ...context, depth: context.depth + 1 }
}

/** The text of a backquoted script is its own source; its offsets mean nothing outside. */
function unfoldScript(node: ParsedScript, context: Context): void {
  const { source } = node
  if (source === undefined) return descend(node, { ...deeper(context), source: context.source })
  const inner = { ...deeper(context), at: context.at ?? 0, source }
  descend(node, inner)
  // Between backquotes bash joins lines that go on before it reads quotes, the parser does not.
  if (!source.includes('\\\n')) return
  refuse(context, 'hidden_opener', node.pos)
  context.unfoldText(source.replaceAll('\\\n', ''), { ...inner, suspected: true })
}

/** Behind `&&` what came before has worked; behind `||` it may have done anything. */
function unfoldList(node: Extract<SyntaxNode, { type: 'AndOr' }>, context: Context): void {
  for (const [index, command] of node.commands.entries()) {
    const before = context.folders.current
    unfold(command, context)
    if (node.operators[index] === '||') context.folders.orElse(before)
  }
}

function unfoldPipeline(node: Pipeline, context: Context): void {
  for (const prefix of node.prefixes) guardNode(prefix, context)
  let piped = context.piped
  const feed = node.commands.length > 1 ? [...context.feed] : context.feed
  for (const command of node.commands) {
    const before = context.findings.count
    unfold(command, { ...(node.commands.length > 1 ? subshell(context) : context), piped, feed })
    piped = pipedFrom(context, before, piped)
  }
}

function pipedFrom(context: Context, before: number, piped: Piped): Piped {
  const isDownload = context.findings
    .since(before)
    .some(({ argv }) => DOWNLOADS.has((argv[0] ?? '').replace(/^.*\//, '')))
  return isDownload || piped === 'download' ? 'download' : 'program'
}

const DOWNLOADS: ReadonlySet<string> = new Set(['curl', 'wget', 'fetch', 'aria2c', 'http', 'https'])

/** A loop that changes its folder does the rest of its rounds who knows where. */
function unfoldLoop(node: SyntaxNode, context: Context): void {
  const before = context.folders.current
  descend(node, context)
  if (JSON.stringify(context.folders.current) === JSON.stringify(before)) return
  context.folders.current = null
  descend(node, { ...context, again: true })
}

/** A body runs when and where it is called. */
function unfoldFunction(node: FunctionNode, context: Context): void {
  if (callsItself(node.body, node.name.value)) context.findings.hazard('fork_bomb')
  const moves = MOVES.test(context.source)
  const inner = subshell(context)
  if (moves) inner.folders.current = null
  descend(node, inner)
  if (moves) context.folders.current = null
}

const MOVES = /\b(?:cd|pushd|popd)\b/

/** In a pipe or in the background, so that it multiplies. */
function callsItself(node: SyntaxNode, name: string): boolean {
  const isCall = (one: SyntaxNode): boolean => one.type === 'Command' && one.name?.value === name
  if (node.type === 'Pipeline' && node.commands.length > 1 && node.commands.some(isCall))
    return true
  if (node.type === 'Statement' && node.background === true && isCall(node.command)) return true
  let found = false
  eachChild(node, (child) => {
    found ||= callsItself(child, name)
  })
  return found
}

function unfoldCommand(node: Extract<SyntaxNode, { type: 'Command' }>, context: Context): void {
  descend(node, context)
  const assigns = node.prefix.flatMap((part) =>
    part.type === 'Assignment' ? [readAssignment(part)] : [],
  )
  const words = node.name === undefined ? [] : [readWord(node.name), ...node.args.map(readArgument)]
  const redirected = readRedirects(node.redirects, context)
  runCommand(
    {
      words,
      assigns: assigns.map((word) => word.text),
      redirects: redirected.notations,
      input: redirected.input,
      at: node.pos,
    },
    context,
  )
}

function readArgument(
  argument: Extract<SyntaxNode, { type: 'Command' }>['args'][number],
): ShellWord {
  return argument.type === 'Word' ? readWord(argument) : readAssignment(argument)
}
