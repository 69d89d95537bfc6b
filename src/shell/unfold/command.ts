/** One simple command: told, guarded, unwrapped, and asked what it touches (rules.md §5). */

import { TRUSTED_LOCATIONS, TRUSTED_STORE } from '../../lists/program-locations.js'
import type { RefusalCode, SimpleCommand } from '../../core/need.js'
import { refuse, subshell, type Context } from '../context.js'
import { SHELL_LIMITS } from '../findings.js'
import { isAnchored } from '../folders.js'
import { guardBuiltin } from '../guard/builtin.js'
import { Variables } from '../guard/variables.js'
import { recordArguments } from '../operations/arguments.js'
import { expandBraces, released } from '../operations/braces.js'
import { recordFiles } from '../operations/files.js'
import { isNetworkProgram, recordHosts } from '../operations/hosts.js'
import { recordNamedHosts } from '../operations/named-hosts.js'
import { withoutGlobals } from '../programs/globals.js'
import { hazardOf } from '../programs/hazards.js'
import { carriesCommand, isKnown } from '../programs/known.js'
import { programName } from '../programs/name.js'
import { unseen } from '../programs/unseen.js'
import type { Inner, Unwrapped } from '../wrappers/unwrapped.js'
import { BASH_LIKE } from '../wrappers/table.js'
import { unwrap } from '../wrappers/unwrap.js'
import { changeFolder } from './change-folder.js'
import { suspectTexts, suspectWords } from './suspect.js'
import { fixedWord, type ShellWord } from './word.js'

/** The parts of a simple command as its text has them. */
export interface RawCommand {
  readonly words: readonly ShellWord[]
  readonly assigns: readonly string[]
  readonly redirects: readonly string[]
  /** The text on its standard input. */
  readonly input: ShellWord | null
  /** More operands follow that nobody knows. */
  readonly open?: boolean | undefined
  readonly at: number
}

/** Adds a command to the findings, with everything that it runs. */
export function runCommand(raw: RawCommand, context: Context): void {
  const { words, at, input } = raw
  const [program] = words
  if (program === undefined) {
    if (raw.assigns.length + raw.redirects.length > 0) tell(raw, null, context)
    return
  }
  if (context.via.length > SHELL_LIMITS.wrappers) return refuse(context, 'unread', at)
  suspectBraces(raw, context)
  const unwrapped = unwrap(words, input)
  tell(raw, unwrapped, context)
  for (const code of faults(raw, unwrapped)) {
    refuse(context, code, at)
    if (context.again) continue
    if (SUSPICIOUS.has(code)) suspectWords(words, via(program, context))
    if (FED.has(code)) suspectTexts([...context.feed, input?.text ?? ''], at, via(program, context))
  }
  feedDownstream(raw, context)
  recordFiles(words, raw.open === true, context)
  recordArguments(ownWords(words, unwrapped), context)
  // A runner of packages may load one that the words behind it name.
  const runsOther = unwrapped !== null && unwrapped.runs.length > 0
  const isApart = runsOther && !isNetworkProgram(programName(program.text))
  recordNamedHosts([...(isApart ? [program] : words), ...assigned(raw)], context)
  recordHosts(words, context)
  const hazard = hazardOf(words, context.piped)
  if (hazard !== null) context.findings.hazard(hazard)
  changeFolder(words, context)
  for (const inner of unwrapped?.runs ?? []) run(inner, raw, via(program, context))
}

/** The words of a wrapper itself: what stands behind them is of the command that it runs. */
function ownWords(words: readonly ShellWord[], unwrapped: Unwrapped | null): readonly ShellWord[] {
  const runs = unwrapped?.runs ?? []
  const texts = runs.flatMap((inner) => (inner.kind === 'text' ? [inner.text] : []))
  const inner = new Set(runs.flatMap((one) => (one.kind === 'words' ? one.words : [])))
  const joined = texts.length === 0 ? -1 : firstOf(words, texts)
  const front = joined === -1 ? words : words.slice(0, joined)
  return front.filter((word) => !inner.has(word) && !texts.includes(word.text))
}

/** Where the words begin that together, up to the last one, are one of the texts; -1 where none are. */
function firstOf(words: readonly ShellWord[], texts: readonly string[]): number {
  const whole = words.map(({ text }) => text).join(' ')
  const starts = new Set(
    texts.filter((text) => whole.endsWith(text)).map((text) => whole.length - text.length),
  )
  let at = 0
  return words.findIndex(({ text }) => {
    const isStart = starts.has(at)
    at += text.length + 1
    return isStart
  })
}

function assigned({ assigns, at }: RawCommand): readonly ShellWord[] {
  return assigns.map((text) => fixedWord(text, at))
}

/** That braces may stand for in one command; past it every deny and ask counts. */
const MOST_WORDS = 4096

/** Bash fills in braces before anything else: `git {push,x}` is `git push x`. */
function suspectBraces(raw: RawCommand, context: Context): void {
  if (!raw.words.some(({ pattern, text }) => pattern && text.includes('{'))) return
  const words: ShellWord[] = []
  for (const word of raw.words) {
    const more = withoutBraces(word, context)
    if (more === null || words.length > MOST_WORDS) return refuse(context, 'unread', word.at)
    words.push(...more)
  }
  if (words.every(({ text }, index) => text === raw.words[index]?.text)) return
  const filled = { ...raw, words }
  // An option that runs something may be one of them.
  for (const code of faults(filled, unwrap(words, raw.input))) refuse(context, code, raw.at)
  runCommand(filled, { ...subshell(context), suspected: true })
}

