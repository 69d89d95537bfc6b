/** What the demonstration prints of a call: its result, its path through the six layers, the walk back. */

const LAYERS = [
  'work_mode',
  'network',
  'user_rule',
  'tool_approval',
  'approval_response',
  'sandbox',
]

/** One line a layer, in their order; one more above them where a guard spoke. */
export function pathLines(chain) {
  // Of several passes the last counts; the chain begins with its head.
  const visited = new Map(chain.toReversed().map((node) => [node.layer, node]))
  const layers = visited.has('guard') ? ['guard', ...LAYERS] : LAYERS
  return layers.map((layer) => nodeLine(visited.get(layer) ?? { layer, decision: 'not reached' }))
}

/** From the terminal event to the root, each node with the one that it hangs under. */
export function walkLines({ event, chain }) {
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
  if (entries) return entries.map(({ name }) => name).join('  ')
  if (files) return files.map(({ path, totalLines }) => `${path}, ${totalLines} lines`).join('; ')
  if (matches) return matches.map(({ path, line }) => `${path}:${line}`).join('; ')
  if (replacements) return `${replacements} replaced`
  const said = `${stdout}\n${stderr}`.split('\n').map((line) => line.trim())
  const line = said.findLast((text) => /^(?!Node\.js).*[a-z]{3}/i.test(text))
  return `exit code ${exitCode}${line === undefined ? '' : `: ${line}`}`
}

function nodeLine({ layer, decision, matched_rule }) {
  return `${layer.padEnd(18)} ${decision.padEnd(11)} ${matched_rule ?? ''}`.trimEnd()
}

/** Ids begin with their time; the end tells them apart. */
function short(id) {
  return `…${id.slice(-6)}`
}
