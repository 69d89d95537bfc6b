/** The code of an operating system error, as Node hangs it on what it throws. */

/** `'ENOENT'` and its like; `null` for anything that did not come from a system call. */
export function systemErrorCode(cause: unknown): string | null {
  if (!(cause instanceof Error) || !('code' in cause)) return null
  return typeof cause.code === 'string' ? cause.code : null
}
