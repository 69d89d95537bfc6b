/** Asks the person at the controlling terminal (pipeline.md §5). */

import type { Answer, ApprovalRequest, Responder } from '../contract/approval.js'
import type { Terminal } from '../platform/terminal.js'
import { loadWords } from '../words/speak.js'
import { questionOf, renderRequest, typedYes } from './render.js'

/**
 * A human responder. Only the whole word `yes`, or that of the question's language, typed after the
 * question, allows, and with the id of an offer behind it remembers that; an empty line, anything else,
 * end of file and an abort deny. Rejects when there is no terminal. Asks one thing at a time, in order.
 */
export function askAtTerminal(openTerminal: () => Terminal): Responder {
  let last: Promise<unknown> = Promise.resolve()
  return Object.freeze({
    kind: 'human' as const,
    ask(request: ApprovalRequest, signal: AbortSignal): Promise<Answer> {
      const turn = last
      const answer = settledOrAborted(turn, signal).then(() =>
        askOne(openTerminal, request, signal),
      )
      // A question that failed or was withdrawn must not let the next one start early, or never.
      last = Promise.allSettled([turn, answer])
      return answer
    },
  })
}

function settledOrAborted(turn: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      resolve()
    }
    signal.addEventListener('abort', go, { once: true })
    if (signal.aborted) go()
    void turn.then(go, go)
  })
}

async function askOne(
  openTerminal: () => Terminal,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<Answer> {
  if (signal.aborted) return NO
  const terminal = openTerminal()
  try {
    return await converse(terminal, request, signal)
  } finally {
    terminal.close()
  }
}

async function converse(
  terminal: Terminal,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<Answer> {
  await loadWords(request.language)
  terminal.write(`\n${renderRequest(request, terminal.columns).join('\n')}\n`)
  // What was typed before the question could be read is no answer to it.
  await terminal.drain(signal)
  terminal.write(questionOf(request))
  const line = await terminal.readLine(signal)
  if (line === null) terminal.write('\n')
  return (line === null ? null : typedYes(request, line)) ?? NO
}

const NO: Answer = Object.freeze({ answer: 'reject' })
