/** What every sandboxed command demands of the driver, one list a platform (sandbox.md §1). Data only. */

/** Demanded everywhere. */
const ALWAYS = [
  'write_confinement',
  'read_masking',
  'egress_block',
  'listen_block',
  'unix_socket_block',
  'metadata_protection',
  'env_scrub',
  'limits.time',
  'limits.output',
] as const

type Required = (typeof ALWAYS)[number] | 'descendant_kill' | 'syscall_filter'

// Dropped there, with a line in docs/sandbox.md: Windows keeps no container from a socket file in its own folders.
const ON_WINDOWS = ALWAYS.filter((name) => name !== 'unix_socket_block')

export const REQUIRED_GUARANTEES: {
  readonly [P in 'linux' | 'darwin' | 'win32']: readonly Required[]
} = {
  linux: [...ALWAYS, 'descendant_kill', 'syscall_filter'],
  // macOS has no means to end a daemon that left its process group: docs/sandbox.md, "Guarantees on macOS".
  darwin: ALWAYS,
  win32: [...ON_WINDOWS, 'descendant_kill'],
}
