/** Whether a `sed` script only edits: `e` runs programs, `w` writes files (rules.md §5 item 3). */

import type { ShellWord } from '../unfold/word.js'

/** True when every script among these arguments is of the plain kind and none is read from a file. */
export function isPlainSed(args: readonly ShellWord[]): boolean {
  const scripts: ShellWord[] = []
  let bare: ShellWord | undefined
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index]
    const text = word?.text ?? ''
    if (word === undefined) break
    // `-i ''` of the BSD kind: an empty word is no script.
    if (text === '') continue
    if (!text.startsWith('-') || text === '-') bare ??= word
    else if (HARMLESS.test(text)) continue
    else if (EXPRESSION.test(text)) {
      const attached = text.replace(EXPRESSION, '')
      const script = attached === '' ? args[(index += 1)] : { ...word, text: attached }
      if (script === undefined) return false
      scripts.push(script)
    } else return false
  }
  if (scripts.length === 0 && bare !== undefined) scripts.push(bare)
  return scripts.every((script) => !script.dynamic && isPlainScript(script.text))
}

/** Addresses with one plain command each, separated by `;` or newlines. */
function isPlainScript(script: string): boolean {
  let rest = script
  while (rest !== '') {
    const command = SEPARATOR.exec(rest) ?? COMMAND.exec(rest) ?? TEXT.exec(rest)
    if (command === null) {
      const length = substitutionLength(rest)
      if (length === 0) return false
      rest = rest.slice(length)
    } else rest = rest.slice(command[0].length)
  }
  return true
}

/** The length of an `s` or `y` command at the start, flags included; 0 when it is none of the plain kind. */
function substitutionLength(text: string): number {
  const address = ADDRESS.exec(text)?.[0] ?? ''
  const body = text.slice(address.length)
  const mark = body.charAt(1)
  if (!/^[sy]/.test(body) || mark === '' || /[\s\\A-Za-z0-9;]/.test(mark)) return 0
  let at = 2
  for (let part = 0; part < 2; at += 1) {
    if (at >= body.length) return 0
    if (body.charAt(at) === '\\') at += 1
    else if (body.charAt(at) === mark) part += 1
  }
  const flags = /^[gpIi0-9]*(?=[\s;}]|$)/.exec(body.slice(at))
  return flags === null ? 0 : address.length + at + flags[0].length
}

const HARMLESS =
  /^(?:-[nErsuz]+|-i[^e]*|-[nErsuz]*i|--in-place(?:=.*)?|--quiet|--silent|--regexp-extended|--version|--help)$/
const EXPRESSION = /^(?:-[nErsuz]*e|--expression(?:=|$))/
const SEPARATOR = /^[\s;]+/
const ADDRESS =
  /^(?:(?:\d+|\$|\/(?:[^/\\\n]|\\[^\n])*\/I?)(?:,(?:\+?\d+|\$|\/(?:[^/\\\n]|\\[^\n])*\/I?))?!?)?/
const COMMAND =
  /^(?:(?:\d+|\$|\/(?:[^/\\\n]|\\[^\n])*\/I?)(?:,(?:\+?\d+|\$|\/(?:[^/\\\n]|\\[^\n])*\/I?))?!?)?[dpqDPNhHgGxn=](?=[\s;}]|$)/
/** `a`, `i` and `c` take the rest of the line as text; a backslash takes the next character along. */
const TEXT =
  /^(?:(?:\d+|\$|\/(?:[^/\\\n]|\\[^\n])*\/I?)(?:,(?:\+?\d+|\$|\/(?:[^/\\\n]|\\[^\n])*\/I?))?!?)?[aic](?:[^\\\n]|\\[\s\S])*(?=\n|$)/
