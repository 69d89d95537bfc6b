/** What the benchmark needs from inside the library: none of it is a public name. */

import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aPolicy, aQuestion } from '../test/builders/question.js'
import { aHost, type Work } from '../test/load/host.js'
import type { Policy, PolicyInput } from '../src/contract/policy.js'
import { parseCallId, type CallId, type RunId } from '../src/core/ids.js'
import type { LayerName } from '../src/core/layer-name.js'
import type { Verdict, Visit } from '../src/core/verdict.js'
import { contentOf } from '../src/trace/content.js'
import { emptyTrail, grow } from '../src/enforce/trail.js'
import { systemClock } from '../src/platform/clock.js'
import { systemIds } from '../src/platform/ids.js'
import { fold } from '../src/pipeline/fold.js'
import { definePolicy } from '../src/policy/define.js'
import { memoryStore } from '../src/store/memory.js'
import { recorder } from '../src/trace/recorder.js'
import type { TerminalRecord } from '../src/trace/records.js'

export { copyJson } from '../src/encoding/plain-json.js'
export { canonicalText } from '../src/encoding/canonical.js'
export { sha256 } from '../src/encoding/digest.js'

/** Twenty rules of every kind; `src` is allowed, `secret` denied, by the last three. */
export const POLICY: PolicyInput = {
  workMode: 'ro',
  rules: [
    ...['git push', 'npm publish', 'rm', 'curl', 'docker', 'kubectl'].map(
      (command) => `deny bash(${command}:*)`,
    ),
    ...['git', 'npm', 'node', 'make'].map((command) => `ask bash(${command}:*)`),
    ...['ls', 'cat', 'grep'].map((command) => `allow bash(${command}:*)`),
    'allow web_fetch(docs.example.com)',
    'deny web_fetch(*.example.org)',
    'ask write(@workspace)',
    'deny write(**/locked/**)',
    'deny read(**/secret/**)',
    'allow read(src/**)',
    'allow work(src/**)',
  ],
}

/** A question per verdict, its facts gathered. */
export function questions(): { readonly allowed: () => unknown; readonly denied: () => unknown } {
  const of = (path: string): ReturnType<typeof aQuestion> =>
    aQuestion({
      policy: POLICY,
      call: { needs: [{ kind: 'path', access: 'read', path }], capabilities: ['fs.read'] },
    })
  const [allowed, denied] = [of('src/a.ts'), of('secret/key')]
  if (fold(allowed).status !== 'admitted' || fold(denied).status !== 'denied') {
    throw new TypeError('the questions are not what they are called')
  }
  return { allowed: () => fold(allowed), denied: () => fold(denied) }
}

/** A session in memory whose paths resolve from memory; it is renewed before it grows large. */
export async function memorySessions(): Promise<{
  readonly evaluate: (path: string) => Promise<unknown>
  readonly check: (path: string) => Promise<unknown>
}> {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-bench-')))
  process.once('exit', () => rmSync(workspace, { recursive: true, force: true }))
  const policy: Policy = definePolicy(POLICY)
  const execute = (): null => null
  const open = () =>
    aHost({ workspace, policy, paths: 'memory', execute }).sixgate.session({ task: 'bench' })
  let session = await open()
  let calls = 0
  const request = (path: string): { readonly tool: string; readonly args: Work } => ({
    tool: 'work',
    args: { path },
  })
  return {
    check: (path) => session.check(request(path)),
    async evaluate(path) {
      calls += 1
      if (calls % 2000 === 0) session = await open()
      return session.evaluate(request(path))
    },
  }
}

/** Only the record of a decision: six nodes, chained and hashed, and the terminal event of a denial. */
export async function recordings(): Promise<() => Promise<void>> {
  const ids = systemIds()
  const clock = systemClock()
  const question = aQuestion({ policy: POLICY })
  const policy = aPolicy(POLICY)
  const verdict = deniedAtTheEnd()
  const ledger = await memoryStore().open('bench')
  const open = async () => {
    const runId: RunId = ids.run()
    return recorder({ runId, ledgerId: ledger.id }, { log: await ledger.createRun(runId), clock })
  }
  let writer = await open()
  let calls = 0
  return async () => {
    calls += 1
    if (calls % 2000 === 0) writer = await open()
    const callId = parseCallId(`c${calls}`) as CallId
    const grown = grow(emptyTrail(callId), verdict, {
      revision: policy.revision,
      facts: question.facts,
      prepared: { registered: null, rewritten: null, submission: { argsRef: contentOf(null) } },
      identity: '',
      ids,
    })
    const end: TerminalRecord = {
      kind: 'terminal',
      event_id: ids.event(),
      call_id: callId,
      trace_head_id: grown.trail.head ?? ids.node(),
      event: 'denied',
      timestamp: new Date(clock.wallMs()).toISOString(),
    }
    await writer.write([...grown.records, end], 'written')
  }
}

type Said = Pick<Visit, 'decision' | 'matchedRule' | 'reason'>

const UNMATCHED: Said = { decision: 'no_match', matchedRule: null, reason: null }

/** Six visits as a walk of all layers leaves them, the last of them a denial. */
const SAYINGS: readonly (readonly [LayerName, Said])[] = [
  ['work_mode', { decision: 'allow', matchedRule: 'builtin:capability', reason: null }],
  ['network', UNMATCHED],
  ['user_rule', { decision: 'ask', matchedRule: 'ask write(@workspace)', reason: null }],
  ['tool_approval', { decision: 'ask', matchedRule: 'default:always_ask', reason: null }],
  ['approval_response', { decision: 'allow', matchedRule: 'default:prompt', reason: null }],
  [
    'sandbox',
    {
      decision: 'deny',
      matchedRule: 'builtin:sandbox_unavailable',
      reason: 'sandbox_unavailable',
    },
  ],
]

function deniedAtTheEnd(): Verdict {
  const visits = SAYINGS.map(([layer, said]): Visit => ({ layer, ...said, moot: false }))
  const by = visits.at(-1)
  if (by === undefined) throw new TypeError('no visits')
  return { status: 'denied', visits, asks: [], escalations: [], by }
}
