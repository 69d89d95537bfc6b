/**
 * What a bash text would run (rules.md §5). This version proves exactly one plain simple command made
 * of plain words; every other text is refused, and its commands are told as well as can be, for deny and
 * ask rules alone.
 */

import type { CommandAnalysis, Refusal, RefusalCode, SimpleCommand } from '../core/need.js'
import { scan, type Word } from './scan.js'
import { runsUnseen } from './unseen.js'
import { RESERVED_WORDS } from './wrappers.js'

/** Limits of proof. Past one the text is refused as `oversize`, never read more kindly. */
export const SHELL_LIMITS: {
  readonly bytes: number
  readonly commands: number
  readonly depth: number
  /** How many tails of a wrapper's words are told as commands of their own. */
  readonly tails: number
  /** UTF-16 units that are looked at, nested texts included. */
  readonly work: number
} = { bytes: 16 * 1024, commands: 1000, depth: 4, tails: 32, work: 128 * 1024 }

/** Analyses a text. Without refusals `commands` holds exactly the one argv that bash would run. */
export function analyse(text: string): CommandAnalysis {
  const found: Found = { commands: [], refusals: [], work: 0 }
  const bytes = utf8Length(text)
  if (bytes > SHELL_LIMITS.bytes) refuse(found, 'oversize', 0)
  collect(text, found, 0)
  if (found.refusals.length === 0 && found.commands.length === 0) refuse(found, 'empty', 0)
  if (found.refusals.length === 0 && found.commands.length > 1) refuse(found, 'compound', 0)
  return { commands: found.commands, refusals: found.refusals }
}

interface Found {
  readonly commands: SimpleCommand[]
  readonly refusals: Refusal[]
  work: number
}

function refuse(found: Found, code: RefusalCode, at: number): void {
  if (!found.refusals.some((refusal) => refusal.code === code)) found.refusals.push({ code, at })
}

function collect(text: string, found: Found, depth: number): void {
  found.work += text.length
  if (found.work > SHELL_LIMITS.work || depth > SHELL_LIMITS.depth) {
    return refuse(found, 'oversize', 0)
  }
  const { commands, refusals, nested } = scan(text, SHELL_LIMITS.commands)
  if (commands.length > SHELL_LIMITS.commands) refuse(found, 'oversize', 0)
  for (const { code, at } of refusals) refuse(found, code, depth === 0 ? at : 0)
  for (const words of commands) collectCommand(words, found, depth)
  for (const inner of nested) collect(inner, found, depth + 1)
}

/** One command as bash would see it: without reserved words and assignments, each of which refuses. */
function collectCommand(words: readonly Word[], found: Found, depth: number): void {
  const start = words.findIndex(({ text, at }) => !isPrelude(text, at, found))
  if (start === -1) return
  const rest = words.slice(start)
  const argv = rest.map((word) => word.text)
  const at = rest[0]?.at ?? 0
  add(found, argv)
  if (argv[0] === '') refuse(found, 'empty', at)
  // `%1` resumes a job instead of running a program; `bash -c -x` takes the text for an option.
  if (/^[-+%]/.test(argv[0] ?? '')) refuse(found, 'unanalysed', at)
  if (!runsUnseen(argv)) return
  refuse(found, 'unanalysed', at)
  collectTails(argv, found, depth)
}

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*(?:\[.*\])?\+?=/s

function isPrelude(word: string, at: number, found: Found): boolean {
  if (RESERVED_WORDS.has(word)) {
    refuse(found, 'compound', at)
    return true
  }
  if (!ASSIGNMENT.test(word)) return false
  refuse(found, 'assignment', at)
  return true
}

/** What a wrapper may run: every tail of its words, and every word that is a text of its own. */
function collectTails(argv: readonly string[], found: Found, depth: number): void {
  if (argv.length > SHELL_LIMITS.tails) refuse(found, 'oversize', 0)
  for (let start = 1; start < Math.min(argv.length, SHELL_LIMITS.tails); start += 1) {
    add(found, argv.slice(start))
  }
  for (const word of argv.slice(1)) {
    if (/[\s;&|()`$]/.test(word)) collect(word, found, depth + 1)
  }
}

function add(found: Found, argv: readonly string[]): void {
  if (found.commands.length >= SHELL_LIMITS.commands) return refuse(found, 'oversize', 0)
  found.commands.push({ argv })
}

/** Bytes as bash counts them. */
function utf8Length(text: string): number {
  let bytes = 0
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : unit >= 0xd800 && unit < 0xe000 ? 2 : 3
  }
  return bytes
}
