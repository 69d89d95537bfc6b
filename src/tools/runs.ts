/** The needs of a tool that runs shell text, with what the analysis proves of it (rules.md §5). */

import { ConfigError } from '../core/errors.js'
import { Memo } from '../core/memory/memo.js'
import type { CommandAnalysis, Need, Shell } from '../core/need.js'
import { makeLasting } from '../encoding/plain-json.js'
import { analyse } from '../shell/analyse.js'

/**
 * Takes the text of another shell apart: its commands, file operations and hosts. What it finds is met by
 * deny and ask rules and needs capabilities; it proves nothing, so no allow rule covers such text. One that
 * throws denies the call.
 */
export type ShellAnalyzer = (text: string) => CommandAnalysis

/** Where a text runs, and in which shell. */
export interface RunsOptions {
  /** Bash unless stated. Text for another one is never proof for an allow rule. */
  readonly shell?: Shell | undefined
  /** The folder that the text starts in, where the tool moves there from the call's own. */
  readonly cwd?: string | undefined
  /** Reads the text of a shell other than bash; none is built in. */
  readonly analyzer?: ShellAnalyzer | undefined
}

/**
 * The command, and behind it the paths and hosts that its text shows. Those meet deny and ask rules and
 * need capabilities; an allow of the command covers operands and hosts, redirections not. The needs of text
 * for bash are frozen. Options that are no object throw `ConfigError invalid_option`, which denies the call.
 */
export function runs(command: string, options: RunsOptions = {}): Need[] {
  if (Object(options) !== options) {
    // Read as no options, the name of another shell would have its text judged as bash.
    throw new ConfigError('invalid_option', 'the options of `runs` are an object: `{ shell }`')
  }
  const { shell = 'bash', cwd = '', analyzer } = options
  if (shell !== 'bash') return needsOf(command, shell, unsupported(analyzer?.(command)))
  const memo = cwd === '' ? ANALYSED : ANALYSED_ELSEWHERE
  const key = cwd === '' ? command : `${cwd.length}:${cwd}${command}`
  const known = memo.get(key)
  if (known !== undefined) return [...known]
  const analysis = analyse(command, cwd)
  const needs = needsOf(command, shell, analysis)
  // Frozen, so that nobody changes what the next call of the same text is told.
  const isPlain = [analysis, ...needs].every(makeLasting)
  if (isPlain && key.length <= LONGEST_KEPT) memo.set(key, needs)
  return [...needs]
}

function unsupported(found: CommandAnalysis = { commands: [], refusals: [] }): CommandAnalysis {
  return { ...found, refusals: [{ code: 'unsupported_shell', at: 0 }, ...found.refusals] }
}

/** Agents run the same few commands over and over, and a text always means the same. */
const ANALYSED = new Memo<readonly Need[]>(256)
/** The folder stands behind its length, so no command can pretend to be one. */
const ANALYSED_ELSEWHERE = new Memo<readonly Need[]>(64)
const LONGEST_KEPT = 1024

function needsOf(command: string, shell: Shell, analysis: CommandAnalysis): Need[] {
  const paths = (analysis.operations ?? []).map(({ access, path, ...derived }): Need => {
    return { kind: 'path', access, path, derived }
  })
  const hosts = (analysis.hosts ?? []).map((host): Need => ({
    kind: 'host',
    ...host,
    derived: true,
  }))
  return [{ kind: 'command', command, shell, analysis }, ...paths, ...hosts]
}
