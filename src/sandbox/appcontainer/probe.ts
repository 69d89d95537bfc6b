/** The start probe: compiles the broker, runs its self-test and one real command (sandbox.md §1, §6). */

import type { ProbeReport } from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'
import type { Machine } from '../../platform/machine.js'
import type { Confinement } from '../../platform/process/pipes.js'
import { runConfined } from '../../platform/process/spawn.js'
import type { GuardedRequest } from '../protection/guard.js'
import { unavailableReport } from '../report.js'
import { appcontainerGuarantees } from './guarantees.js'

/** Works in an empty private folder; never rejects. */
export async function probeAppcontainer(
  machine: Machine,
  confine: (request: GuardedRequest) => Confinement,
): Promise<ProbeReport> {
  const folder = machine.privateFolder()
  if (folder === null) return failed(NO_FOLDER)
  try {
    const run = await runConfined(confine(testIn(folder.path)), {
      timeoutMs: PROBE_MS,
      outputBytes: 65_536,
      launcherStatus: 'dialogue',
    })
    if (!run.started || run.exitCode !== 0) return failed(NOT_RUN)
    return { status: 'ready', guarantees: appcontainerGuarantees(), cause: null, remedy: null }
  } catch (cause) {
    // Denied: every sandboxed call; nothing weaker is tried.
    return failed(cause instanceof SandboxError ? cause : NOT_RUN)
  } finally {
    folder.remove()
  }
}

/** Compiling takes seconds, the self-test some more. */
const PROBE_MS = 30_000

const NO_FOLDER = new SandboxError(
  'setup_failed',
  'no private folder could be made for the test command',
  'make the temporary folder writable',
)

const NOT_RUN = new SandboxError(
  'setup_failed',
  'the sandbox did not run its test command',
  'use Windows 10 1809 or newer with curl.exe in its system folder',
)

/** The program that the self-test uses as well: it is part of Windows and needs nothing of the user's. */
function testIn(workspace: string): GuardedRequest {
  return {
    profile: {
      fileSystem: { mode: 'workspace_write', workspace, writable: [], readable: [], hidden: [] },
      network: 'none',
      environment: { pass: [] },
      limits: {
        timeoutMs: PROBE_MS,
        outputBytes: 65_536,
        diskBytes: 16_777_216,
        processes: 32,
        memoryBytes: 1_073_741_824,
      },
    },
    argv: ['curl.exe', '--version'],
    cwd: workspace,
    environment: {},
    guard: { pinned: [], fixed: [], closed: [], masks: [] },
  }
}

function failed(error: SandboxError): ProbeReport {
  return unavailableReport({ cause: error.message, remedy: error.remedy })
}
