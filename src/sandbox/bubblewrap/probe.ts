/** The start probe: one real command through exactly the flags of every later one (sandbox.md §1, S1-17). */

import type { ProbeReport } from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'
import type { Machine } from '../../platform/machine.js'
import type { Confinement } from '../../platform/process/pipes.js'
import { runConfined } from '../../platform/process/spawn.js'
import type { GuardedRequest } from '../protection/guard.js'
import { unavailableReport } from '../report.js'
import type { LimitEnforcement } from '../limits/enforcement.js'
import { explainFailure } from './failure.js'
import { bubblewrapGuarantees } from './guarantees.js'

/** Runs `/bin/true` in an empty private folder; never rejects. */
export async function probeBubblewrap(
  machine: Machine,
  confine: (request: GuardedRequest) => Confinement,
  limits: LimitEnforcement['shortfalls'],
): Promise<ProbeReport> {
  const folder = machine.privateFolder()
  if (folder === null) return failed(NO_FOLDER)
  try {
    const run = await runConfined(confine(trueIn(folder.path)), {
      timeoutMs: PROBE_MS,
      outputBytes: 65_536,
      launcherStatus: 'bubblewrap_json',
    })
    if (!run.started || run.exitCode !== 0) return failed(explainFailure(run.stderr))
    return { status: 'ready', guarantees: bubblewrapGuarantees(limits), cause: null, remedy: null }
  } catch (cause) {
    // Denied: every sandboxed call; nothing weaker is tried.
    return failed(cause instanceof SandboxError ? cause : explainFailure(''))
  } finally {
    folder.remove()
  }
}

const PROBE_MS = 30_000

const NO_FOLDER = new SandboxError(
  'setup_failed',
  'no private folder could be made for the test command',
  'make the temporary folder writable',
)

/** Every kind of mount that a later command may need is tried: the folder itself is pinned and fixed. */
function trueIn(workspace: string): GuardedRequest {
  return {
    profile: {
      fileSystem: { mode: 'workspace_write', workspace, writable: [], readable: [], hidden: [] },
      network: 'none',
      environment: { pass: [] },
      limits: {
        timeoutMs: PROBE_MS,
        outputBytes: 65_536,
        diskBytes: 16_777_216,
        processes: null,
        memoryBytes: null,
      },
    },
    argv: ['/bin/true'],
    cwd: workspace,
    environment: { PATH: '/usr/bin:/bin' },
    guard: { pinned: [workspace], fixed: [workspace], closed: [], masks: [] },
  }
}

function failed(error: SandboxError): ProbeReport {
  return unavailableReport({ cause: error.message, remedy: error.remedy })
}
