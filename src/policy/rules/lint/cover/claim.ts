/** What is claimed of a pair of rules. */

/** An allow under an allow, an allow under a deny or ask, or one of these under another. */
export type Claim = 'proof_in_proof' | 'proof_in_suspicion' | 'suspicion_in_suspicion'
