/** The built-in `bash`: one shell text, run inside the sandbox (rules.md §3, sandbox.md §7). */

import { z } from 'zod'
import type { Tool, ToolContext } from '../../contract/tool.js'
import { SHELLS, type Need, type Shell } from '../../core/need.js'
import type { GrantUse, KilledBy } from '../../contract/sandbox.js'
import { ToolError } from '../../core/errors.js'
import { defineTool } from '../define-tool.js'
import { cleanOutput } from '../output.js'
import { runs } from '../runs.js'
import { bashEscalations } from './bash-escalations.js'

export interface BashArgs {
  readonly command: string
  readonly cwd?: string | undefined
  readonly timeoutMs?: number | undefined
  readonly shell?: Shell | undefined
  /** Of any type: what is not understood is an escalation that nobody can approve, never ignored. */
  readonly sandbox_permissions?: unknown
  readonly network_grant?: unknown
  readonly justification?: unknown
}

/** Output is cleaned and bounded. */
export interface BashResult {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  readonly truncated: boolean
  readonly timedOut: boolean
  readonly killedBy?: KilledBy | undefined
  readonly durationMs: number
  /** What went through the call's network grant, if it had one. */
  readonly networkGrant?: GrantUse | undefined
}

const inputSchema: z.ZodType<BashArgs> = z.looseObject({
  command: z.string(),
  cwd: z.string().optional(),
  timeoutMs: z.number().positive().optional(),
  shell: z.enum(SHELLS).optional(),
  sandbox_permissions: z.unknown().optional(),
  network_grant: z.unknown().optional(),
  justification: z.unknown().optional(),
})

/** Runs the judged text with `bash -c`. A non-zero exit code is a value; a command that did not start rejects. */
export const bash: Tool<BashArgs, BashResult> = defineTool({
  name: 'bash',
  description: 'Run a bash command in the workspace, inside the sandbox.',
  version: '1',
  inputSchema,
  runsIn: 'sandbox',
  always: ['process.exec'],
  needs: (args): readonly Need[] => [
    ...runs(args.command, { shell: args.shell, cwd: args.cwd }),
    ...bashEscalations(args),
  ],
  execute,
})

async function execute(args: BashArgs, context: ToolContext): Promise<BashResult> {
  // Text that was judged as another shell's must not be run as bash's.
  if (args.shell !== undefined && args.shell !== 'bash') {
    throw new ToolError('invalid_input', `\`${args.shell}\` text cannot be run here, only bash`)
  }
  const { command, cwd, timeoutMs } = args
  const result = await context.sandbox.exec({ command, cwd, timeoutMs, signal: context.signal })
  if (!result.started) throw new ToolError('input_output', 'the command did not start')
  const stdout = cleanOutput(result.stdout)
  const stderr = cleanOutput(result.stderr)
  return {
    exitCode: result.exitCode,
    signal: result.signal,
    stdout: stdout.text,
    stderr: stderr.text,
    truncated: result.truncated || stdout.truncated || stderr.truncated,
    timedOut: result.killedBy === 'timeout',
    ...(result.killedBy === undefined ? {} : { killedBy: result.killedBy }),
    durationMs: result.durationMs,
    ...(result.grant === undefined ? {} : { networkGrant: result.grant }),
  }
}
