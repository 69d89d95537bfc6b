/** Whether a simple command runs more than its words show (rules.md §5 items 1 and 3). */

import type { RefusalCode } from '../../core/need.js'
import { steers } from '../guard/variables.js'
import { expandBraces } from '../operations/braces.js'
import type { ShellWord } from '../unfold/word.js'
import { EXEC_OPTIONS, type ExecOption } from './exec-options.js'
import { ORDINARY_SETTINGS, PERSON } from './git-settings.js'
import { hasSubcommands, withoutGlobals } from './globals.js'
import { programName } from './name.js'
import { isPlainSed } from './sed.js'

/** The first reason, or `null`. `open` says that more operands follow. */
export function unseen(words: readonly ShellWord[], open: boolean): RefusalCode | null {
  const [program, ...rest] = words
  const name = programName(program?.text ?? '')
  const args = rest.map((word) => word.text)
  for (const row of BY_PROGRAM.get(name) ?? []) {
    const code = codeOf(row, args)
    if (code !== null) return code
    if (row.kind === 'interpreter' && hidesProgram(row, rest)) return 'dynamic_option'
  }
  if ((name === 'sed' || name === 'gsed') && !isPlainSed(rest)) return 'program_text'
  if (name === 'git' && (configures(args) || sets(words))) return 'exec_option'
  if (MAKES.has(name) && args.some(isSteering)) return 'exec_option'
  if (hasSubcommands(name) && rest.find(({ text }) => !isOption(text))?.pattern === true)
    return 'dynamic_option'
  return mayBeOption(name, rest, open) ? 'dynamic_option' : null
}

/** `git config` that sets, or opens an editor: a setting may be a command. One name alone is looked up. */
function configures(args: readonly string[]): boolean {
  const at = args.indexOf('config')
  if (at === -1 || args.slice(0, at).some((arg, index) => !isOption(arg) && index === 0))
    return false
  const rest = args.slice(at + 1)
  // What stands behind the first name is a value to git, be it spelled as an option.
  const start = rest.findIndex((arg) => !isOption(arg))
  const options = start === -1 ? rest : rest.slice(0, start)
  if (!rest.every((arg) => !isOption(arg) || isLookingUp(arg))) return true
  if (options.some((option) => ACTIONS.has(option))) return false
  const [name = '', ...more] = rest.slice(options.length)
  if (PERSON.has(name) && more.length === 1) return false
  // A setting has a dot in its name; new versions take a verb without one.
  return name === 'list' ? !more.every(isOption) : more.length > 0 || !name.includes('.')
}

function isLookingUp(option: string): boolean {
  return ACTIONS.has(option) || PRESENTATION.has(option)
}

const ACTIONS: ReadonlySet<string> = new Set([
  ...['--get', '--get-all', '--get-regexp', '--list', '-l'],
])
const PRESENTATION: ReadonlySet<string> = new Set([
  ...['--global', '--local', '--system', '--worktree', '--show-origin', '--show-scope'],
])

/** `git -c` with anything but an ordinary setting; behind the subcommand `-c` is an option of that. */
function sets(words: readonly ShellWord[]): boolean {
  const args = words.slice(1).map(({ text }) => text)
  const short = withoutGlobals(words)
  const end = short === null ? args.length : args.length - short.length + 1
  const front = short === null && !isOption(args[0] ?? '-') ? [] : args.slice(0, end)
  return front.some((arg, index) => {
    const setting = args[index + 1] ?? ''
    return arg === '-c' && !ORDINARY_SETTINGS.some((ordinary) => ordinary.test(setting))
  })
}

const MAKES: ReadonlySet<string> = new Set(['make', 'gmake', 'bmake', 'ninja', 'just'])

/** `make SHELL=x` sets what runs every recipe. */
function isSteering(arg: string): boolean {
  const [, name] = /^([A-Za-z_][A-Za-z0-9_]*)[:+?]*=/.exec(arg) ?? []
  return name !== undefined && steers(name)
}

/** Programs that these tables know. */
export function hasExecOptions(name: string): boolean {
  return BY_PROGRAM.has(name)
}

function codeOf(row: ExecOption, args: readonly string[]): RefusalCode | null {
  switch (row.kind) {
    case 'always':
      return row.code
    case 'interpreter':
      if (args.length === 0) return 'piped_program'
      return runsFile(row, args) ? null : 'program_text'
    case 'words':
      if (row.within !== undefined && !args.includes(row.within)) return null
      if (row.unless?.test(args.join(' ')) === true) return null
      return ownArgs(row, args).some((arg, index) =>
        triggers(row, arg, [index, isOption(args[0] ?? '')]),
      )
        ? 'exec_option'
        : null
  }
}

function ownArgs({ passesOn }: Words, args: readonly string[]): readonly string[] {
  const end = passesOn === true ? args.indexOf('--') : -1
  return end === -1 ? args : args.slice(0, end)
}

type Interpreter = Extract<ExecOption, { kind: 'interpreter' }>
type Words = Extract<ExecOption, { kind: 'words' }>

/** What an interpreter runs may turn out to be an option or a module that takes text; the words behind are its script's. */
function hidesProgram(row: Interpreter, given: readonly ShellWord[]): boolean {
  const loud = given.findIndex(({ text }) => row.quiet?.test(text) !== true)
  const [first, second] = given.slice(loud)
  if (first === undefined) return false
  if (!row.modules.includes(first.text)) return first.splits || first.opensDynamic
  return second?.dynamic === true || second?.pattern === true
}

