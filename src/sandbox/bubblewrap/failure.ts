/** What bubblewrap's own words mean when the probe failed (sandbox.md §4). */

import { SandboxError } from '../../core/errors.js'
import type { SandboxCode } from '../../core/errors.js'

/** The fault behind a failed probe, by bubblewrap's standard error. */
export function explainFailure(stderr: string): SandboxError {
  const row = ROWS.find(({ says }) => says.test(stderr))
  if (row !== undefined) return new SandboxError(row.code, row.cause, row.remedy)
  const line = /^bwrap: (.*)$/m.exec(stderr)?.[1]?.slice(0, 200)
  return new SandboxError(
    'setup_failed',
    line === undefined
      ? 'the sandbox did not run its test command and gave no reason'
      : `bubblewrap could not set the sandbox up: ${line}`,
    'run by hand and read the message: bwrap --unshare-all --ro-bind / / --proc /proc /bin/true',
  )
}

interface Row {
  readonly says: RegExp
  readonly code: SandboxCode
  readonly cause: string
  readonly remedy: string
}

// The order matters: a limit of zero also mentions a new namespace.
const ROWS: readonly Row[] = [
  {
    says: /Unknown option/i,
    code: 'setup_failed',
    cause: 'this bubblewrap is too old: it cannot mount by file descriptor',
    remedy:
      'upgrade it to 0.10 or newer, or to the security update of your distribution: apt-get install --only-upgrade -y bubblewrap',
  },
  {
    says: /seccomp/i,
    code: 'setup_failed',
    cause: 'the kernel did not load the system-call filter',
    remedy: 'use a kernel with CONFIG_SECCOMP_FILTER, outside of a container that forbids seccomp',
  },
  {
    says: /namespaces exceeded|No space left on device|nesting depth/i,
    code: 'namespaces_limited',
    cause: 'the limit of user namespaces is reached or zero',
    remedy: 'raise it: sysctl -w user.max_user_namespaces=15000',
  },
  {
    says: /No permissions to create (?:a )?new namespace|Creating new namespace failed/i,
    code: 'namespaces_denied',
    cause: 'this system or container does not let this user create namespaces',
    remedy:
      'allow user namespaces: sysctl -w kernel.unprivileged_userns_clone=1, an AppArmor profile for bwrap, or a container started with --security-opt seccomp=unconfined',
  },
  {
    says: /setting up uid map|setting up gid map|uid_map|gid_map/i,
    code: 'uid_map_refused',
    cause: 'the kernel refused to map this user into a new namespace',
    remedy: 'give the container CAP_SETFCAP, or run as a user other than root',
  },
  {
    says: /mount proc|\/proc/i,
    code: 'proc_masked',
    cause: 'a fresh /proc cannot be mounted here because the outer one is masked',
    remedy:
      'run the container with an unmasked /proc: --security-opt systempaths=unconfined, or outside of another sandbox',
  },
]
