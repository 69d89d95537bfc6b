/**
 * What one language says to model and person (hosts.md §2, api.md law 2). A sentence for the model
 * names what a person could change and nothing of the policy; ids, codes, capability and layer names
 * are the same in every language and arrive as arguments.
 */

import type { Language } from './language.js'
import type { ReasonCode } from '../core/reasons.js'

/** A reason, or the family of one that ends in a name: a language without its sentence does not compile. */
export type Spoken = FamilyOf<ReasonCode>
type FamilyOf<R extends string> = R extends `${infer F}.${string}` ? F : R

/** How a call ends that did not end by itself. */
type StoppedBy = 'revoked' | 'cancelled' | 'timeout'

/** Where a call would run. */
type Place = 'process' | 'sandbox' | 'unconfined'

/** What a call would do, by the kind of its subjects. */
export type Deed = 'run' | 'write' | 'read' | 'contact'

export interface Words {
  readonly language: Language
  readonly comma: string

  // Refusals
  readonly reasons: { readonly [R in Spoken]: string }
  readonly refusal: (code: string, sentence: string) => string
  readonly needs: (capabilities: string) => string
  readonly theCall: string
  readonly deniedAt: (call: string, layer: string, by: string) => string
  readonly callNamed: (id: string) => string

  // Judgements and ends that are no refusal
  readonly allowed: string
  readonly needsApproval: string
  readonly onTrial: { readonly [D in 'allow' | 'ask']: string }
  readonly waits: string
  readonly waitsFor: (action: string, rule: string, risk: string) => string
  readonly waitsSinceRestart: string
  readonly failed: string
  readonly cannotStart: string
  readonly stopped: { readonly [S in StoppedBy]: string }
  readonly discarded: string
  readonly notStarted: string

  // What a call would do
  readonly deeds: { readonly [D in Deed]: (count: number) => string }
  readonly callsTool: string
  readonly places: { readonly [P in Place]: string }
  readonly unresolved: (count: number) => string
  readonly unknownHost: string
  readonly warning: string

  /** What a terminal shows. */
  readonly prompt: PromptWords
}

export interface PromptWords {
  readonly opening: string
  /** Ends where the answer begins. */
  readonly question: string
  /** The same where something may be remembered as well. */
  readonly questionOffering: (offers: string) => string
  /** The whole word that allows; `yes` does in every language. */
  readonly yes: string
  readonly subjects: {
    readonly [S in 'command' | 'read' | 'write' | 'host' | 'text' | 'justification']: string
  }
  readonly rule: string
  readonly reason: string
  readonly tool: string
  /** Above what is remembered for the session by an answer that names the offer. */
  readonly offered: (id: string) => string
  readonly authors: { readonly [A in 'model' | 'policy' | 'tool']: string }
  readonly hidden: (count: number) => string
  readonly notEnforced: string
  readonly thisCall: string
  /** With their colon, padded to one column. */
  readonly labels: {
    readonly [
      L in
        'action' | 'scope' | 'risk' | 'escalations' | 'sandbox' | 'expires' | 'request' | 'warning'
    ]: string
  }
}