/** An interpreter shows what it runs when that is a file or a module: the rest are its arguments. */
function runsFile(row: Interpreter, given: readonly string[]): boolean {
  const loud = given.findIndex((arg) => row.quiet?.test(arg) !== true)
  const args = loud === -1 ? [] : given.slice(loud)
  const [first, second] = args
  // It reads its program from its input.
  if (first === undefined) return false
  if (!isOption(first)) return !first.startsWith('/dev/') && !first.startsWith('/proc/')
  if (row.modules.includes(first)) return second !== undefined && !TEXT_MODULES.has(second)
  return args.filter(isOption).every((arg) => row.harmless.includes(arg))
}

/** Modules of Python that run their operands as text. */
const TEXT_MODULES: ReadonlySet<string> = new Set([
  'timeit',
  'code',
  'pdb',
  'profile',
  'cProfile',
  ...['asyncio', 'IPython', 'idlelib', 'ptpython'],
])

/** The empty word is no file, a lone dash is standard input. */
function isOption(arg: string): boolean {
  return arg === '' || arg.startsWith('-') || arg.startsWith('+')
}

function triggers(
  row: Words,
  arg: string,
  [index, verbMoves]: readonly [number, boolean],
): boolean {
  if (row.exact?.includes(arg) === true) return true
  if (row.verbs?.includes(arg) === true && (index === 0 || verbMoves)) return true
  if (arg.startsWith('--')) {
    const name = arg.split('=', 1)[0] ?? arg
    // Long options may be abbreviated: `--to-comm` is `--to-command`.
    return name.length > 2 && (row.long ?? []).some((option) => option.startsWith(name))
  }
  // `tar xfI` takes a cluster without a dash in the first place, values apart.
  if (index === 0 && row.programs.includes('tar')) return hasLetter(row.letters ?? '', arg, '')
  return arg.startsWith('-') && hasLetter(row.letters ?? '', arg.slice(1), row.valued ?? '')
}

/** Behind a letter that has a value the rest is that value. */
function hasLetter(letters: string, cluster: string, valued: string): boolean {
  for (const letter of cluster) {
    if (letters.includes(letter)) return true
    if (valued.includes(letter)) return false
  }
  return false
}

/** Where some option would run a command, a word that is filled in later may be that option. */
function mayBeOption(name: string, args: readonly ShellWord[], open: boolean): boolean {
  if (!isRisky(name, args)) return false
  const end = args.findIndex((word) => word.text === '--')
  const front = end === -1 ? args : args.slice(0, end)
  if (open && end === -1) return true
  return front.some((word, index) => {
    if (!isLoose(word)) return false
    return word.splits || word.pattern || !isValueOf(front[index - 1], name)
  })
}

/** A word that can turn out to be an option: filled in, or a pattern that begins with a wildcard. */
function isLoose(word: ShellWord): boolean {
  if (word.opensDynamic || word.splits) return true
  if (!word.pattern) return false
  // What a brace stands for shows at the beginning only where it stands there.
  const texts = word.text.startsWith('{') ? expandBraces(word.text) : [word.text]
  return texts?.some((text) => /^[*?[-]/.test(text)) ?? true
}

function isRisky(name: string, args: readonly ShellWord[]): boolean {
  if (name === 'find' || name === 'fd' || name === 'sed') return true
  const rows = BY_PROGRAM.get(name) ?? []
  const [first] = args
  const verbIsLoose = first === undefined || isLoose(first) || isOption(first.text)
  const isOptional = (row: Words): boolean =>
    row.exact !== undefined || row.long !== undefined || row.letters !== undefined || verbIsLoose
  if (name !== 'git') return rows.some((row) => row.kind === 'words' && isOptional(row))
  return !HARMLESS_GIT.has(args[0]?.text ?? '')
}

function isValueOf(before: ShellWord | undefined, name: string): boolean {
  return before !== undefined && (VALUE_OPTIONS.get(name)?.has(before.text) ?? false)
}

/** Subcommands of git, in the first place, none of whose options run anything. */
const HARMLESS_GIT: ReadonlySet<string> = new Set([
  ...[
    'add',
    'rm',
    'mv',
    'commit',
    'checkout',
    'switch',
    'branch',
    'tag',
    'stash',
    'restore',
    'reset',
  ],
  ...['status', 'rev-parse', 'merge-base', 'describe', 'symbolic-ref', 'cherry-pick', 'revert'],
])

/** Options whose value is the next word whatever it is. */
const VALUE_OPTIONS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'git',
    new Set(['-m', '--message', '-C', '--author', '--date', '--format', '--since', '--until']),
  ],
  [
    'curl',
    new Set([
      '-d',
      '--data',
      '--data-raw',
      '--data-binary',
      '-H',
      '--header',
      '-X',
      '-u',
      '-A',
      '-o',
    ]),
  ],
  [
    'find',
    new Set(['-name', '-iname', '-path', '-type', '-newer', '-maxdepth', '-mindepth', '-mtime']),
  ],
  ['rg', new Set(['-e', '--regexp', '-g', '--glob', '-t'])],
])

const BY_PROGRAM: ReadonlyMap<string, readonly ExecOption[]> = byProgram()

function byProgram(): Map<string, ExecOption[]> {
  const table = new Map<string, ExecOption[]>()
  for (const row of EXEC_OPTIONS) {
    for (const program of row.programs) table.set(program, [...(table.get(program) ?? []), row])
  }
  return table
}
