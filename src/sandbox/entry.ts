/** The public names of `sixgate/sandbox`. */

export { createNativeSandbox } from './select.js'
export { openSandbox } from './handle.js'
export { relocate } from './elsewhere/relocate.js'
export { SandboxError } from '../core/errors.js'

export type { NativeSandboxOptions } from './select.js'
export type { ProcessHostOptions } from './process-host/opt-in.js'
export type { OpenSandboxOptions, OpenSandboxProfile } from './handle.js'
export type {
  ConfineRequest,
  ConfinedCommand,
  ExecResult,
  GrantUse,
  KilledBy,
  LauncherStatus,
  NetworkGrant,
  PlacedName,
  PlacedPath,
  ProbeReport,
  SandboxDriver,
  SandboxExec,
  SandboxFallback,
  SandboxHandle,
  SandboxProfile,
  WorkspaceBackend,
} from '../contract/sandbox.js'
export type { Enforcement, Guarantee, GuaranteeReport, Platform } from '../core/guarantee.js'
export type { SandboxCode } from '../core/errors.js'
