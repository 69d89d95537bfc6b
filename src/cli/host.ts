/** The small host that commands are: the built-in tools, the native sandbox, the person at the terminal. */

import { closeSync, openSync } from 'node:fs'
import {
  createSixgate,
  memoryStore,
  terminalResponder,
  type Policy,
  type Responder,
  type Sixgate,
  type Store,
  type Tool,
} from '../index.js'
import { createNativeSandbox, type ProbeReport, type SandboxDriver } from '../sandbox/entry.js'
import { bash, edit, ls, read, search, webFetch, write } from '../tools/entry.js'

/** What a command can do. */
export const TOOLS: readonly Tool[] = [bash, edit, ls, read, search, webFetch, write]

/** What `openHost` is given. */
export interface HostOptions {
  readonly policy: Policy
  readonly workspace: string
  readonly responder: Responder | undefined
  /** Absent: nothing is kept. */
  readonly store?: Store | undefined
  /** Hosts whose network grants may lead to private addresses. */
  readonly privateHosts?: readonly string[] | undefined
}

/** A host with the probe of its sandbox, which is asked once. */
export interface Host {
  readonly sixgate: Sixgate
  readonly probe: () => Promise<ProbeReport>
}

/** Throws `ConfigError` for a workspace or a policy that must not be used. */
export function openHost({ policy, workspace, responder, store, privateHosts }: HostOptions): Host {
  const driver = probedOnce(createNativeSandbox({ privateHosts }))
  const sixgate = createSixgate({
    policy,
    workspace,
    tools: TOOLS,
    sandbox: driver,
    responder,
    store: store ?? memoryStore(),
  })
  return { sixgate, probe: driver.probe }
}

/** The person at the controlling terminal; `undefined` when there is none, so that asks are denied. */
export function responderHere(): Responder | undefined {
  return hasTerminal() ? terminalResponder() : undefined
}

/** Whether a person can be asked at the controlling terminal. */
export function hasTerminal(): boolean {
  try {
    closeSync(openSync(process.platform === 'win32' ? '\\\\.\\CONIN$' : '/dev/tty', 'r+'))
    return true
  } catch {
    // Denied: whatever asks. Standard input may be a pipe that anybody fills.
    return false
  }
}

function probedOnce(driver: SandboxDriver): SandboxDriver {
  let report: Promise<ProbeReport> | undefined
  return { ...driver, probe: () => (report ??= driver.probe()) }
}