/** The words that one stands for; `null` for more than is read. */
function withoutBraces(word: ShellWord, { findings }: Context): readonly ShellWord[] | null {
  if (!word.pattern || !word.text.includes('{')) return [word]
  const texts = expandBraces(word.text)
  const paths = word.path === word.text ? texts : expandBraces(word.path)
  if (texts === null || paths === null) return null
  if (!findings.spend(texts.length * word.text.length)) return null
  return texts.map((text, index) => {
    return { ...word, text, path: paths[index] ?? text, pattern: /[*?[]/.test(text) }
  })
}

/** What may hide a command in its words. */
const SUSPICIOUS: ReadonlySet<RefusalCode> = new Set([
  ...(['wrapper_option', 'exec_option', 'unanalysed', 'dynamic_program', 'shadowing'] as const),
  ...(['evaluated_operand', 'unsupported_shell', 'syntax', 'piped_program'] as const),
])

/** What runs its standard input, or may. */
const FED: ReadonlySet<RefusalCode> = new Set([
  ...([
    'piped_program',
    'sourced_file',
    'wrapper_option',
    'unanalysed',
    'dynamic_program',
  ] as const),
])

/** What a command prints of its own words, or passes on of its input. */
function feedDownstream({ words, input }: RawCommand, { feed }: Context): void {
  const [program, ...args] = words
  if (input !== null) feed.push(input.text)
  if (program?.text !== 'echo' && program?.text !== 'printf') return
  feed.push(args.map((word) => word.text).join(' '), ...args.map((word) => word.text))
}

function via(program: ShellWord, context: Context): Context {
  return { ...context, via: [...context.via, programName(program.text)] }
}

function tell(raw: RawCommand, unwrapped: Unwrapped | null, context: Context): void {
  if (context.again) return
  const { words, redirects, assigns } = raw
  const argv = words.map((word) => released(word.text))
  const dynamic = words.flatMap((word, index) => (word.dynamic ? [index] : []))
  const short = withoutGlobals(words)?.map(released) ?? null
  const role = context.suspected
    ? 'suspected'
    : isTransparent(words[0], unwrapped)
      ? 'transparent'
      : undefined
  const command: SimpleCommand = {
    argv,
    ...(dynamic.length > 0 ? { dynamic } : {}),
    ...(raw.open === true ? { open: true } : {}),
    ...(redirects.length > 0 ? { redirects } : {}),
    ...(assigns.length > 0 ? { assigns } : {}),
    ...(context.via.length > 0 ? { via: context.via } : {}),
    ...(role === undefined ? {} : { role }),
    ...(short === null ? {} : { short }),
    ...(isRelative(argv[0] ?? '') && hasMoved(context) ? { from: context.folders.current } : {}),
    ...(argv[0] === undefined || (isKnown(argv[0]) && !carriesCommand(argv))
      ? {}
      : { unknown: true }),
  }
  context.findings.command(command)
}

function isRelative(program: string): boolean {
  return program.includes('/') && !isAnchored(program)
}

function hasMoved({ folders: { current } }: Context): boolean {
  return current?.length !== 1 || current[0] !== ''
}

/** A wrapper that is what its name says, and that runs something which an allow covers instead. */
function isTransparent(program: ShellWord | undefined, unwrapped: Unwrapped | null): boolean {
  if (program === undefined || unwrapped === null || !unwrapped.transparent) return false
  if (unwrapped.runs.length === 0) return false
  const { text } = program
  const slash = text.lastIndexOf('/')
  if (slash === -1) return text === programName(text)
  return (
    TRUSTED_LOCATIONS.includes(text.slice(0, slash)) ||
    (TRUSTED_STORE.test(text) && !text.includes('/..'))
  )
}

function faults({ words, open }: RawCommand, unwrapped: Unwrapped | null): readonly RefusalCode[] {
  const [program] = words
  const text = program?.text ?? ''
  if (program?.dynamic === true || program?.pattern === true || text.startsWith('~'))
    return ['dynamic_program']
  // `%1` resumes a job instead of running a program; `bash -c -x` takes the text for an option.
  if (text === '' || /^[-+%]/.test(text)) return ['unanalysed']
  if (unwrapped !== null) {
    return open === true && isOpenEnded(text, unwrapped)
      ? [...unwrapped.refusals, 'dynamic_program']
      : unwrapped.refusals
  }
  return [guardBuiltin(text, words), unseen(words, open === true)].filter((code) => code !== null)
}

/** What follows would be the command, or part of its text; behind `sh -c text` it is arguments. */
function isOpenEnded(program: string, { runs }: Unwrapped): boolean {
  return (
    runs.length === 0 ||
    (runs.some(({ kind }) => kind === 'text') && !BASH_LIKE.has(programName(program)))
  )
}

function run(inner: Inner, { input, at, open: follows }: RawCommand, context: Context): void {
  if (inner.kind === 'words') {
    const { words, folder } = inner
    const open = inner.open === true || follows === true
    const raw: RawCommand = { words, input, at, open, assigns: [], redirects: [] }
    if (folder === undefined) return runCommand(raw, context)
    const moved = subshell(context)
    moved.folders.enter(folder === null || folder.pathUnknown ? null : folder.path)
    return runCommand(raw, moved)
  }
  const { text, sameShell, suspected } = inner
  const own = sameShell === true ? context : { ...subshell(context), variables: new Variables() }
  const frame = { at: context.at ?? at, depth: context.depth + 1 }
  context.unfoldText(text, { ...own, ...frame, suspected: context.suspected || suspected === true })
}
