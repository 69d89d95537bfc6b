/** Redirections: how they read, what they open, and what they feed (rules.md §5 items 3 and 6). */

import { refuse, type Context } from '../context.js'
import { NOWHERE, record } from '../operations/record.js'
import type { HereDoc, Redirect, Redirection, Word } from '../parse.js'
import { fixedWord, readWord, type ShellWord } from './word.js'

export interface Redirected {
  readonly notations: readonly string[]
  /** The text on standard input, when the text itself holds it. */
  readonly input: ShellWord | null
}

/** Reads all redirections of one command; what they write and read goes to the findings. */
export function readRedirects(redirections: readonly Redirection[], context: Context): Redirected {
  let input: ShellWord | null = null
  const notations = redirections.map((redirection) => {
    const prefix = descriptorOf(redirection)
    switch (redirection.type) {
      case 'HereDoc':
        input = documentOf(redirection)
        return `${prefix}${redirection.operator}${redirection.delimiter?.value ?? ''}`
      case 'HereString':
        input = targetOf(redirection.target)
        return `${prefix}<<<${input.text}`
      case 'Redirect': {
        const target = targetOf(redirection.target)
        open(redirection, target, context)
        return `${prefix}${redirection.operator}${target.text}`
      }
    }
  })
  return { notations, input }
}

function descriptorOf({ descriptor }: Redirection): string {
  if (descriptor === undefined) return ''
  return descriptor.type === 'FileDescriptor' ? `${descriptor.value}` : `{${descriptor.name}}`
}

function targetOf(target: Word | undefined): ShellWord {
  return target === undefined ? fixedWord('', 0) : readWord(target)
}

function documentOf({ body, delimiter }: HereDoc): ShellWord {
  const word = fixedWord(body.text, body.pos)
  if (delimiter?.quoted === true || body.parts === undefined) return word
  const isFixed = body.parts.every((part) => part.type === 'Literal')
  const text = body.parts.map((part) => (part.type === 'Literal' ? part.value : part.text)).join('')
  return { ...word, text, dynamic: !isFixed }
}

function open(redirect: Redirect, target: ShellWord, context: Context): void {
  const { operator } = redirect
  if (operator.endsWith('&') && DESCRIPTOR.test(target.text)) return
  if (SUBSTITUTION.test(target.text) && target.dynamic) return
  if (NETWORK.test(target.text)) {
    refuse(context, 'redirect_target', redirect.pos)
    const [, , , host = ''] = target.text.split('/')
    return context.findings.host({ host: host === '' ? null : host })
  }
  const reads = operator === '<' || operator === '<&'
  if (!reads && NOWHERE.has(target.text)) return
  if (target.dynamic || (target.pattern && !reads)) refuse(context, 'redirect_target', redirect.pos)
  if (operator === '<>') record(context, { access: 'read', word: target, origin: 'operand' })
  record(context, {
    access: reads ? 'read' : 'write',
    word: target,
    origin: reads ? 'operand' : 'redirect',
  })
}

const DESCRIPTOR = /^(?:\d+-?|-)$/
const SUBSTITUTION = /^[<>]\(\)$/
const NETWORK = /^\/+dev\/+(?:tcp|udp)\//
