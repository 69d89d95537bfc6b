/** The start probe: compiles the broker, runs its self-test and one real command (sandbox.md §1, §6). */

import type { ProbeReport } from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'
import type { Machine } from '../../platform/machine.js'
import type { Confinement } from '../../platform/process/pipes.js'
import { runConfined } from '../../platform/process/spawn.js'
import type { GuardedRequest } from '../protection/guard.js'
import { NO_PROBE_FOLDER, PROBE_LIMITS, probeFailed, probeProfile } from '../probing.js'
import { appcontainerGuarantees } from './guarantees.js'

/** Works in an empty private folder; never rejects. */
export async function probeAppcontainer(
  machine: Machine,
  confine: (request: GuardedRequest) => Confinement,
): Promise<ProbeReport> {
  const folder = machine.privateFolder()
  if (folder === null) return probeFailed(NO_PROBE_FOLDER)
  try {
    const run = await runConfined(confine(testIn(folder.path)), {
      ...PROBE_LIMITS,
      launcherStatus: 'dialogue',
    })
    if (!run.started || run.exitCode !== 0) return probeFailed(NOT_RUN)
    return { status: 'ready', guarantees: appcontainerGuarantees(), cause: null, remedy: null }
  } catch (cause) {
    // Denied: every sandboxed call; nothing weaker is tried.
    return probeFailed(cause instanceof SandboxError ? cause : NOT_RUN)
  } finally {
    folder.remove()
  }
}

const NOT_RUN = new SandboxError(
  'setup_failed',
  'the sandbox did not run its test command',
  'use Windows 10 1809 or newer with curl.exe in its system folder',
)

/** The program that the self-test uses as well: it is part of Windows and needs nothing of the user's. */
function testIn(workspace: string): GuardedRequest {
  return {
    profile: probeProfile(workspace, { processes: 32, memoryBytes: 1_073_741_824 }),
    argv: ['curl.exe', '--version'],
    cwd: workspace,
    environment: {},
    guard: { pinned: [], fixed: [], closed: [], masks: [] },
  }
}
