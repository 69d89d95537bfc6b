/** What the broker's refusals mean, and what would help (sandbox.md §6). */

import { SandboxError, type SandboxCode } from '../../core/errors.js'

/** The fault that a broker names; `null` for a name that no broker of ours says. */
export function brokerFault(name: string, detail: string): SandboxError | null {
  const row = ROWS[name]
  if (row === undefined) return null
  const told = oneLine(detail)
  return new SandboxError(row.code, told === '' ? row.cause : `${row.cause}: ${told}`, row.remedy)
}

/** A conversation that keeps no rule: nothing that was said in it is believed. */
export function brokenConversation(why: string, noise: string): SandboxError {
  if (/language mode|ConstrainedLanguage/i.test(noise)) return CONSTRAINED
  const told = oneLine(noise)
  return new SandboxError(
    'setup_failed',
    told === '' ? `the broker ${why}` : `the broker ${why}: ${told}`,
    'run `pwsh -NoProfile -Command $PSVersionTable` and see that PowerShell 7 itself works',
  )
}

interface Row {
  readonly code: SandboxCode
  readonly cause: string
  readonly remedy: string
}

const TRY_AGAIN = 'run the command again when nothing else changes the workspace'
const REPORT = 'run the command again; if it stays, report the message'

const ROWS: Readonly<Record<string, Row | undefined>> = {
  bootstrap: {
    code: 'setup_failed',
    cause: 'PowerShell could not compile or load the broker',
    remedy: 'use an unmodified PowerShell 7.2 or newer in full language mode',
  },
  request_malformed: {
    code: 'setup_failed',
    cause: 'the broker did not understand the request',
    remedy: REPORT,
  },
  program_missing: {
    code: 'setup_failed',
    cause: 'the program does not exist',
    remedy: 'name an .exe or .com by its full path or by its name on PATH',
  },
  moved: {
    code: 'workspace_refused',
    cause: 'a path has moved or has become a link since it was looked at',
    remedy: TRY_AGAIN,
  },
  access_refused: {
    code: 'workspace_refused',
    cause: 'an access list could not be read or changed',
    remedy: 'work in a folder that this user owns, on a disk with NTFS',
  },
  profile_refused: {
    code: 'setup_failed',
    cause: 'Windows did not give an AppContainer profile',
    remedy: 'use Windows 10 1809 or newer, as a user that has a profile of its own',
  },
  job_refused: {
    code: 'setup_failed',
    cause: 'Windows did not give a job with limits',
    remedy: 'start the host outside of a job that forbids nested jobs',
  },
  start_refused: {
    code: 'setup_failed',
    cause: 'Windows did not start the program in its container',
    remedy: 'check that the program may be read by application packages',
  },
  journal_busy: {
    code: 'setup_failed',
    cause: 'another command holds the journal of access entries',
    remedy: TRY_AGAIN,
  },
  journal_malformed: {
    code: 'setup_failed',
    cause: 'the journal of access entries cannot be read',
    remedy:
      'end all commands, look at the access lists of your workspaces (icacls), then delete the journal',
  },
  self_test_failed: {
    code: 'unavailable',
    cause: 'the container did not hold its self-test',
    remedy:
      'remove loopback exemptions (CheckNetIsolation LoopbackExempt -c) and entries for ALL APPLICATION PACKAGES',
  },
  internal: { code: 'setup_failed', cause: 'the broker failed', remedy: REPORT },
}

const CONSTRAINED = new SandboxError(
  'setup_failed',
  'PowerShell runs in constrained language mode and compiles nothing',
  'let the policy of this machine run PowerShell in full language mode, or hand in a driver of your own',
)

function oneLine(text: string): string {
  // Control characters, escape sequences of a terminal among them, have no place in a message.
  const line = text.split(/[\r\n]+/).find((one) => one.trim() !== '') ?? ''
  return line
    .replace(/[^\x20-\x7e\u00a0-\uffff]/g, ' ')
    .trim()
    .slice(0, 200)
}
