/** The subagent: a tool `agent` whose child runs a script of its own, and is tightened while it works. */

import { spawnAgent } from 'sixgate/tools'
import { runAgent } from './agent.mjs'
import { processesOf, until } from './processes.mjs'
import { indented } from './report.mjs'

/** A command that waits, with an argument that no other process of this machine has. */
const WAIT = `30.${process.pid}`
const TIGHTER = 'deny bash(sleep:*)'

/** The tool for the host, and what became of the child once it ran. */
export function makeSubagent({ print, remedy }) {
  const seen = { calls: [], chains: new Map(), wait: null }
  const subagent = { parent: null, seen, tool: spawnAgent(runChild) }

  async function runChild(child, prompt) {
    const say = indented(print)
    say(`\nchild: "${prompt}"`)
    const run = async (call) => {
      const running = child.run(call)
      if (call.callId === 'child-wait') seen.wait = await tightenDuring(running, say)
      return running
    }
    seen.calls = await runAgent({ run, model: scriptedChild(), print: say, remedy })
    for (const { id } of seen.calls) seen.chains.set(id, await child.chain(id))
    return 'The sum is right. I could not leave a note.'
  }

  /** The host narrows the parent as soon as the child's command is there; the child is below it. */
  async function tightenDuring(running, say) {
    const ended = running.then(() => true)
    const started = await Promise.race([until(() => processesOf('sleep', WAIT) > 0), ended])
    const before = processesOf('sleep', WAIT)
    const revision = await subagent.parent.tighten({ rules: [TIGHTER] })
    say(`  host: the parent is tightened by \`${TIGHTER}\`, now at revision ${short(revision)}`)
    const since = performance.now()
    const { status } = await running
    const gone = await until(() => processesOf('sleep', WAIT) === 0)
    return { started, before, status, gone, ms: performance.now() - since }
  }

  return subagent
}

/** What the parent's model asks for: no writing, no children, and nothing of the notes. */
export const CONSTRAINTS = {
  capabilities: ['fs.read', 'process.exec'],
  rules: ['deny read(notes/**)'],
}

function* scriptedChild() {
  yield call('child-read', 'I read the fix.', 'read', { file_path: 'src/total.mjs' })
  yield call('child-notes', 'And the notes.', 'read', { file_path: 'notes/old.md' })
  const review = { file_path: 'REVIEW.md', content: 'fine' }
  yield call('child-write', 'I leave a note.', 'write', review)
  yield call('child-look', 'I look around.', 'bash', { command: 'uname -a' })
  yield call('child-wait', 'I wait for news.', 'bash', { command: `sleep ${WAIT}` })
  yield call('child-again', 'I wait on.', 'bash', { command: `sleep ${WAIT}` })
  return 'I am done.'
}

function call(id, says, tool, args) {
  return { id, says, tool, args }
}

function short(revision) {
  return revision.slice(0, 10)
}
