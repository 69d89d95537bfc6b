/** Policies as text: JSON with comments and trailing commas; every fault has its line (pipeline.md §2). */

import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import type { Node, ParseError } from 'jsonc-parser'
import { ConfigError, type ConfigFacts } from '../core/errors.js'
import type { Policy } from '../contract/policy.js'
import { sha256 } from '../encoding/digest.js'
import { compilePolicy } from './compile.js'

/** Reads a policy. Throws `ConfigError` with file, line and column; never gives an empty or partial one. */
export function parsePolicy(text: string, file: string, source: 'managed' | 'user'): Policy {
  const { value, locate } = readDocument(text, file)
  try {
    return compilePolicy(value, { source, file, bytes: sha256(text) })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    // Nothing was loaded; the same fault is thrown on, with its place.
    throw located(error, file, locate)
  }
}

/** A document as it stands, and where each of its parts does. */
export interface PolicyDocument {
  readonly value: unknown
  /** The place of the deepest part of the path that the text has; lines and columns count from 1. */
  readonly locate: (path: ConfigError['path']) => Place
}

/** Columns count in UTF-16 units. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** Reads JSON with comments. Throws `ConfigError syntax`. */
export function readDocument(text: string, file: string): PolicyDocument {
  // A mark that some editors put first; it is no part of the document.
  const body = text.startsWith('\u{feff}') ? text.slice(1) : text
  if (body.length > MAXIMUM || new TextEncoder().encode(body).length > MAXIMUM) {
    throw new ConfigError('syntax', 'a policy file of more than 1 MiB', { file })
  }
  const tree = treeOf({ body, file })
  return {
    value: getNodeValue(tree),
    locate: (path) => placeOf(body, offsetOf(path, tree)),
  }
}

interface Source {
  readonly body: string
  readonly file: string
}

const MAXIMUM = 1024 * 1024
const DEEPEST = 64

function treeOf(source: Source): Node {
  const { body } = source
  const deep = tooDeepAt(body)
  if (deep !== null) throw syntax('more than 64 levels', deep, source)
  const errors: ParseError[] = []
  const tree = parseTree(body, errors, { allowTrailingComma: true, allowEmptyContent: false })
  const [error] = errors
  if (error !== undefined) {
    throw syntax(`no JSON: ${words(printParseErrorCode(error.error))}`, error.offset, source)
  }
  if (tree === undefined) throw syntax('no JSON: nothing at all', 0, source)
  refuseTwins(tree, source)
  return tree
}

/** The parser recurses, so depth is counted before it. */
function tooDeepAt(body: string): number | null {
  const scanner = createScanner(body, true)
  let depth = 0
  for (;;) {
    const token: number = scanner.scan()
    if (token === TOKENS.end) return null
    if (token === TOKENS.openBrace || token === TOKENS.openBracket) depth += 1
    if (token === TOKENS.closeBrace || token === TOKENS.closeBracket) depth -= 1
    if (depth > DEEPEST) return scanner.getTokenOffset()
  }
}

/** The parser's own numbers, which it exports as types only. */
const TOKENS = { openBrace: 1, closeBrace: 2, openBracket: 3, closeBracket: 4, end: 17 } as const

/** Of two equal keys a reader sees one and the parser takes the other. */
function refuseTwins(node: Node, source: Source): void {
  const seen = new Set<string>()
  for (const child of node.children ?? []) {
    if (child.type === 'property') {
      const key = child.children?.[0]
      const name = String(key?.value)
      if (seen.has(name)) {
        throw syntax(`the key \`${name}\` stands twice`, key?.offset ?? child.offset, source)
      }
      seen.add(name)
    }
    refuseTwins(child, source)
  }
}

function located(error: ConfigError, file: string, locate: PolicyDocument['locate']): ConfigError {
  const facts: ConfigFacts = {
    ...locate(error.path),
    file,
    path: error.path,
    allowed: error.allowed,
    suggestion: error.suggestion,
    cause: error,
  }
  return new ConfigError(error.code, error.message, facts)
}

/** The deepest part of the path that the text has; a property begins at its key. */
function offsetOf(path: readonly (string | number)[], tree: Node): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(tree, [...path.slice(0, length)])
    if (node === undefined) continue
    const isWhole = length === path.length
    return isWhole && node.parent?.type === 'property' ? node.parent.offset : node.offset
  }
  return tree.offset
}

function syntax(message: string, offset: number, { body, file }: Source): ConfigError {
  return new ConfigError('syntax', message, { ...placeOf(body, offset), file })
}

/** Lines and columns count from 1, columns in UTF-16 units. */
function placeOf(body: string, offset: number): Place {
  const lines = body.slice(0, offset).split(/\r\n|\r|\n/)
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

function words(code: string): string {
  return code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase()
}
