/** File programs whose operands play different parts: copying, linking, archives, searches (rules.md §5 item 6). */

import type { Context } from '../context.js'
import { fixedWord, type ShellWord } from '../unfold/word.js'
import { readOperands, type Valued } from './operands.js'
import { record } from './record.js'

/** Notes what these arguments do to files; nothing for other programs. */
export function specialFiles(name: string, args: readonly ShellWord[], context: Context): void {
  SPECIAL.get(name)?.(args, context)
}

export function isSpecialFileProgram(name: string): boolean {
  return SPECIAL.has(name)
}

type Recorder = (args: readonly ShellWord[], context: Context) => void

function read(context: Context, word: ShellWord, walked = false): void {
  record(context, {
    access: 'read',
    word,
    origin: 'operand',
    ...(walked ? { tree: 'walked' } : {}),
  })
}

function write(context: Context, word: ShellWord): void {
  record(context, { access: 'write', word, origin: 'operand' })
}

function output(context: Context, word: ShellWord | undefined): void {
  if (word !== undefined && word.text !== '-')
    record(context, { access: 'write', word, origin: 'redirect' })
}

/** The last operand, or `-t`, is written; what stands before it is read. */
function copy(args: readonly ShellWord[], context: Context): void {
  const { operands, flags, values } = readOperands(args, {
    valued: 'tSgmo',
    longValued: ['target-directory'],
  })
  const into = values.get('-t') ?? values.get('--target-directory')
  const sources = into === undefined ? operands.slice(0, -1) : operands
  const walked = ['-r', '-R', '-a', '--recursive', '--archive'].some((flag) => flags.has(flag))
  for (const word of sources.filter(isLocal)) read(context, word, walked)
  for (const word of (into ?? operands.slice(-1)).filter(isLocal)) write(context, word)
}

function move(args: readonly ShellWord[], context: Context): void {
  const { operands, values } = readOperands(args, {
    valued: 'tS',
    longValued: ['target-directory'],
  })
  const into = values.get('-t') ?? values.get('--target-directory')
  const sources = into === undefined ? operands.slice(0, -1) : operands
  for (const word of sources) {
    record(context, { access: 'read', word, origin: 'operand', tree: 'moved' })
    record(context, { access: 'write', word, origin: 'operand', tree: 'moved' })
  }
  for (const word of into ?? operands.slice(-1)) write(context, word)
}

/** A link gives its target another name, so it is as good as a read of it. */
function link(args: readonly ShellWord[], context: Context): void {
  const { operands } = readOperands(args, { valued: 'tS' })
  const [target] = operands
  for (const word of operands.length === 1 ? operands : operands.slice(0, -1)) read(context, word)
  if (operands.length > 1) for (const word of operands.slice(-1)) write(context, word)
  else if (target !== undefined) write(context, baseOf(target))
}

function convert(args: readonly ShellWord[], context: Context): void {
  for (const word of args) {
    const [, key = '', value = ''] = /^(if|of)=(.*)$/s.exec(word.text) ?? []
    if (value === '') continue
    const path = { ...word, text: value, path: value }
    if (key === 'if') read(context, path)
    else record(context, { access: 'write', word: path, origin: 'redirect' })
  }
}

function archive(args: readonly ShellWord[], context: Context): void {
  const [first, ...rest] = args
  const dashed =
    first !== undefined && !first.text.startsWith('-')
      ? [{ ...first, text: `-${first.text}` }, ...rest]
      : args
  const { operands, flags, values } = readOperands(dashed, {
    valued: 'fCTXbNV',
    longValued: ['file', 'directory'],
  })
  const files = values.get('-f') ?? values.get('--file') ?? []
  const folders = values.get('-C') ?? values.get('--directory') ?? []
  const creates = ['-c', '-r', '-u', '--create', '--append', '--update'].some((flag) =>
    flags.has(flag),
  )
  for (const word of files) {
    if (creates) output(context, word)
    else read(context, word)
  }
  if (creates) for (const word of operands) read(context, word, true)
  else if (flags.has('-x') || flags.has('--extract')) {
    for (const word of folders.length > 0 ? folders : [HERE]) write(context, word)
  }
}

