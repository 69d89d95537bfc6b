/** Words of a program that no table of files speaks for: what reads as a path, the program may read (rules.md §5). */

import type { Context } from '../context.js'
import { isAnchored } from '../folders.js'
import { withoutGlobals } from '../programs/globals.js'
import { programName } from '../programs/name.js'
import { fixedWord, type ShellWord } from '../unfold/word.js'
import { isFileProgram } from './files.js'
import { record } from './record.js'
import { isSpecialFileProgram } from './special-files.js'

/** Notes the paths among these words for deny and ask rules; no allow has to cover them. */
export function recordArguments(words: readonly ShellWord[], context: Context): void {
  const [program, ...args] = words
  const name = programName(program?.text ?? '')
  if (isFileProgram(name) || NAMES_ONLY.has(name)) return
  if (isSpecialFileProgram(name) && name !== 'git') return
  if (name === 'git' && LISTING_VERBS.has(verbOf(words))) return
  const folders = [...new Set(args.flatMap((word, index) => folderOf(word, args[index + 1])))]
  for (const word of distinct(CONTAINERS.has(name) ? args.flatMap(hostSide) : args)) {
    for (const piece of pathsIn(word)) recordBelow(folders, piece, context)
    // Every deny and ask rule counts then, whatever else is told.
    if (context.findings.isRefused('unread')) return
  }
}

function recordBelow(folders: readonly string[], word: ShellWord, context: Context): void {
  const below = isAnchored(word.path) ? [] : folders.map((folder) => `${folder}/${word.path}`)
  for (const path of [word.path, ...below])
    record(context, { access: 'read', word: { ...word, path }, origin: 'argument' })
}

/** Words that are written alike are told once. */
function distinct(words: readonly ShellWord[]): readonly ShellWord[] {
  const byText = new Map(
    words.map((word) => [`${String(word.pattern)} ${word.path} ${word.text}`, word]),
  )
  return [...byText.values()]
}

/** The subcommand, behind options that stand before it: elsewhere the word may be a branch or a file. */
function verbOf(words: readonly ShellWord[]): string {
  return (withoutGlobals(words) ?? words.map(({ text }) => text))[1] ?? ''
}

/** Each piece of a word that reads as a path: a value behind `=`, `@` or `:`, or glued to a letter. */
function pathsIn(word: ShellWord): readonly ShellWord[] {
  const { text } = word
  if (!/[./]/.test(text) || word.pathUnknown || text.includes('://')) return []
  const whole = readsAsPath(text) && !text.startsWith('-') ? [word] : []
  if (/\s/.test(text)) return whole
  const glued = /^-[A-Za-z](.+)$/.exec(text)?.[1]
  const split = text.split(/[=@:,]/)
  const pieces = new Set([
    ...(split.length > 1 ? split : []),
    ...(glued === undefined ? [] : [glued]),
  ])
  return [
    ...whole,
    ...[...pieces]
      .filter((piece) => !piece.startsWith('-') && readsAsPath(piece))
      .map((piece) => ({ ...fixedWord(piece, word.at), path: piece, pattern: word.pattern })),
  ]
}

/** Of `host:container` the first is a path here; a folder to work in is there. */
function hostSide(
  word: ShellWord,
  index: number,
  args: readonly ShellWord[],
): readonly ShellWord[] {
  if (/^(?:-w|--workdir)$/.test(args[index - 1]?.text ?? '')) return []
  const [text = ''] = word.text.split(':', 1)
  const [path = ''] = word.path.split(':', 1)
  return [{ ...word, text, path }]
}

function folderOf({ text }: ShellWord, next: ShellWord | undefined): readonly string[] {
  if (FOLDER_OPTIONS.has(text)) return next === undefined || next.pathUnknown ? [] : [next.path]
  const [option = '', value] = text.split('=', 2)
  return value !== undefined && FOLDER_OPTIONS.has(option) ? [value] : []
}

/** With a separator, a leading dot or an ending; a sentence, a version and a lone word may be anything. */
function readsAsPath(text: string): boolean {
  if (text.length > LONGEST) return false
  if (/\s/.test(text)) return /^(?:\.{0,2}|~)\//.test(text) && !/[\r\n]/.test(text)
  if (/^[v^~<>]*\d[\d.]*$/.test(text)) return false
  return text.includes('/') || /^\.[^.]/.test(text) || /[^.]\.[A-Za-z0-9_-]{1,16}$/.test(text)
}

const LONGEST = 1024
const FOLDER_OPTIONS: ReadonlySet<string> = new Set([
  ...['-C', '--directory', '--cwd', '--prefix', '--dir', '--work-tree', '--project-directory'],
])

/** Programs whose words are text, or names that are looked up and not opened. */
export const NAMES_ONLY: ReadonlySet<string> = new Set([
  ...['echo', 'printf', 'test', '[', ':', 'true', 'false', 'cd', 'pushd', 'popd', 'dirs', 'pwd'],
  ...['exit', 'return', 'type', 'which', 'whereis', 'hash', 'command', 'builtin', 'help', 'man'],
  ...['kill', 'pkill', 'killall', 'pgrep', 'ps', 'sleep', 'expr', 'seq', 'tr', 'yes', 'tput'],
  ...['basename', 'dirname', 'mktemp', 'export', 'declare', 'typeset', 'local', 'readonly'],
  ...['unset', 'set', 'shopt', 'read', 'alias', 'trap', 'locate', 'fd', 'fdfind', 'printenv'],
])
const CONTAINERS: ReadonlySet<string> = new Set([
  ...['docker', 'docker-compose', 'podman', 'nerdctl'],
])
/** Subcommands of git that tell names alone. */
const LISTING_VERBS: ReadonlySet<string> = new Set(['check-ignore', 'ls-files', 'status'])
