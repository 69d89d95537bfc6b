/** Turns the operands of file programs into reads and writes (rules.md §5 item 6). */

import type { PathHazard } from '../../core/need.js'
import type { Context } from '../context.js'
import { programName } from '../programs/name.js'
import { fixedWord, type ShellWord } from '../unfold/word.js'
import { FILE_PROGRAMS, type FileProgram } from './file-programs.js'
import { readOperands, type Operands } from './operands.js'
import { record } from './record.js'
import { specialFiles } from './special-files.js'

/** Notes what these words do to files, `open` for more to come; nothing for programs that no table knows. */
export function recordFiles(words: readonly ShellWord[], open: boolean, context: Context): void {
  const [program, ...args] = words
  const name = programName(program?.text ?? '')
  const row = BY_NAME.get(name)
  if (row !== undefined) recordRow(row, readOperands(args, row), { name, context, open })
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

function recordRow(row: FileProgram, given: Operands, { name, context, open }: Place): void {
  const { operands, flags, values } = given
  const has = (option: string): boolean => flags.has(option) || values.has(option)
  const isSkipped = row.skipUnless?.some(has) !== true
  const named = isSkipped ? operands.slice(row.skip ?? 0) : operands
  const paths = named.length === 0 && row.here === true ? [HERE] : named
  const walks = row.walks === 'always' || row.walks?.some(has) === true
  const inPlace = row.inPlace?.some((option) => has(option) || hasPrefix(flags, option)) === true
  const access = row.access === 'write' || inPlace ? 'write' : 'read'
  const origin = row.access === 'list' ? 'listing' : 'operand'
  const hazard = walks ? HAZARDS.get(name) : undefined
  // Which files these are nobody knows: any that lies here may be meant.
  if (open || named.some((word) => word.pathUnknown))
    record(context, { access, word: HERE, origin, tree: 'walked' })
  for (const word of paths) {
    record(context, { access, word, origin, ...(walks ? { tree: 'walked' } : {}), hazard })
    if (inPlace) record(context, { access: 'read', word, origin })
    const emptied = hazard === undefined ? null : emptiedFolder(word)
    if (emptied !== null) record(context, { access, word: emptied, origin, tree: 'walked', hazard })
  }
  for (const option of row.outputs ?? []) {
    for (const word of values.get(option) ?? [])
      record(context, { access: 'write', word, origin: 'redirect' })
  }
  for (const option of row.inputs ?? []) {
    for (const word of values.get(option) ?? [])
      record(context, { access: 'read', word, origin: 'operand' })
  }
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

const EVERYTHING = /^\.?\*+$/
const HERE = fixedWord('.', 0)

const HAZARDS: ReadonlyMap<string, PathHazard> = new Map([
  ...['rm', 'grm', 'srm', 'trash'].map((name) => [name, 'recursive_delete'] as const),
  ...['chown', 'chgrp'].map((name) => [name, 'ownership_change'] as const),
])

const BY_NAME: ReadonlyMap<string, FileProgram> = new Map(
  FILE_PROGRAMS.flatMap((row) => row.names.map((name) => [name, row] as const)),
)
