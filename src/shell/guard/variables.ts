/** What a text does to variables: which it may set, and which are surely numbers (rules.md §5 item 3). */

import {
  ORDINARY_VALUES,
  STEERING_PREFIXES,
  STEERING_VARIABLES,
} from '../../lists/shell-variables.js'
import type { Assignment, Command, SyntaxNode } from '../parse.js'

/** Arithmetic evaluates the text of a variable, so only numbers that this text set count. */
export class Variables {
  readonly #numbers = new Set<string>()
  readonly #others = new Set<string>()
  #opaque = false

  /** Notes what one node of a tree may set a variable to, where that is other text than a number. */
  survey(node: SyntaxNode): void {
    if (node.type === 'Assignment' && !isNumeric(node)) this.#others.add(node.name)
    if (node.type === 'For' || node.type === 'Select') {
      const words = node.wordlist ?? []
      if (words.length === 0 || !words.every((word) => NUMBER.test(word.text))) {
        this.#others.add(node.name.value)
      } else this.#numbers.add(node.name.value)
    }
    if (node.type === 'ParameterExpansion' && node.operation?.type === 'Default') {
      this.#others.add(node.parameter)
    }
    if (node.type === 'Command') this.#surveyCommand(node)
  }

  /** The walk has passed an assignment of a number. */
  setNumber(name: string): void {
    this.#numbers.add(name)
  }

  isNumber(name: string): boolean {
    if (SPECIAL_NUMBERS.has(name)) return true
    return !this.#opaque && this.#numbers.has(name) && !this.#others.has(name)
  }

  #surveyCommand({ name, args }: Command): void {
    const program = name?.value ?? ''
    if (EVALUATES.has(program)) this.#opaque = true
    if (!SETS.has(program)) return
    for (const arg of args) {
      if (arg.type === 'Word') this.#others.add(arg.value.split('=', 1)[0] ?? '')
    }
  }
}

/** True for variables whose value makes a loader, a shell or an interpreter run something. */
export function steers(name: string): boolean {
  const upper = name.toUpperCase()
  return NAMES.has(upper) || STEERING_PREFIXES.some((prefix) => upper.startsWith(prefix))
}

/** The same of `name` or `name=value`: with some values some of them make nothing run. */
export function steersAs(text: string): boolean {
  const [, name = '', value] = /^([^=]*?)(?:\+?=([\s\S]*))?$/.exec(text) ?? []
  if (!steers(name)) return false
  // What is appended depends on what stands there.
  if (value === undefined || text.startsWith('+', name.length)) return true
  return ORDINARY_VALUES.get(name)?.test(value) !== true
}

/** True for a value that arithmetic reads as itself. */
export function isNumeric({ value }: Assignment): boolean {
  if (value.type === 'ArrayValue')
    return value.elements.every((element) => NUMBER.test(element.text))
  const { parts } = value
  return (
    NUMBER.test(value.text) || (parts?.length === 1 && parts[0]?.type === 'ArithmeticExpansion')
  )
}

export const PLAIN_NAME: RegExp = /^[A-Za-z_][A-Za-z0-9_]*$/

const NUMBER = /^[+-]?\d{1,18}$/
const NAMES = new Set(STEERING_VARIABLES)
const SPECIAL_NUMBERS: ReadonlySet<string> = new Set([
  '#',
  '?',
  '$',
  '!',
  'RANDOM',
  'SECONDS',
  'LINENO',
  'UID',
  'EUID',
  'PPID',
])
const EVALUATES: ReadonlySet<string> = new Set(['eval', 'trap', '.', 'source'])
const SETS: ReadonlySet<string> = new Set([
  ...[
    'read',
    'mapfile',
    'readarray',
    'printf',
    'declare',
    'typeset',
    'local',
    'export',
    'readonly',
  ],
  ...['getopts', 'let', 'wait', 'unset', 'builtin', 'command'],
])
