/** What the demonstration prints of a call: its result, its path through the six layers, the walk back. */

import { stepKinds, walkBack } from './ledger.mjs'

const LAYERS = [
  'work_mode',
  'network',
  'user_rule',
  'tool_approval',
  'approval_response',
  'sandbox',
]

/** The path of every call, and under it the calls of the child that it made. */
export function printPaths({ calls, chains, below = {} }, print) {
  for (const { id, tool } of calls) {
    print(`\n${id} (${tool})`)
    for (const line of pathLines(chains.get(id))) print(`  ${line}`)
    if (below[id] !== undefined) printPaths(below[id], indented(print))
  }
}

/** The walk back of every call, checked against what is expected and what the session said. */
export function printWalks({ calls, chains, run, expected, below = {} }, print, claim) {
  for (const { id } of calls) {
    const walk = walkBack(run, id)
    print(`\n${id}`)
    for (const line of walkLines(walk)) print(`  ${line}`)
    if (below[id] !== undefined) printWalks(below[id], indented(print), claim)
    const ids = (chain) => chain.map(({ node_id }) => node_id).join()
    const steps = walk.event.event === 'denied' ? '' : 'intent,step_result'
    claim(`${id} ends in \`${expected[id]}\``, endOf(walk) === expected[id])
    claim(`${id}: \`chain\` gives what is on disk`, ids(walk.chain) === ids(chains.get(id)))
    claim(`${id} has the records \`${steps}\``, stepKinds(run, id) === steps)
  }
}

/** Prints further to the right, empty lines apart. */
export function indented(print) {
  return (line) => print(line.replace(/^(?=.)/gm, '    '))
}

/** One line a layer, in their order; one more above them where a guard spoke. */
function pathLines(chain) {
  // Of several passes the last counts; the chain begins with its head.
  const visited = new Map(chain.toReversed().map((node) => [node.layer, node]))
  const layers = visited.has('guard') ? ['guard', ...LAYERS] : LAYERS
  return layers.map((layer) => nodeLine(visited.get(layer) ?? { layer, decision: 'not reached' }))
}

/** From the terminal event to the root, each node with the one that it hangs under. */
function walkLines({ event, chain }) {
  return [
    `event ${event.event}  trace_head_id ${short(event.trace_head_id)}`,
    ...chain.map((node) => {
      const parent = node.parent_id === null ? 'null   ' : short(node.parent_id)
      return `node_id ${short(node.node_id)}  parent_id ${parent}  ${nodeLine(node)}`
    }),
  ]
}

/** One line about what the model gets back. */
export function resultLine(result) {
  if (result.status !== 'ok') return result.message
  const { exitCode, stdout, stderr, entries, matches, files, replacements } = result.value
  if ('output' in result.value) return result.value.output
  if (entries) return entries.map(({ name }) => name).join('  ')
  if (files) return files.map(({ path, totalLines }) => `${path}, ${totalLines} lines`).join('; ')
  if (matches) return matches.map(({ path, line }) => `${path}:${line}`).join('; ')
  if (replacements) return `${replacements} replaced`
  const said = `${stdout}\n${stderr}`.split('\n').map((line) => line.trim())
  const line = said.findLast((text) => /^(?!Node\.js).*[a-z]{3}/i.test(text))
  return `exit code ${exitCode}${line === undefined ? '' : `: ${line}`}`
}

/** How a walked-back trace ended, in the words of the claims. */
function endOf({ event, chain: [head] }) {
  return `${event.event}: ${head.layer} ${head.decision} ${head.matched_rule}`
}

function nodeLine({ layer, decision, matched_rule }) {
  return `${layer.padEnd(18)} ${decision.padEnd(11)} ${matched_rule ?? ''}`.trimEnd()
}

/** Ids begin with their time; the end tells them apart. */
function short(id) {
  return `…${id.slice(-6)}`
}
