/** Arithmetic evaluates what its variables hold, subscripts and all: only numbers are safe (rules.md §5 item 3). */

import type { ArithmeticExpression, Word } from '../parse.js'
import { PLAIN_NAME, steers, type Variables } from './variables.js'

/** True when nothing but numbers, and variables that this text set to numbers, is evaluated. */
export function isPlainArithmetic(
  expression: ArithmeticExpression | undefined,
  variables: Variables,
): boolean {
  if (expression === undefined) return false
  const isPlain = (part: ArithmeticExpression): boolean => isPlainArithmetic(part, variables)
  switch (expression.type) {
    case 'ArithmeticBinary': {
      const { left, right, operator } = expression
      if (operator !== '=' || left.type !== 'ArithmeticWord' || !PLAIN_NAME.test(left.value)) {
        return isPlain(left) && isPlain(right)
      }
      // A number in PATH is the name of a folder.
      if (!isPlain(right) || steers(left.value)) return false
      variables.setNumber(left.value)
      return true
    }
    case 'ArithmeticUnary':
      return isPlain(expression.operand)
    case 'ArithmeticTernary':
      return (
        isPlain(expression.test) && isPlain(expression.consequent) && isPlain(expression.alternate)
      )
    case 'ArithmeticGroup':
      return isPlain(expression.expression)
    case 'ArithmeticWord':
      return isPlainWord(expression, variables)
    case 'ArithmeticCommandExpansion':
      // What a command prints is evaluated as well.
      return false
  }
}

/** The same for a word that is read as arithmetic: a subscript, a slice, an operand of `-eq`. */
export function isPlainOperand(word: Word, variables: Variables): boolean {
  return isPlainWord({ value: word.value, parts: word.parts }, variables)
}

function isPlainWord(
  { value, parts }: { readonly value: string; readonly parts?: Word['parts'] },
  variables: Variables,
): boolean {
  const text = value.trim()
  if (parts === undefined) return NUMBER.test(text) || variables.isNumber(text)
  const [part, ...rest] = parts
  if (part === undefined || rest.length > 0) return false
  switch (part.type) {
    case 'DoubleQuoted':
      return isPlainWord({ value: '', parts: part.parts }, variables)
    case 'SimpleExpansion':
      return variables.isNumber(part.text.slice(1))
    case 'ParameterExpansion':
      // The length of a variable is a number whatever it holds.
      if (part.operation !== undefined || part.index !== undefined) return false
      return (
        part.prefix === '#' || (part.prefix === undefined && variables.isNumber(part.parameter))
      )
    case 'Literal':
    case 'SingleQuoted':
      return NUMBER.test(part.value.trim())
    case 'AnsiCQuoted':
    case 'ArithmeticExpansion':
    case 'BraceExpansion':
    case 'CommandExpansion':
    case 'ExtendedGlob':
    case 'Glob':
    case 'LocaleString':
    case 'ProcessSubstitution':
      return false
  }
}

const NUMBER = /^[+-]?(?:0[xX][0-9a-fA-F]+|\d{1,18}(?:#[0-9A-Za-z]+)?)$/
