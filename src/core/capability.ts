/** What a tool can need and a policy can grant (pipeline.md §2). */

export const CAPABILITIES = [
  'fs.read',
  'fs.write',
  'process.exec',
  'agent.spawn',
  'agent.delegate',
  'external.effect',
  'host.escape',
] as const

/** A built-in capability, or one that the host defines as `x.<name>`. */
export type Capability = (typeof CAPABILITIES)[number] | `x.${string}`

export const HOST_CAPABILITY: RegExp = /^x\.[a-z0-9][a-z0-9._-]{0,63}$/

/** True for the built-in names and for well-formed `x.<name>`; every other text is no capability. */
export function isCapability(text: unknown): text is Capability {
  if (typeof text !== 'string') return false
  return (CAPABILITIES as readonly string[]).includes(text) || HOST_CAPABILITY.test(text)
}
