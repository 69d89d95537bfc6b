/**
 * What a bash text would run, touch and reach (rules.md §5). Allow needs proof: without refusals the
 * commands are all that bash would run. Deny needs only suspicion: they are told as well as can be.
 */

import type { CommandAnalysis, RefusalCode } from '../core/need.js'
import type { Context } from './context.js'
import { Findings, SHELL_LIMITS } from './findings.js'
import { Folders } from './folders.js'
import { utf8Length, visibleText } from './guard/text.js'
import { Variables } from './guard/variables.js'
import { unfoldText } from './unfold/text.js'

/** Analyses a text that starts in a folder, the call's own unless one is given; pure, and bounded for every text. */
export function analyse(text: string, folder = ''): CommandAnalysis {
  const findings = new Findings()
  if (text.length > SHELL_LIMITS.read) {
    findings.refuse('unread', 0)
    return findings.analysis()
  }
  if (utf8Length(text) > SHELL_LIMITS.bytes) findings.refuse('oversize', 0)
  const start = startAt(folder)
  unfoldText(text, outermost(text, { findings, start }))
  const suspicion = { ...outermost(text, { findings, start }), at: 0, suspected: true }
  const visible = visibleText(text)
  if (visible !== text) unfoldText(visible, suspicion)
  if (LOSSY.some((code) => findings.isRefused(code)) && !findings.isRefused('unread')) {
    splitRoughly(visible, findings)
  }
  return isOwn(folder) ? findings.analysis() : { ...findings.analysis(), folder }
}

function isOwn(folder: string): boolean {
  return folder === '' || folder === '.' || folder === './'
}

/** What names this folder where paths are read: a tilde or a variable of it is no shell's to fill in. */
function startAt(folder: string): string {
  return /^[~$]/.test(folder) ? `./${folder}` : folder
}

interface Start {
  readonly findings: Findings
  readonly start: string
}

function outermost(source: string, { findings, start }: Start): Context {
  return {
    findings,
    folders: new Folders([start]),
    variables: new Variables(),
    source,
    at: null,
    depth: 0,
    via: [],
    suspected: false,
    again: false,
    piped: 'nothing',
    feed: [],
    unfoldText,
  }
}

/** Where bash and the parser may differ about what the commands are. */
const LOSSY: readonly RefusalCode[] = [
  ...(['syntax', 'array_tail', 'hidden_opener', 'extglob', 'ansi_c', 'open_heredoc'] as const),
  'heredoc_line',
]

/** Bash runs the lines before a fault, and a parser may lose what stands behind one. */
function splitRoughly(text: string, findings: Findings): void {
  for (const piece of text.split(/[;&|\n(){}`]+/)) {
    const argv = piece
      .replace(/["'\\]/g, '')
      .split(/[ \t<>]+/)
      .filter((word) => word !== '')
    if (argv.length > 0) findings.command({ argv, role: 'suspected' })
  }
}
