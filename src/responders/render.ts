/** Turns a request into the lines that a terminal shows (pipeline.md §5, H-10). Pure, no colour. */

import type { Answer, ApprovalRequest, UntrustedText } from '../contract/approval.js'
import { wordsIn } from '../words/speak.js'
import type { Words } from '../words/words.js'

/**
 * What others wrote comes first, every line of it behind a bar, wrapped here and not by the terminal,
 * so that none of it can start a line. The host's own words come last, next to the question.
 */
export function renderRequest(request: ApprovalRequest, columns: number): readonly string[] {
  const words = wordsIn(request.language)
  const { opening, subjects, rule, reason, tool } = words.prompt
  const frame = (label: string, items: readonly (UntrustedText | null)[]): readonly string[] =>
    items.flatMap((item) => (item === null ? [] : renderText(words, { label, item, columns })))
  return [
    opening,
    ...frame(subjects.command, request.commands),
    ...request.paths.flatMap((path) => frame(subjects[path.access], [path])),
    ...frame(subjects.host, request.hosts),
    ...frame(subjects.text, request.texts),
    ...frame(subjects.justification, [request.justification]),
    ...frame(rule, [{ author: 'policy', text: request.decidingRule, hidden: 0 }]),
    ...frame(reason, [request.reason]),
    ...frame(tool, [{ author: 'tool', text: request.tool, hidden: 0 }]),
    ...request.proposals.flatMap(({ id, entries }) => frame(words.prompt.offered(id), entries)),
    '',
    ...renderHostWords(words, request),
  ]
}

/** The line that asks, without a line end. */
export function questionOf({ language, proposals }: ApprovalRequest): string {
  const { prompt, comma } = wordsIn(language)
  if (proposals.length === 0) return prompt.question
  return prompt.questionOffering(proposals.map(({ id }) => `yes ${id}`).join(comma))
}

/**
 * The yes that was typed, if it is one: the whole word, in the language of the question or in English, and
 * behind it the id of what is to be remembered.
 */
export function typedYes({ language, proposals }: ApprovalRequest, line: string): Answer | null {
  // A terminal may send an accent as a character of its own.
  const [yes, remember, ...rest] = line
    .trim()
    .normalize('NFC')
    .split(/[ \t]+/)
  const isYes = yes === wordsIn('en').prompt.yes || yes === wordsIn(language).prompt.yes
  if (!isYes || rest.length > 0) return null
  if (remember === undefined) return { answer: 'approve' }
  return proposals.some(({ id }) => id === remember) ? { answer: 'approve', remember } : null
}

function renderHostWords({ prompt, comma }: Words, request: ApprovalRequest): readonly string[] {
  const { sandbox, escalations, warning } = request
  const { labels, notEnforced, thisCall } = prompt
  const missing = sandbox.missing.length === 0 ? '' : notEnforced + sandbox.missing.join(comma)
  const scopes: { readonly [S in ApprovalRequest['scope']]: string } = { this_call: thisCall }
  return [
    labels.action + request.action,
    labels.scope + scopes[request.scope],
    labels.risk + request.risk,
    ...(escalations.length === 0 ? [] : [labels.escalations + escalations.join(comma)]),
    labels.sandbox + sandbox.driver + missing,
    labels.expires + new Date(request.expiresAt).toISOString(),
    labels.request + request.approvalId,
    ...(warning === null ? [] : [labels.warning + warning]),
  ]
}

/** A text with its label, and how wide the terminal is. */
export interface Framed {
  readonly label: string
  readonly item: UntrustedText
  readonly columns: number
}

/** One text of somebody else's: who wrote it, and each of its lines behind a bar. */
export function renderText(
  { prompt, comma }: Words,
  { label, item, columns }: Framed,
): readonly string[] {
  const hidden = item.hidden === 0 ? '' : prompt.hidden(item.hidden)
  const lines = wrap(item.text, Math.max(MINIMUM_WIDTH, columns - BAR.length - 1))
  return [
    `${label}${comma}${prompt.authors[item.author]}${hidden}:`,
    ...lines.map((line) => BAR + line),
  ]
}

const BAR = '  | '
const MINIMUM_WIDTH = 16

/** Cuts by columns, not by words; other scripts count double, so a line is never wider than planned. */
function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const character of text) {
    const cost = character > '~' ? 2 : 1
    if (used + cost > width) {
      lines.push(line)
      line = ''
      used = 0
    }
    line += character
    used += cost
  }
  return [...lines, line]
}
