/** The store that forgets (api.md): everything a durable store promises but survival; the test double. */

import { RecordError } from '../core/errors.js'
import type { RunId } from '../core/ids.js'
import type { OpenStore, Store } from '../contract/session.js'
import type { Snapshots } from '../delegation/snapshots.js'
import { systemIds } from '../platform/ids.js'
import { secretKey } from '../platform/secret-key.js'
import type { RunLog } from '../trace/ledger.js'
import { splitLines } from './lines.js'
import { memorySnapshots } from './memory-snapshots.js'
import { OpenLogs } from './open-logs.js'
import { checkUlid } from './ulid.js'
import { RunWriter } from './run-writer.js'

/** One ledger, its snapshots and its key per workspace, kept as long as the store value; opening again finds it. */
export function memoryStore(): Store {
  const workspaces = new Map<string, Workspace>()
  return {
    kind: 'memory',
    durable: false,
    folder: () => null,
    open(workspaceId) {
      const workspace = workspaces.get(workspaceId) ?? freshWorkspace()
      workspaces.set(workspaceId, workspace)
      return Promise.resolve(openWorkspace(workspace))
    },
  }
}

interface Workspace {
  readonly id: string
  readonly runs: Map<RunId, Run>
  readonly snapshots: Snapshots
  readonly secret: Uint8Array
}

interface Run {
  readonly chunks: Uint8Array[]
  isOwned: boolean
}

function freshWorkspace(): Workspace {
  return {
    id: systemIds().run(),
    runs: new Map(),
    snapshots: memorySnapshots(),
    secret: secretKey(),
  }
}

function openWorkspace(workspace: Workspace): OpenStore {
  const logs = new OpenLogs()
  return {
    id: workspace.id,
    durable: false,
    snapshots: workspace.snapshots,
    secret: new Uint8Array(workspace.secret),
    createRun: (run) => logs.own(async () => ownRun(freshRun(workspace, checkUlid(run)))),
    reopenRun: async (run) => ({
      log: await logs.own(async () => ownRun(abandonedRun(workspace, checkUlid(run)))),
      torn: null,
    }),
    read: (run) => splitLines(runChunks(workspace, run)),
    runs: () => Promise.resolve([...workspace.runs.keys()].sort()),
    close: () => logs.closeAll(),
  }
}

function freshRun(workspace: Workspace, id: RunId): Run {
  if (workspace.runs.has(id)) throw new RecordError('run_exists', 'the run exists', { run: id })
  const run = { chunks: [], isOwned: false }
  workspace.runs.set(id, run)
  return run
}

function abandonedRun(workspace: Workspace, id: RunId): Run {
  const run = knownRun(workspace, id)
  if (run.isOwned) throw new RecordError('locked', 'the run has an owner', { run: id })
  return run
}

function knownRun(workspace: Workspace, id: RunId): Run {
  const run = workspace.runs.get(id)
  if (run === undefined) throw new RecordError('run_missing', 'no such run', { run: id })
  return run
}

function ownRun(run: Run): RunLog {
  run.isOwned = true
  return new RunWriter({
    write: (bytes) => void run.chunks.push(bytes),
    flush: () => Promise.resolve(),
    async release() {
      run.isOwned = false
    },
  })
}

/** As a file: what is there when the reading starts. */
function* runChunks(workspace: Workspace, run: RunId): Generator<Uint8Array, void, void> {
  yield* knownRun(workspace, checkUlid(run)).chunks.slice()
}
