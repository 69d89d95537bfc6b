/**
 * The demonstration (`npm run demo`): an agent loop with a scripted model, a subagent and a real sandbox.
 * It prints what each layer said of each call, walks each trace back, and fails if anything is not as stated.
 */

import { createSixgate, jsonlStore } from 'sixgate'
import { createNativeSandbox } from 'sixgate/sandbox'
import { bash, edit, ls, read, search, webFetch, write } from 'sixgate/tools'
import { runAgent } from './agent.mjs'
import { ensureBubblewrap } from './bubblewrap.mjs'
import { effectClaims, expectedEnds } from './claims.mjs'
import { childClaims, expectedChildEnds } from './child-claims.mjs'
import { readRuns, unenforced } from './ledger.mjs'
import { openListener } from './listener.mjs'
import { scriptedModel } from './model.mjs'
import { demoPolicy } from './policy.mjs'
import { makeProject } from './project.mjs'
import { printPaths, printWalks } from './report.mjs'
import { demoResponder } from './responder.mjs'
import { makeSubagent } from './subagent.mjs'

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
const subagent = makeSubagent({ print, remedy: probe.remedy })
const sixgate = createSixgate({
  policy: demoPolicy(),
  workspace: project.workspace,
  tools: [bash, edit, ls, read, search, webFetch, write, subagent.tool],
  sandbox,
  responder: demoResponder(print),
  store: jsonlStore(project.ledger),
})
const answers = []
let asked = 0
sixgate.on('ask', () => (asked += 1))
sixgate.on('answer', ({ answer }) => answers.push(answer.answer))

const session = await sixgate.session({ task: 'make the tests pass' })
subagent.parent = session
const model = scriptedModel(listener)
const calls = await runAgent({ run: session.run, model, print, remedy: probe.remedy })
const chains = new Map()
for (const { id } of calls) chains.set(id, await session.chain(id))
await session.close()
await sixgate[Symbol.asyncDispose]()
listener.close()

const child = subagent.seen
const parent = { calls, chains, below: { review: child } }
print(
  '\n== The path of every call through the six layers; what the child did stands under its call',
)
printPaths(parent, print)

print('\n== Every trace, read from disk and walked back from its terminal event by parent_id')
const runs = readRuns(project.ledger)
claim('there are two runs, of the parent and of the child', runs.length === 2)
const isApproved = answers[0] === 'approve'
parent.run = runs[0]
parent.expected = expectedEnds({ isReady, isApproved })
child.run = runs[1]
child.expected = expectedChildEnds({ isReady })
printWalks(parent, print, claim)

print('\n== What the sandbox of this version lacks, as the record of each sandboxed call says')
const lacking = unenforced(runs)
for (const name of lacking) print(`  ${name}: ${probe.guarantees[name].cause}`)
if (lacking.length === 0) print('  nothing that this policy demands')
if (!isReady) print(`  everything, so no command ran: ${probe.remedy}`)

print('\n== What the host sees')
const results = new Map(calls.map(({ id, result }) => [id, result]))
const seen = { isReady, isApproved, asked, results, project, connections: listener.connections() }
const claims = { ...effectClaims(seen), ...childClaims({ isReady, child, runs, project }) }
for (const [text, holds] of Object.entries(claims)) {
  print(`  ${holds ? 'yes' : 'NO '}  ${text}`)
  claim(text, holds)
}

if (process.argv.includes('--keep')) print(`\nkept: ${project.base}`)
else project.remove()
for (const text of failures) print(`\nNOT AS STATED: ${text}`)
const all = [...calls, ...child.calls]
const denied = all.filter(({ result }) => result.status === 'denied').length
print(
  `\n${all.length} calls in two sessions, ${all.length - denied} ran, ${denied} denied, ${asked} asked, ` +
    `${isReady ? sandbox.name : 'no sandbox'}: ` +
    (failures.length === 0 ? 'everything as stated' : `${failures.length} not as stated`),
)
process.exitCode = failures.length === 0 ? 0 : 1
