/**
 * The demonstration (`npm run demo`): an agent loop with a scripted model and a real sandbox. It prints
 * what each layer said of each call, walks each trace back, and fails if anything is not as stated.
 */

import { createSixgate, jsonlStore } from 'sixgate'
import { createNativeSandbox } from 'sixgate/sandbox'
import { bash, edit, ls, read, search, webFetch, write } from 'sixgate/tools'
import { runAgent } from './agent.mjs'
import { ensureBubblewrap } from './bubblewrap.mjs'
import { effectClaims, endOf, expectedEnds } from './claims.mjs'
import { readRun, stepKinds, unenforced, walkBack } from './ledger.mjs'
import { openListener } from './listener.mjs'
import { scriptedModel } from './model.mjs'
import { demoPolicy } from './policy.mjs'
import { makeProject } from './project.mjs'
import { pathLines, walkLines } from './report.mjs'
import { demoResponder } from './responder.mjs'

const print = (line) => console.log(line)
const failures = []
const claim = (text, holds) => holds || failures.push(text)

ensureBubblewrap(print)
const sandbox = createNativeSandbox()
const probe = await sandbox.probe()
const isReady = probe.status === 'ready'
print(isReady ? `sandbox: ${sandbox.name}` : `no sandbox: ${probe.cause}; ${probe.remedy}`)

const project = makeProject()
const listener = await openListener()
const sixgate = createSixgate({
  policy: demoPolicy(),
  workspace: project.workspace,
  tools: [bash, edit, ls, read, search, webFetch, write],
  sandbox,
  responder: demoResponder(print),
  store: jsonlStore(project.ledger),
})
const answers = []
let asked = 0
sixgate.on('ask', () => (asked += 1))
sixgate.on('answer', ({ answer }) => answers.push(answer.answer))

const session = await sixgate.session({ task: 'make the tests pass' })
const model = scriptedModel(listener)
const calls = await runAgent({ session, model, print, remedy: probe.remedy })
const chains = new Map()
for (const { id } of calls) chains.set(id, await session.chain(id))
await session.close()
await sixgate[Symbol.asyncDispose]()
listener.close()

print('\n== The path of every call through the six layers')
for (const { id, tool } of calls) {
  print(`\n${id} (${tool})`)
  for (const line of pathLines(chains.get(id))) print(`  ${line}`)
}

print('\n== Every trace, read from disk and walked back from its terminal event by parent_id')
const run = readRun(project.ledger)
const isApproved = answers[0] === 'approve'
const expected = expectedEnds({ isReady, isApproved })
for (const { id } of calls) {
  const walk = walkBack(run, id)
  print(`\n${id}`)
  for (const line of walkLines(walk)) print(`  ${line}`)
  const ids = (chain) => chain.map(({ node_id }) => node_id).join()
  const steps = walk.event.event === 'denied' ? '' : 'intent,step_result'
  claim(`${id} ends in \`${expected[id]}\``, endOf(walk) === expected[id])
  claim(`${id}: \`chain\` gives what is on disk`, ids(walk.chain) === ids(chains.get(id)))
  claim(`${id} has the records \`${steps}\``, stepKinds(run, id) === steps)
}

print('\n== What the sandbox of this version lacks, as the record of each sandboxed call says')
for (const name of unenforced(run)) print(`  ${name}: ${probe.guarantees[name].cause}`)
if (!isReady) print(`  everything, so no command ran: ${probe.remedy}`)

print('\n== What the host sees')
const results = new Map(calls.map(({ id, result }) => [id, result]))
const seen = { isReady, isApproved, asked, results, project, connections: listener.connections() }
for (const [text, holds] of Object.entries(effectClaims(seen))) {
  print(`  ${holds ? 'yes' : 'NO '}  ${text}`)
  claim(text, holds)
}

if (process.argv.includes('--keep')) print(`\nkept: ${project.base}`)
else project.remove()
for (const text of failures) print(`\nNOT AS STATED: ${text}`)
const denied = calls.filter(({ result }) => result.status === 'denied').length
print(
  `\n${calls.length} calls, ${calls.length - denied} ran, ${denied} denied, ${asked} asked, ` +
    `${isReady ? sandbox.name : 'no sandbox'}: ` +
    (failures.length === 0 ? 'everything as stated' : `${failures.length} not as stated`),
)
process.exitCode = failures.length === 0 ? 0 : 1
