/** The agent loop: the model says what it wants, `run` decides and runs it, the model gets the result. */

import { resultLine } from './report.mjs'

/** Runs the model to its end. Returns every call with its result, in order. */
export async function runAgent({ run, model, print, remedy }) {
  const calls = []
  let reply = model.next()
  while (!reply.done) {
    const { id, says, tool, args } = reply.value
    print(`\nmodel: ${says}`)
    print(`  ${tool} ${JSON.stringify(args)}`)
    const result = await run({ callId: id, tool, args })
    print(`  ${result.status}: ${resultLine(result)}`)
    if (result.reason === 'sandbox_unavailable') print(`  ${remedy}`)
    calls.push({ id, tool, result })
    reply = model.next(result)
  }
  print(`\nmodel: ${reply.value}`)
  return calls
}
