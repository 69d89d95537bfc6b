/** What sandbox-exec's own words mean when the probe failed (sandbox.md §5). */

import { SandboxError } from '../../core/errors.js'
import type { SandboxCode } from '../../core/errors.js'

/** The fault behind a failed probe, by the launcher's standard error. */
export function explainFailure(stderr: string): SandboxError {
  const row = ROWS.find(({ says }) => says.test(stderr))
  if (row !== undefined) return new SandboxError(row.code, row.cause, row.remedy)
  const line = /^sandbox-exec: (.*)$/m.exec(stderr)?.[1]?.slice(0, 200)
  return new SandboxError(
    'setup_failed',
    line === undefined
      ? 'the sandbox did not run its test command and gave no reason'
      : `sandbox-exec could not set the sandbox up: ${line}`,
    "run by hand and read the message: sandbox-exec -p '(version 1)(allow default)' /usr/bin/true",
  )
}

/** The fault of a boundary that let its test command do what no command may. */
export function notHeld(broken: readonly string[]): SandboxError {
  return new SandboxError(
    'setup_failed',
    `this version of macOS does not keep what the profile says: ${broken.join(', ')}`,
    'report the version of macOS with this line; until then hand in a driver of your own',
  )
}

interface Row {
  readonly says: RegExp
  readonly code: SandboxCode
  readonly cause: string
  readonly remedy: string
}

const ROWS: readonly Row[] = [
  {
    says: /sandbox_apply(?:_container)?: Operation not permitted/i,
    code: 'setup_failed',
    cause: 'this process is inside a Seatbelt sandbox already, and macOS puts none into another',
    remedy: 'start the host outside of the other sandbox (an editor, an agent, `swift build`)',
  },
  {
    says: /unbound variable|illegal function|invalid (?:filter|operation)|syntax error|<input string>/i,
    code: 'setup_failed',
    cause: 'this version of macOS does not know a word of the profile',
    remedy: 'upgrade macOS',
  },
  {
    says: /execvp\(\) of '[^']*' failed: Operation not permitted/i,
    code: 'setup_failed',
    cause: 'the profile does not let the system’s own shell start',
    remedy: 'report the version of macOS with this line',
  },
  {
    says: /execvp\(\) of '[^']*' failed/i,
    code: 'setup_failed',
    cause: 'the system’s own shell /bin/bash is missing',
    remedy: 'macOS brings it with it: reinstall the system over itself',
  },
]
