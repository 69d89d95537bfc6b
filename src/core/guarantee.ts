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

/** What a boundary must keep: a platform's own list, and what only some policies and calls demand. */
export function demandedGuarantees(
  always: readonly Guarantee[],
  limits: { readonly processes: number | null; readonly memoryBytes: number | null },
  withGrant = false,
): readonly Guarantee[] {
  return [
    ...always,
    ...(withGrant ? (['network_grant'] as const) : []),
    ...(limits.processes === null ? [] : (['limits.processes'] as const)),
    ...(limits.memoryBytes === null ? [] : (['limits.memory'] as const)),
  ]
}

/**
 * What a profile gives up by opening something: writable package stores may reach outside (H-27), and a
 * folder that lasts for a session lies on the host's disk.
 */
export function givenUp({
  packageStores,
  scratch,
}: {
  readonly packageStores?: 'writable' | undefined
  readonly scratch?: 'session' | undefined
}): readonly Guarantee[] {
  return [
    ...(packageStores === undefined ? [] : (['write_confinement'] as const)),
    ...(scratch === undefined ? [] : (['limits.disk'] as const)),
  ]
}

/** Operating systems that a sandbox driver can exist for. */
export const PLATFORMS = ['linux', 'darwin', 'win32'] as const
export type Platform = (typeof PLATFORMS)[number]
