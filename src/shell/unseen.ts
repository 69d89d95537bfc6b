/** Whether a simple command runs more than its words show (rules.md §5 items 1 and 3). */

import { WRAPPERS, type Wrapper } from './wrappers.js'

/** True for wrappers, interpreters with program text, and options that run a command. */
export function runsUnseen(argv: readonly string[]): boolean {
  const program = programName(argv[0] ?? '')
  if (program === '') return true
  return (BY_PROGRAM.get(program) ?? []).some((wrapper) => applies(wrapper, argv.slice(1)))
}

/** The name that tables know: no folder, no version, no `.exe`, no capitals. */
function programName(word: string): string {
  const base = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1)
  const plain = base.toLowerCase().replace(/\.exe$/, '')
  if (BY_PROGRAM.has(plain)) return plain
  const unversioned = withoutVersion(plain)
  return BY_PROGRAM.has(unversioned) ? unversioned : plain
}

function withoutVersion(name: string): string {
  let end = name.length
  while (end > 0 && '-.0123456789'.includes(name.charAt(end - 1))) end -= 1
  return name.slice(0, end)
}

function applies(wrapper: Wrapper, args: readonly string[]): boolean {
  switch (wrapper.kind) {
    case 'always':
      return true
    case 'interpreter':
      return !runsFile(wrapper, args)
    case 'words':
      if (wrapper.within !== undefined && !args.includes(wrapper.within)) return false
      return args.some((arg, index) => triggers(wrapper, arg, index))
  }
}

type Interpreter = Extract<Wrapper, { kind: 'interpreter' }>
type Words = Extract<Wrapper, { kind: 'words' }>

/** An interpreter shows what it runs when that is a file or a module: the rest are its arguments. */
function runsFile(wrapper: Interpreter, args: readonly string[]): boolean {
  const [first, second] = args
  if (first === undefined) return false
  if (!isOption(first)) return true
  if (wrapper.modules.includes(first)) return second !== undefined
  return args.filter(isOption).every((arg) => wrapper.harmless.includes(arg))
}

/** Shells take `+x` as well. The empty word is no file. */
function isOption(arg: string): boolean {
  return arg === '' || arg.startsWith('-') || arg.startsWith('+')
}

function triggers(wrapper: Words, arg: string, index: number): boolean {
  if (wrapper.exact?.includes(arg)) return true
  if (arg.startsWith('--')) {
    const name = arg.split('=', 1)[0] ?? arg
    // Long options may be abbreviated: `--to-comm` is `--to-command`.
    return name.length > 2 && (wrapper.long ?? []).some((option) => option.startsWith(name))
  }
  // `tar xfI` takes a cluster without a dash in the first place.
  const clustered = arg.startsWith('-') || (index === 0 && wrapper.programs.includes('tar'))
  return clustered && [...(wrapper.letters ?? '')].some((letter) => arg.includes(letter))
}

const BY_PROGRAM: ReadonlyMap<string, readonly Wrapper[]> = byProgram()

function byProgram(): Map<string, Wrapper[]> {
  const table = new Map<string, Wrapper[]>()
  for (const wrapper of WRAPPERS) {
    for (const program of wrapper.programs) {
      table.set(program, [...(table.get(program) ?? []), wrapper])
    }
  }
  return table
}
