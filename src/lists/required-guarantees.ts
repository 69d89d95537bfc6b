/** What every sandboxed command demands of the driver, one list a platform (sandbox.md §1). Data only. */

/** Demanded everywhere. */
const ALWAYS = [
  'write_confinement',
  'read_masking',
  'egress_block',
  'listen_block',
  'descendant_kill',
  'env_scrub',
  'limits.time',
  'limits.output',
] as const

type Required =
  (typeof ALWAYS)[number] | 'unix_socket_block' | 'metadata_protection' | 'syscall_filter'

export const REQUIRED_GUARANTEES: {
  readonly [P in 'linux' | 'darwin' | 'win32']: readonly Required[]
} = {
  // Linux leaves out `unix_socket_block`, `metadata_protection` and `syscall_filter`: this version has
  // neither a system-call filter nor pinned control files. `docs/sandbox.md` ("Honest limits") says so.
  linux: ALWAYS,
  darwin: [...ALWAYS, 'unix_socket_block', 'metadata_protection'],
  win32: [...ALWAYS, 'unix_socket_block', 'metadata_protection'],
}
