/** Runs a tool the way a dispatch does, on real files: schema, needs, judged paths, then the executor. */

import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import type { CallSession } from '../../src/contract/session.js'
import type { SandboxExec } from '../../src/contract/sandbox.js'
import type { StandardSchema } from '../../src/contract/standard-schema.js'
import type { Tool, ToolContext } from '../../src/contract/tool.js'
import { parseCallId, type CallId } from '../../src/core/ids.js'
import type { Need } from '../../src/core/need.js'
import { cancelledBeforeStart } from '../../src/enforce/messages.js'
import { callFiles, type JudgedPath } from '../../src/enforce/call/call-files.js'
import { nodeFiles } from '../../src/platform/files.js'
import { english } from '../../src/words/english.js'
import { nodePathResolver } from '../../src/platform/node-path-resolver.js'

export interface CallOptions {
  readonly workspace: string
  readonly signal?: AbortSignal | undefined
}

/** The arguments as the schema yields them; `undefined` when they do not fit. */
export async function validated<A>(tool: Tool<A>, args: unknown): Promise<A | undefined> {
  const schema: StandardSchema = tool.inputSchema
  const result = await schema['~standard'].validate(args)
  return result.issues === undefined ? (result.value as A) : undefined
}

/** These tools start no calls of their own. */
const NO_SESSION = new Proxy<CallSession>({} as CallSession, {
  get: (_, name) => {
    throw new TypeError(`the tool reached for session.${String(name)}`)
  },
})

/** What the executor gives for these arguments. */
export async function callTool<A, R>(
  tool: Tool<A, R>,
  args: unknown,
  { workspace, signal = new AbortController().signal }: CallOptions,
): Promise<R> {
  const valid = await validated(tool, args)
  if (valid === undefined || tool.execute === undefined) throw new TypeError('invalid arguments')
  const files = callFiles(judge(tool.needs(valid), workspace), () => true, {
    files: nodeFiles(),
    workspace,
  })
  const context: ToolContext = {
    callId: parseCallId('call_1') as CallId,
    signal,
    files,
    session: NO_SESSION,
    hosts: { authorize: () => Promise.resolve(cancelledBeforeStart(english, 'call_1' as CallId)) },
    report: () => undefined,
    sandbox: { exec: (request) => Promise.resolve(exec(request, workspace)) },
  }
  return tool.execute(valid, context)
}

function judge(needs: readonly Need[], workspace: string): readonly JudgedPath[] {
  return needs.flatMap((need) => {
    if (need.kind !== 'path') return []
    const found = nodePathResolver().resolveNow(resolve(workspace, need.path))
    return found.status === 'resolved'
      ? [{ given: need.path, access: need.access, real: found.real }]
      : []
  })
}

/** The real bash without a boundary: what is tested here is what the tool makes of a result. */
function exec(
  request: SandboxExec,
  workspace: string,
): Awaited<ReturnType<ToolContext['sandbox']['exec']>> {
  const { timeoutMs: timeout } = request
  const child = spawnSync('/usr/bin/bash', ['-c', request.command ?? ''], {
    cwd: request.cwd ?? workspace,
    encoding: 'utf8',
    ...(timeout === undefined ? {} : { timeout }),
  })
  const isLate = (child.error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT'
  return {
    started: child.error === undefined || isLate,
    exitCode: child.status,
    signal: child.signal,
    stdout: child.stdout,
    stderr: child.stderr,
    truncated: false,
    durationMs: 1,
    ...(isLate ? { killedBy: 'timeout' as const } : {}),
    driver: 'none',
  }
}
