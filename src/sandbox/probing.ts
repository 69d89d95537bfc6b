/** What the start probes of all drivers share (sandbox.md §1): their bounds, their profile, and how they fail. */

import type { ProbeReport, SandboxProfile } from '../contract/sandbox.js'
import { SandboxError } from '../core/errors.js'
import { unavailableReport } from './report.js'

/** Bounds of one test command; milliseconds and bytes. */
export const PROBE_LIMITS: { readonly timeoutMs: number; readonly outputBytes: number } = {
  timeoutMs: 30_000,
  outputBytes: 65_536,
}

/** The workspace alone, with nothing that a machine may lack but for the limits that are given. */
export function probeProfile(
  workspace: string,
  limits: Partial<Pick<SandboxProfile['limits'], 'processes' | 'memoryBytes'>> = {},
): SandboxProfile {
  return {
    fileSystem: { mode: 'workspace_write', workspace, writable: [], readable: [], hidden: [] },
    network: 'none',
    environment: { pass: [] },
    limits: {
      ...PROBE_LIMITS,
      diskBytes: 16_777_216,
      processes: null,
      memoryBytes: null,
      ...limits,
    },
  }
}

export const NO_PROBE_FOLDER: SandboxError = new SandboxError(
  'setup_failed',
  'no private folder could be made for the test command',
  'make the temporary folder writable',
)

/** Denied: every sandboxed call; nothing weaker is tried. */
export function probeFailed({ message, remedy }: SandboxError): ProbeReport {
  return unavailableReport({ cause: message, remedy })
}
