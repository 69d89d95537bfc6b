/** The built-in `agent`: a model asks for a child session, and the pipeline decides (delegation.md §1). */

import { z } from 'zod'
import type { Session } from '../../contract/session.js'
import type { Tool, ToolContext } from '../../contract/tool.js'
import { DelegationError } from '../../core/errors.js'
import type { Need } from '../../core/need.js'
import { narrowingFromModel } from '../../delegation/narrowing-from-model.js'
import { defineTool } from '../define-tool.js'
import { requires } from '../needs.js'

export interface AgentArgs {
  readonly prompt: string
  /** An alias that rules can name, as in `deny agent(ops)`. */
  readonly agent?: string | undefined
  /** What the child may not do beyond what this session may not. */
  readonly constraints?: unknown
}

/** What came of the child: only its final message returns. */
export type AgentResult =
  | { readonly status: 'ok'; readonly output: string }
  | { readonly status: 'failed'; readonly code: string; readonly message: string }

/** Runs a child to its end with the host's own loop and gives its final message. */
export type RunAgent = (child: Session, prompt: string, signal: AbortSignal) => Promise<string>

const inputSchema: z.ZodType<AgentArgs> = z.looseObject({
  prompt: z.string(),
  agent: z.string().optional(),
  constraints: z.unknown().optional(),
})

/**
 * A tool named `agent` that spawns a child and lets the host run it. Guards in this order: a prompt that
 * says something, depth, tool scope, policy; each ends in a failed result with a stable code, never in an
 * exception.
 */
export function spawnAgent(run: RunAgent): Tool<AgentArgs, AgentResult> {
  return defineTool({
    name: 'agent',
    description: 'Hand a task to a fresh child session that can do no more than this one.',
    version: '1',
    inputSchema,
    always: ['agent.spawn'],
    needs: ({ agent }): readonly Need[] => [
      ...requires('agent.spawn'),
      ...(agent === undefined ? [] : [{ kind: 'text', text: agent } as const]),
    ],
    execute: (args, context) => spawnAndRun(args, context, run),
  })
}

async function spawnAndRun(
  args: AgentArgs,
  context: ToolContext,
  run: RunAgent,
): Promise<AgentResult> {
  const prompt = args.prompt.trim()
  if (prompt === '') return failed('prompt_required', 'the prompt is empty')
  try {
    const child = await context.session.spawn(narrowingFromModel(args.constraints ?? {}))
    return await runChild(child, prompt, { context, run })
  } catch (error) {
    // There is no child; the model is told why in words that hold no policy.
    if (error instanceof DelegationError) return failed(error.code, SENTENCES[error.code] ?? ONE)
    throw error
  }
}

async function runChild(
  child: Session,
  prompt: string,
  { context, run }: { readonly context: ToolContext; readonly run: RunAgent },
): Promise<AgentResult> {
  try {
    const output = (await run(child, prompt, context.signal)).trim()
    return { status: 'ok', output: output === '' ? EMPTY : output }
  } catch {
    // What the child threw is the host's to see; the model learns that it failed.
    return failed('child_failed', 'the child ended without a result')
  } finally {
    await child.close('completed')
  }
}

const EMPTY = 'subagent completed without output'
const ONE = 'no child was started'

const SENTENCES: { readonly [C in string]?: string } = {
  depth_exceeded: 'no further level of children is allowed',
  missing_capability: 'this session may not start children',
  escalation: 'the constraints ask for more than this session has',
  invalid_constraint: 'the constraints are not understood',
  session_closed: 'the session is closed',
}

function failed(code: string, message: string): AgentResult {
  return { status: 'failed', code, message }
}