/** Roots are listed; actions of its own write. */
function search(args: readonly ShellWord[], context: Context): void {
  const start = args.findIndex(({ text }) => /^[-(!]/.test(text) && !/^-[HLPDO]/.test(text))
  const front = (start === -1 ? args : args.slice(0, start)).filter(
    ({ text }) => !text.startsWith('-'),
  )
  const expression = start === -1 ? [] : args.slice(start)
  const deletes = expression.some(({ text }) => text === '-delete')
  const removes = expression.some(
    ({ text }, index) => text.startsWith('-exec') && expression[index + 1]?.text === 'rm',
  )
  const picks = expression.some(({ text }) =>
    /^-(?:i?(?:name|path|regex|wholename)|type|[acm](?:time|min)|size|empty|user|perm|newer.*)$/.test(
      text,
    ),
  )
  const hazard = (deletes || removes) && !picks ? 'recursive_delete' : undefined
  for (const word of front.length > 0 ? front : [HERE]) {
    const origin = expression.some(({ text }) => ACTION.test(text)) ? 'operand' : 'listing'
    record(context, { access: 'read', word, origin, tree: 'walked' })
    if (deletes || removes)
      record(context, { access: 'write', word, origin: 'operand', tree: 'walked', hazard })
  }
  for (const [index, { text }] of expression.entries()) {
    if (/^-(?:fprint0?|fprintf|fls)$/.test(text)) output(context, expression[index + 1])
  }
}

function git(args: readonly ShellWord[], context: Context): void {
  const { operands, values } = readOperands(args, {
    valued: 'Ccm',
    longValued: ['output', 'git-dir', 'work-tree'],
  })
  const [command, ...rest] = operands
  for (const word of values.get('--output') ?? []) output(context, word)
  if (command?.text === 'rm' || command?.text === 'mv')
    for (const word of rest) write(context, word)
  if (command?.text === 'grep' || command?.text === 'archive') read(context, rest[1] ?? HERE, true)
  if (command?.text === 'apply' || command?.text === 'am')
    for (const word of rest) read(context, word)
}

function curl(args: readonly ShellWord[], context: Context): void {
  const { operands, flags, values } = readOperands(args, CURL)
  const of = (...names: readonly string[]): readonly ShellWord[] =>
    names.flatMap((name) => values.get(name) ?? [])
  for (const word of of('-o', '--output', '-D', '--dump-header', '-c', '--cookie-jar'))
    output(context, word)
  if (flags.has('-O') || flags.has('--remote-name'))
    for (const word of operands) output(context, baseOf(word))
  for (const word of of('-T', '--upload-file', '-b', '--cookie', '-E', '--cert', '--key'))
    read(context, word)
  for (const word of of(
    '-d',
    '--data',
    '--data-binary',
    '--data-urlencode',
    '-F',
    '--form',
    '-H',
    '--header',
  )) {
    const file = /(?:^|=)[@<]([^;]+)/.exec(word.text)?.[1]
    if (file !== undefined) read(context, { ...word, text: file, path: file })
  }
}

/** Options of curl with a value, as far as they matter here. */
export const CURL: Valued = {
  valued: 'odDcbTEFHXuAemxUwrCPQYyzt',
  longValued: [
    ...[
      'output',
      'dump-header',
      'cookie-jar',
      'upload-file',
      'cookie',
      'cert',
      'key',
      'data',
      'data-raw',
    ],
    ...[
      'data-binary',
      'data-urlencode',
      'form',
      'header',
      'request',
      'user',
      'user-agent',
      'referer',
    ],
    ...['max-time', 'connect-timeout', 'retry', 'proxy', 'write-out', 'url', 'resolve', 'cacert'],
  ],
}

export const WGET: Valued = {
  valued: 'OPoaiUTtwQ',
  longValued: [
    'output-document',
    'directory-prefix',
    'output-file',
    'input-file',
    'post-file',
    'header',
    'tries',
  ],
}

function wget(args: readonly ShellWord[], context: Context): void {
  const { operands, values } = readOperands(args, WGET)
  const of = (...names: readonly string[]): readonly ShellWord[] =>
    names.flatMap((name) => values.get(name) ?? [])
  const named = of('-O', '--output-document')
  for (const word of [...named, ...of('-o', '--output-file', '-a')]) output(context, word)
  if (named.length === 0) for (const word of operands) output(context, baseOf(word))
  for (const word of of('-i', '--input-file', '--post-file', '--body-file')) read(context, word)
}

function unzip(args: readonly ShellWord[], context: Context): void {
  const { operands, values } = readOperands(args, { valued: 'dxP' })
  for (const word of operands.slice(0, 1)) read(context, word)
  for (const word of values.get('-d') ?? [HERE]) write(context, word)
}

/** Where a file lands that is named after its source. */
function baseOf(word: ShellWord): ShellWord {
  const [path = ''] = word.path.split(/[?#]/, 1)
  const name = path.split('/').findLast((part) => part !== '') ?? ''
  return { ...word, path: name === '' ? '.' : name }
}

/** `host:path` is elsewhere. */
function isLocal(word: ShellWord): boolean {
  return !/^[^/]+:/.test(word.text)
}

/** What an action does with a file is not looked at: it may read it. */
const ACTION = /^-(?:exec|ok)(?:dir)?$/
const HERE = fixedWord('.', 0)

const SPECIAL: ReadonlyMap<string, Recorder> = new Map([
  ...['cp', 'gcp', 'install', 'rsync', 'scp'].map((name) => [name, copy] as const),
  ['mv', move],
  ['ln', link],
  ['dd', convert],
  ...['tar', 'gtar', 'bsdtar'].map((name) => [name, archive] as const),
  ...['find', 'gfind'].map((name) => [name, search] as const),
  ['git', git],
  ['curl', curl],
  ['wget', wget],
  ['unzip', unzip],
])
