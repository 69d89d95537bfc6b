/** What every sandboxed command demands of the driver, one list a platform (sandbox.md §1). Data only. */

/** Demanded everywhere. */
const ALWAYS = [
  'write_confinement',
  'read_masking',
  'egress_block',
  'listen_block',
  'unix_socket_block',
  'descendant_kill',
  'env_scrub',
  'limits.time',
  'limits.output',
] as const

type Required = (typeof ALWAYS)[number] | 'metadata_protection' | 'syscall_filter'

export const REQUIRED_GUARANTEES: {
  readonly [P in 'linux' | 'darwin' | 'win32']: readonly Required[]
} = {
  // Linux leaves out `metadata_protection`: control files are not pinned in this version.
  // `docs/sandbox.md` ("Honest limits") says so.
  linux: [...ALWAYS, 'syscall_filter'],
  darwin: [...ALWAYS, 'metadata_protection'],
  win32: [...ALWAYS, 'metadata_protection'],
}
