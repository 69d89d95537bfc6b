import { expect, it } from 'vitest'
import { explainFailure } from './failure.js'

it.each([
  [
    'bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces.',
    'namespaces_denied',
  ],
  ['bwrap: Creating new namespace failed: Operation not permitted', 'namespaces_denied'],
  [
    'bwrap: Creating new namespace failed, likely because the kernel limit: max_user_namespaces exceeded (ENOSPC)',
    'namespaces_limited',
  ],
  ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", 'proc_masked'],
  ['bwrap: setting up uid map: Operation not permitted', 'uid_map_refused'],
  ['bwrap: Unknown option --disable-userns', 'setup_failed'],
  [
    'bwrap: Unable to set up system call filtering as requested: prctl(PR_SET_SECCOMP) reported EINVAL.',
    'setup_failed',
  ],
  ['', 'setup_failed'],
])('explains `%s` as %s, with a remedy', (stderr, code) => {
  const error = explainFailure(stderr)

  expect(error.code).toBe(code)
  expect(error.remedy).not.toBe('')
})
