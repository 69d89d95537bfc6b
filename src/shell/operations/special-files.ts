/** File programs whose operands play different parts: copying, linking, archives, searches (rules.md §5 item 6). */

import type { Context } from '../context.js'
import { isAnchored } from '../folders.js'
import { fixedWord, type ShellWord } from '../unfold/word.js'
import { readOperands, valuesOf, type Operands, type Valued } from './operands.js'
import { baseOf, belowEach, output, read, record, write } from './record.js'
import { curl, wget } from './transfers.js'

/** Notes what these arguments do to files; nothing for other programs. */
export function specialFiles(name: string, args: readonly ShellWord[], context: Context): void {
  SPECIAL.get(name)?.(args, context)
}

export function isSpecialFileProgram(name: string): boolean {
  return SPECIAL.has(name)
}

type Recorder = (args: readonly ShellWord[], context: Context) => void

/** The last operand, or `-t`, is written; what stands before it is read. */
function copy(args: readonly ShellWord[], context: Context): void {
  const given = readOperands(args, {
    valued: 'tSgmo',
    longValued: ['target-directory', ...['suffix', 'group', 'mode', 'owner']],
    longFlags: ['recursive', 'archive'],
  })
  const into = given.values.get('-t') ?? given.values.get('--target-directory')
  recordCopy(into === undefined ? given : { ...given, into }, context)
}

function recordCopy(
  { operands, flags, into }: Operands & { readonly into?: readonly ShellWord[] },
  context: Context,
): void {
  const sources = into === undefined ? operands.slice(0, -1) : operands
  const walked = ['-r', '-R', '-a', '--recursive', '--archive'].some((flag) => flags.has(flag))
  for (const word of sources.filter(isLocal)) read(context, word, walked)
  for (const word of (into ?? operands.slice(-1)).filter(isLocal)) write(context, word)
}

function copyBySsh(args: readonly ShellWord[], context: Context): void {
  recordCopy(readOperands(args, { valued: 'cDFiJloPSX' }), context)
}

function synchronise(args: readonly ShellWord[], context: Context): void {
  const given = readOperands(args, RSYNC)
  const of = valuesOf(given)
  for (const word of of('--files-from', '--password-file', '--exclude-from', '--include-from'))
    read(context, word)
  for (const word of of('--log-file', '--write-batch', '--only-write-batch')) output(context, word)
  recordCopy(given, context)
}

const RSYNC: Valued = {
  valued: 'feBTM',
  longValued: [
    ...['exclude', 'include', 'filter', 'files-from', 'exclude-from', 'include-from', 'rsh'],
    ...['password-file', 'log-file', 'write-batch', 'only-write-batch', 'chmod', 'chown'],
    ...['bwlimit', 'timeout', 'port', 'info', 'max-size', 'min-size', 'out-format'],
  ],
  longFlags: ['recursive', 'archive'],
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
    valued: 'fCTXbNVgKL',
    longValued: ['file', 'directory', 'files-from', 'index-file', 'exclude', 'exclude-from'],
    longFlags: ['create', 'append', 'update', 'extract', 'get'],
  })
  const of = valuesOf({ operands, flags, values })
  for (const word of of('-T', '--files-from', '-X', '--exclude-from')) read(context, word)
  for (const word of of('--index-file', '-g', '--listed-incremental')) output(context, word)
  const files = values.get('-f') ?? values.get('--file') ?? []
  const folders = values.get('-C') ?? values.get('--directory') ?? []
  const creates = ['-c', '-r', '-u', '--create', '--append', '--update'].some((flag) =>
    flags.has(flag),
  )
  for (const word of files) {
    if (creates) output(context, word)
    else read(context, word)
  }
  if (creates) for (const word of inFolders(operands, folders, context)) read(context, word, true)
  else if (['-x', '--extract', '--get'].some((flag) => flags.has(flag))) {
    for (const word of folders.length > 0 ? folders : [HERE]) write(context, word)
  }
}

/** The operands as they stand, and below each folder that an option enters before them. */
function inFolders(
  operands: readonly ShellWord[],
  folders: readonly ShellWord[],
  context: Context,
): readonly ShellWord[] {
  const loose = operands.filter(({ path }) => !isAnchored(path))
  return [...operands, ...belowEach(folders, loose, context)]
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
  const given = readOperands(args, {
    valued: 'Ccmo',
    longValued: ['git-dir', 'work-tree', 'output', 'output-directory'],
  })
  const [command, ...rest] = given.operands
  const outputs = GIT_OUTPUT.has(command?.text ?? '') ? ['-o', '--output-directory'] : []
  for (const word of valuesOf(given)('--output', ...outputs)) output(context, word)
  if (command?.text === 'rm' || command?.text === 'mv')
    for (const word of rest) write(context, word)
  if (command?.text === 'grep' || command?.text === 'archive') read(context, rest[1] ?? HERE, true)
  if (command?.text === 'apply' || command?.text === 'am')
    for (const word of rest) read(context, word)
}

/** Where `-o` names a file or a folder; elsewhere it is another option. */
const GIT_OUTPUT: ReadonlySet<string> = new Set([
  ...['archive', 'format-patch', 'bugreport', 'diagnose', 'index-pack'],
])

function unzip(args: readonly ShellWord[], context: Context): void {
  const { operands, values } = readOperands(args, { valued: 'dxP' })
  for (const word of operands.slice(0, 1)) read(context, word)
  for (const word of values.get('-d') ?? [HERE]) write(context, word)
}

/** Only the file of its own; what it runs is looked at by itself. */
function gather(args: readonly ShellWord[], context: Context): void {
  const given = readOperands(args, { valued: 'adEILnPsR', longValued: ['arg-file'] })
  for (const word of valuesOf(given)('-a', '--arg-file')) read(context, word)
}

/** `host:path` is elsewhere. */
function isLocal(word: ShellWord): boolean {
  return !/^[^/]+:/.test(word.text)
}

/** What an action does with a file is not looked at: it may read it. */
const ACTION = /^-(?:exec|ok)(?:dir)?$/
const HERE = fixedWord('.', 0)

const SPECIAL: ReadonlyMap<string, Recorder> = new Map([
  ...['cp', 'gcp', 'install'].map((name) => [name, copy] as const),
  ['scp', copyBySsh],
  ['rsync', synchronise],
  ['mv', move],
  ...['ln', 'link'].map((name) => [name, link] as const),
  ['dd', convert],
  ...['tar', 'gtar', 'bsdtar'].map((name) => [name, archive] as const),
  ...['find', 'gfind'].map((name) => [name, search] as const),
  ['git', git],
  ['curl', curl],
  ['wget', wget],
  ['unzip', unzip],
  ...['xargs', 'gxargs'].map((name) => [name, gather] as const),
])
