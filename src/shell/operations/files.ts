/** Turns the operands of file programs into reads and writes (rules.md §5 item 6). */

import type { PathHazard } from '../../core/need.js'
import type { Context } from '../context.js'
import { programName } from '../programs/name.js'
import { fixedWord, type ShellWord } from '../unfold/word.js'
import { FILE_PROGRAMS, type FileProgram } from './file-programs.js'
import { readOperands, type Operands, type Valued } from './operands.js'
import { output, record } from './record.js'
import { specialFiles } from './special-files.js'

/** Notes what these words do to files, `open` for more to come; nothing for programs that no table knows. */
export function recordFiles(words: readonly ShellWord[], open: boolean, context: Context): void {
  const [program, ...args] = words
  const name = programName(program?.text ?? '')
  const row = BY_NAME.get(name)
  if (row !== undefined)
    recordRow(row, readOperands(args, spellingsOf(row)), { name, context, open })
  specialFiles(name, args, context)
}

/** True for programs whose operands these tables know. */
export function isFileProgram(name: string): boolean {
  return BY_NAME.has(name)
}

interface Place {
  readonly open: boolean
  readonly name: string
  readonly context: Context
}

/** The options of a row under their long names, which may be abbreviated. */
function spellingsOf({ walks, ...row }: FileProgram): Valued {
  const options = [walks === 'always' ? [] : walks, row.skipUnless, row.inPlace].flatMap(
    (names) => names ?? [],
  )
  const longFlags = options.flatMap((name) =>
    name.startsWith('--') && !name.includes('=') ? [name.slice(2)] : [],
  )
  return { valued: row.valued, longValued: row.longValued, longFlags }
}

function recordRow(row: FileProgram, given: Operands, { name, context, open }: Place): void {
  const { operands, flags } = given
  const has = (option: string): boolean => isGiven(option, given)
  const isSkipped = row.skipUnless?.some(has) !== true
  const listed = isSkipped ? operands.slice(row.skip ?? 0) : operands
  const written = row.written === undefined ? [] : listed.slice(row.written)
  const named = listed.slice(0, listed.length - written.length)
  const walks = row.walks === 'always' || row.walks?.some(has) === true
  const isHere = row.here === 'walked' ? walks : row.here === true
  const paths = named.length === 0 && isHere ? [HERE] : named
  const inPlace =
    row.access === 'edit' ||
    row.inPlace?.some((option) => has(option) || hasPrefix(flags, option)) === true
  const access = row.access === 'write' || inPlace ? 'write' : 'read'
  const origin = row.access === 'list' ? 'listing' : 'operand'
  const hazard = walks ? HAZARDS.get(name) : undefined
  // Which files these are nobody knows: any that lies here may be meant.
  if (open || named.some((word) => word.pathUnknown && !SUBSTITUTION.test(word.text)))
    record(context, { access, word: HERE, origin, tree: 'walked' })
  for (const word of paths) {
    const tree = walks ? ({ tree: 'walked' } as const) : {}
    record(context, { access, word, origin, ...tree, hazard })
    if (inPlace) record(context, { access: 'read', word, origin, ...tree })
    const emptied = hazard === undefined ? null : emptiedFolder(word)
    if (emptied !== null) record(context, { access, word: emptied, origin, tree: 'walked', hazard })
  }
  recordValues(row, written, { given, context })
}

function isGiven(option: string, { flags, values }: Operands): boolean {
  const [name = '', value] = option.split('=', 2)
  const given = values.get(name)
  if (value !== undefined) return given?.some(({ text }) => text === value) === true
  return flags.has(name) || given !== undefined
}

/** Files that options name, and operands that are written. */
function recordValues(
  { inputs = [], outputs = [] }: FileProgram,
  written: readonly ShellWord[],
  { given: { values }, context }: { readonly given: Operands; readonly context: Context },
): void {
  for (const word of [...outputs.flatMap((option) => values.get(option) ?? []), ...written])
    output(context, word)
  for (const word of inputs.flatMap((option) => values.get(option) ?? []))
    record(context, { access: 'read', word, origin: 'operand' })
}

/** `sed -i.bak` has its suffix attached. */
function hasPrefix(flags: ReadonlySet<string>, option: string): boolean {
  return option === '-i' && [...flags].some((flag) => flag === '-i')
}

/** The folder whose whole content a pattern such as `dir/*` stands for. */
function emptiedFolder(word: ShellWord): ShellWord | null {
  if (!word.pattern) return null
  const bare = word.path.replace(/(?<!\/)\/$/, '')
  const slash = bare.lastIndexOf('/')
  const last = bare.slice(slash + 1)
  if (!EVERYTHING.test(last) && !(last.startsWith('{') && last.includes('*'))) return null
  const path = slash === -1 ? '.' : slash === 0 ? '/' : bare.slice(0, slash)
  return { ...word, path, pattern: false }
}

/** What a command prints is no file of the folder. */
const SUBSTITUTION = /^[<>]\(\)$/
const EVERYTHING = /^\.?\*+$/
const HERE = fixedWord('.', 0)

const HAZARDS: ReadonlyMap<string, PathHazard> = new Map([
  ...['rm', 'grm', 'srm', 'trash'].map((name) => [name, 'recursive_delete'] as const),
  ...['chown', 'chgrp'].map((name) => [name, 'ownership_change'] as const),
])

const BY_NAME: ReadonlyMap<string, FileProgram> = new Map(
  FILE_PROGRAMS.flatMap((row) => row.names.map((name) => [name, row] as const)),
)
