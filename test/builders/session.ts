/** Builders of real sessions: real folders, real stores, real tools; only clocks and people are pretended. */

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { build } from '../../src/sixgate.js'
import { compose, systemPorts, type Ports } from '../../src/compose.js'
import type { Answer, ApprovalRequest, Responder } from '../../src/contract/approval.js'
import type { PolicyInput } from '../../src/contract/policy.js'
import type { Session, Sixgate, SixgateOptions, Store } from '../../src/contract/session.js'
import type { Tool, ToolContext } from '../../src/contract/tool.js'
import type { Need } from '../../src/core/need.js'
import type { ResponderKind } from '../../src/core/facts.js'
import { workspaceId } from '../../src/enforce/session.js'
import { definePolicy } from '../../src/policy/define.js'
import { jsonlStore } from '../../src/store/jsonl.js'
import { memoryStore } from '../../src/store/memory.js'
import { defineTool } from '../../src/tools/define-tool.js'
import { bash } from '../../src/tools/builtin/bash.js'
import { read } from '../../src/tools/builtin/read.js'
import { write } from '../../src/tools/builtin/write.js'
import type { TraceRecord } from '../../src/trace/records.js'
import { runsOf, verifyRun, type RunLines } from './trace-oracle.js'

/** A workspace with one file, a folder beside it, and a folder for a ledger. */
export interface Ground {
  readonly base: string
  readonly workspace: string
  readonly outside: string
  readonly ledger: string
  /** Text of a file of the host, or `null`. */
  readonly text: (path: string) => string | null
  readonly clear: () => void
}

export function aGround(): Ground {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-ground-')))
  const [workspace, outside] = [join(base, 'ws'), join(base, 'out')]
  mkdirSync(workspace)
  mkdirSync(outside)
  writeFileSync(join(workspace, 'a.txt'), 'text')
  return {
    base,
    workspace,
    outside,
    ledger: join(base, 'ledger'),
    text: (path) => textOf(path),
    clear: () => rmSync(base, { recursive: true, force: true }),
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** What a host is made of; what is left out is a strict, real default. */
export interface HostParts extends Partial<Omit<SixgateOptions, 'policy'>> {
  readonly policy?: PolicyInput | SixgateOptions['policy'] | undefined
  readonly ports?: Partial<Ports> | undefined
}

/** A host with a ground of its own. */
export interface Host {
  readonly ground: Ground
  readonly sixgate: Sixgate
  readonly store: Store
  readonly session: () => Promise<Session>
  /** Lines and records of the session's run. */
  readonly run: (session: Session) => Promise<RunLines>
  readonly records: (session: Session) => Promise<readonly TraceRecord[]>
  /** Holds the oracle against every run of the ledger. */
  readonly verify: () => Promise<void>
}

export const OPEN: PolicyInput = {
  workMode: 'full',
  network: 'on',
  toolApproval: 'accept_all',
  sandbox: { mode: 'workspace_write' },
}

export function aHost(parts: HostParts = {}, ground: Ground = aGround()): Host {
  const { policy = OPEN, ports = {}, ...options } = parts
  const store = options.store ?? memoryStore()
  const sixgate = build(
    compose(
      {
        workspace: ground.workspace,
        tools: [bash, read, write],
        ...options,
        policy: isMade(policy) ? policy : definePolicy(policy),
        store,
      },
      { ...systemPorts(), ...ports },
    ),
  )
  const lines = (): Promise<readonly RunLines[]> => runsOf(store, workspaceId(ground.workspace))
  const run = async (session: Session): Promise<RunLines> => {
    const found = (await lines()).find(({ records }) => {
      const [open] = records
      return open?.kind === 'run_open' && open.session === session.id
    })
    if (found === undefined) throw new Error('no run of this session')
    return found
  }
  return {
    ground,
    sixgate,
    store,
    session: () => sixgate.session({ task: 'a task' }),
    run,
    records: async (session) => (await run(session)).records,
    async verify() {
      for (const one of await lines()) verifyRun(one)
    },
  }
}

/** A host whose records are files. */
export function aFileHost(parts: HostParts = {}, ground: Ground = aGround()): Host {
  return aHost({ ...parts, store: jsonlStore(ground.ledger) }, ground)
}

function isMade(
  policy: PolicyInput | SixgateOptions['policy'],
): policy is SixgateOptions['policy'] {
  return Array.isArray(policy) || 'digest' in policy
}

/** Somebody who answers as the function says, and remembers what was asked. */
export function aResponder(
  answer: (request: ApprovalRequest, signal: AbortSignal) => unknown,
  kind: ResponderKind = 'human',
): Responder & { readonly asked: ApprovalRequest[]; readonly firstAsk: Promise<void> } {
  const asked: ApprovalRequest[] = []
  const first = aGate()
  return {
    kind,
    asked,
    firstAsk: first.promise,
    ask(request, signal) {
      asked.push(request)
      first.open()
      return Promise.resolve(answer(request, signal)) as Promise<Answer>
    },
  }
}

export const YES = { answer: 'approve' } as const
export const NO = { answer: 'reject' } as const

/** A tool of the host's own: in process, with no needs, running what it is given. */
export function aTool(
  execute: (args: unknown, context: ToolContext) => unknown,
  spec: {
    readonly name?: string
    readonly needs?: (args: unknown) => readonly Need[]
  } = {},
): Tool<unknown> {
  return defineTool({
    name: spec.name ?? 'probe',
    inputSchema: z.unknown(),
    needs: spec.needs ?? (() => []),
    execute,
  })
}

/** A promise with its ends outside. */
export interface Gate<T = void> {
  readonly promise: Promise<T>
  readonly open: (value: T) => void
}

export function aGate<T = void>(): Gate<T> {
  let open: (value: T) => void = () => undefined
  const promise = new Promise<T>((resolve) => {
    open = resolve
  })
  return { promise, open }
}

/** Lets everything that needs no timer go on: promises, and the callbacks of the file system. */
export async function settled(turns = 20): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}
