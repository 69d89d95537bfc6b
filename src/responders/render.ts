/** Turns a request into the lines that a terminal shows (pipeline.md §5, H-10). Pure, no colour. */

import type { ApprovalRequest, ShownPath, UntrustedText } from '../contract/approval.js'

/**
 * What others wrote comes first, every line of it behind a bar, wrapped here and not by the terminal,
 * so that none of it can start a line. The host's own words come last, next to the question.
 */
export function renderRequest(request: ApprovalRequest, columns: number): readonly string[] {
  const frame = (label: string, items: readonly (UntrustedText | null)[]): readonly string[] =>
    items.flatMap((item) => (item === null ? [] : renderText(label, item, columns)))
  return [
    'A tool call asks for permission.',
    ...frame('command', request.commands),
    ...request.paths.flatMap((path) => renderText(pathLabel(path), path, columns)),
    ...frame('host', request.hosts),
    ...frame('text', request.texts),
    ...frame('what the call says for itself', [request.justification]),
    ...frame('rule that asks', [{ author: 'policy', text: request.decidingRule, hidden: 0 }]),
    ...frame('reason of that rule', [request.reason]),
    ...frame('tool', [{ author: 'tool', text: request.tool, hidden: 0 }]),
    '',
    ...renderHostWords(request),
  ]
}

/** The line that asks, without a line end. */
export const QUESTION = 'Type the whole word yes to allow it; anything else denies it: '

function renderHostWords(request: ApprovalRequest): readonly string[] {
  const { sandbox, escalations, warning } = request
  const missing =
    sandbox.missing.length === 0 ? '' : `; not enforced: ${sandbox.missing.join(', ')}`
  return [
    `action:      ${request.action}`,
    `scope:       ${SCOPE_WORDS[request.scope]}`,
    `risk:        ${request.risk}`,
    ...(escalations.length === 0 ? [] : [`escalations: ${escalations.join(', ')}`]),
    `sandbox:     ${sandbox.driver}${missing}`,
    `expires:     ${new Date(request.expiresAt).toISOString()}`,
    `request:     ${request.approvalId}`,
    ...(warning === null ? [] : [`WARNING:     ${warning}`]),
  ]
}

const SCOPE_WORDS: { readonly [S in ApprovalRequest['scope']]: string } = {
  this_call: 'this one call',
}

const AUTHOR_WORDS: { readonly [A in UntrustedText['author']]: string } = {
  model: 'from the model',
  policy: 'from the policy',
  tool: 'from the tool',
}

function pathLabel(path: ShownPath): string {
  return `path to ${path.access}`
}

/** One text of somebody else's: who wrote it, and each of its lines behind a bar. */
export function renderText(label: string, item: UntrustedText, columns: number): readonly string[] {
  const hidden = item.hidden === 0 ? '' : `, ${item.hidden} characters not shown`
  const lines = wrap(item.text, Math.max(MINIMUM_WIDTH, columns - BAR.length - 1))
  return [`${label}, ${AUTHOR_WORDS[item.author]}${hidden}:`, ...lines.map((line) => BAR + line)]
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
