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

export const REQUIRED_GUARANTEES: {
  readonly [P in 'linux' | 'darwin' | 'win32']: readonly Required[]
} = {
  linux: [...ALWAYS, 'descendant_kill', 'syscall_filter'],
  // macOS has no means to end a daemon that left its process group: docs/sandbox.md, "Guarantees on macOS".
  darwin: ALWAYS,
  win32: [...ALWAYS, 'descendant_kill'],
}
