/** What a call can ask for beyond its policy; each needs one confirmation (pipeline.md §3). */

export const ESCALATIONS = [
  'host_execution',
  'unconfined_fallback',
  'network_grant',
  'protected_metadata',
  'external_effect',
  'tool_confirmation',
] as const

/** One escalation by name. The first two run the call outside every driver (H-06). */
export type Escalation = (typeof ESCALATIONS)[number]

/** True for the names of `ESCALATIONS`. */
export function isEscalation(text: unknown): text is Escalation {
  return typeof text === 'string' && (ESCALATIONS as readonly string[]).includes(text)
}

/** True for the escalations that end outside every sandbox driver. */
export function isUnconfined(name: Escalation): boolean {
  return name === 'host_execution' || name === 'unconfined_fallback'
}
