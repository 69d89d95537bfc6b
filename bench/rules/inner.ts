/** What the benchmark of the rules needs from inside the library: none of it is a public name. */

import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { compose, systemPorts } from '../../src/compose.js'
import type { PolicyInput } from '../../src/contract/policy.js'
import type { Session } from '../../src/contract/session.js'
import type { Tool } from '../../src/contract/tool.js'
import type { Need } from '../../src/core/need.js'
import { derive } from '../../src/delegation/derive.js'
import { fold } from '../../src/pipeline/fold.js'
import { bindPolicy, leadingFolders } from '../../src/policy/bind.js'
import { definePolicy } from '../../src/policy/define.js'
import type { BoundRule, PolicyAxes } from '../../src/policy/effective-policy.js'
import { reviseAxes } from '../../src/policy/revision.js'
import type { Question } from '../../src/policy/rules/question.js'
import { judgeRules } from '../../src/policy/rules/verdict.js'
import { unite } from '../../src/policy/unite.js'
import { fakeSandbox } from '../../src/testing/fake-sandbox.js'
import { build } from '../../src/sixgate.js'
import { defineTool } from '../../src/tools/define-tool.js'
import { reaches } from '../../src/core/need.js'
import { reads, writes } from '../../src/tools/needs.js'
import { runs } from '../../src/tools/runs.js'
import { aCall, aPolicy, ROOTS, someFacts, subjectsOf } from '../../test/builders/question.js'
import { memoryPaths } from '../../test/load/host.js'

export { analyse } from '../../src/shell/analyse.js'

/** A call of the shared work. */
export interface Call {
  readonly tool: string
  readonly arg: string
}

/** Loads a policy as far as a session under it does, but for the disk: links of folders are not followed. */
export function load(rules: readonly string[]): readonly BoundRule[] {
  const axes = unite([definePolicy({ rules: [...rules] })])
  leadingFolders(axes, ROOTS)
  return bindPolicy(axes, reviseAxes(axes, 1), ROOTS, new Map()).rules
}

/** The rules of a session `depth` delegations deep, each of which added its part. */
export function loadDeep(parts: readonly (readonly string[])[]): readonly BoundRule[] {
  const [first = [], ...rest] = parts
  const root = unite([
    definePolicy({ delegation: { mode: 'allow', spawnDepth: 64 }, rules: [...first] }),
  ])
  const axes = rest.reduce<PolicyAxes>(
    (parent, rules) => derive(parent, { rules: [...rules] }, 'spawn').axes,
    root,
  )
  return bindPolicy(axes, reviseAxes(axes, 1), ROOTS, new Map()).rules
}

/** The question that layer 3 is asked of a call; other roots are other folders, under which nothing is remembered. */
export function questionOf({ tool, arg }: Call, roots: typeof ROOTS): Question {
  return { tool, runsIn: 'process', subjects: subjectsOf(needsOf(tool, arg)), roots }
}

/** Folders that no memory was kept for. */
export function otherRoots(): typeof ROOTS {
  return { ...ROOTS }
}

/** What layer 3 says of a question, in the words of the shared work. */
export function decide(rules: readonly BoundRule[], question: Question): string {
  const { decision } = judgeRules(rules, question)
  return decision === 'no_match' ? 'none' : decision
}

/** Parse, unfold and six layers of a shell text; paths are what they say. */
export function shellDecision(policy: PolicyInput): (text: string) => string {
  const bound = aPolicy(policy)
  const facts = someFacts()
  return (text) => {
    const needs = runs(text)
    const call = aCall({ tool: 'bash', runsIn: 'sandbox', needs })
    return fold({ call, policy: bound, facts: { ...facts, subjects: subjectsOf(needs) } }).status
  }
}

/** A session whose paths resolve from memory, with the tools of the shared work and `bash`. */
export async function session(policy: PolicyInput): Promise<Session> {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-bench-')))
  process.once('exit', () => rmSync(workspace, { recursive: true, force: true }))
  const options = {
    policy: definePolicy(policy),
    workspace,
    tools: TOOLS,
    sandbox: fakeSandbox({ status: 'ready' }),
  }
  const parts = compose(options, { ...systemPorts(), paths: memoryPaths() })
  return build(parts).session({ task: 'bench' })
}

const TOOLS: readonly Tool[] = ['read', 'write', 'web_fetch', 'mcp__srv__tool', 'bash'].map(
  (name) =>
    defineTool({
      name,
      inputSchema: z.object({ arg: z.string() }),
      runsIn: name === 'bash' ? 'sandbox' : 'process',
      needs: ({ arg }) => needsOf(name, arg),
      execute: () => null,
    }),
)

function needsOf(tool: string, arg: string): Need[] {
  switch (tool) {
    case 'read':
      return reads(arg)
    case 'write':
      return writes(arg)
    case 'web_fetch':
      return reaches(`https://${arg}/`)
    case 'bash':
      return runs(arg)
    default:
      return [{ kind: 'text', text: arg }]
  }
}
