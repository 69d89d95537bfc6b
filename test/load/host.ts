/** A host with many calls: real sessions over real stores, and one tool. */

import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { compose, systemPorts, type Ports } from '../../src/compose.js'
import type { Policy } from '../../src/contract/policy.js'
import type { Sixgate, SixgateOptions, Store } from '../../src/contract/session.js'
import type { ToolContext } from '../../src/contract/tool.js'
import type { CallId } from '../../src/core/ids.js'
import type { Need } from '../../src/core/need.js'
import type { PathResolver } from '../../src/platform/path-resolver.js'
import { build } from '../../src/sixgate.js'
import { memoryStore } from '../../src/store/memory.js'
import { defineTool } from '../../src/tools/define-tool.js'
import type { Ledger } from '../../src/trace/ledger.js'
import { parseRecord } from '../../src/trace/parse-record.js'
import type { TraceRecord } from '../../src/trace/records.js'

/** What a call of the only tool, `work`, says. */
export interface Work {
  readonly path: string
  readonly access?: 'read' | 'write' | undefined
  readonly escalates?: boolean | undefined
}

export interface HostOptions {
  readonly workspace: string
  readonly policy: Policy
  readonly responder?: SixgateOptions['responder']
  readonly store?: Store | undefined
  /** `memory`: every path is what it says, at once; `real` looks at the disk and lets others run meanwhile. */
  readonly paths: 'memory' | 'real' | PathResolver
  /** The executor; its first statement is the start of the call. */
  readonly execute: (callId: CallId, args: Work, context: ToolContext) => unknown
}

export interface Host {
  readonly sixgate: Sixgate
  /** The records of the newest run, in order, read back from the store. */
  readonly records: () => Promise<readonly TraceRecord[]>
}

/** A folder of its own for as long as the process lives. */
export function aWorkspace(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-load-')))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function aHost(options: HostOptions): Host {
  let ledger: Ledger | undefined
  const given = options.store ?? memoryStore()
  const store: Store = {
    ...given,
    open: async (workspaceId) => (ledger = await given.open(workspaceId)),
  }
  const parts = compose(
    {
      policy: options.policy,
      workspace: options.workspace,
      tools: [work(options.execute)],
      store,
      responder: options.responder,
    },
    portsOf(options),
  )
  return { sixgate: build(parts), records: async () => (ledger === undefined ? [] : read(ledger)) }
}

function portsOf({ paths }: HostOptions): Ports {
  const ports = systemPorts()
  if (paths === 'real') return ports
  return { ...ports, paths: paths === 'memory' ? memoryPaths() : paths }
}

/** Where no link leads anywhere, a path is where it says. */
export function memoryPaths(): PathResolver {
  const resolveNow: PathResolver['resolveNow'] = (path) => ({
    status: 'resolved',
    real: path.replace(/\/\.?(?=\/|$)/g, '') || '/',
    links: 1,
  })
  return { resolveNow, resolve: async (path) => resolveNow(path) }
}

function work(execute: HostOptions['execute']): SixgateOptions['tools'][number] {
  const inputSchema: z.ZodType<Work> = z.object({
    path: z.string(),
    access: z.enum(['read', 'write']).optional(),
    escalates: z.boolean().optional(),
  })
  return defineTool({
    name: 'work',
    inputSchema,
    needs: ({ path, access = 'read', escalates = false }): readonly Need[] => [
      { kind: 'path', access, path },
      ...(escalates
        ? [{ kind: 'escalation', name: 'tool_confirmation', detail: 'sure?' } as const]
        : []),
    ],
    execute: (args, context) => execute(context.callId, args, context),
  })
}

async function read(ledger: Ledger): Promise<readonly TraceRecord[]> {
  const records: TraceRecord[] = []
  const run = (await ledger.runs()).at(-1)
  if (run === undefined) return records
  for await (const line of ledger.read(run)) records.push(parseRecord(line))
  return records
}
