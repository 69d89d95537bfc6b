/** What a sandbox driver can be asked to enforce, one name a guarantee (sandbox.md §1). */

export const GUARANTEES = [
  'write_confinement',
  'read_masking',
  'egress_block',
  'listen_block',
  'unix_socket_block',
  'metadata_protection',
  'descendant_kill',
  'env_scrub',
  'syscall_filter',
  'network_grant',
  'limits.time',
  'limits.output',
  'limits.disk',
  'limits.processes',
  'limits.memory',
] as const
export type Guarantee = (typeof GUARANTEES)[number]

/** Whether a driver keeps one guarantee on this machine; where not, why and what helps. */
export type Enforcement =
  | { readonly status: 'enforced' }
  | { readonly status: 'unenforceable'; readonly cause: string; readonly remedy: string }

/** One answer for every guarantee; a driver that forgets one does not compile. */
export type GuaranteeReport = { readonly [G in Guarantee]: Enforcement }

/** Operating systems that a sandbox driver can exist for. */
export const PLATFORMS = ['linux', 'darwin', 'win32'] as const
export type Platform = (typeof PLATFORMS)[number]
