/** What a call would touch, as its tool states it (pipeline.md §3, api.md `Need`). */

import type { Capability } from './capability.js'
import type { Escalation } from './escalation.js'

/** Shells whose text a `command` need can hold. */
export const SHELLS = ['bash', 'powershell', 'cmd'] as const
export type Shell = (typeof SHELLS)[number]

/**
 * One simple command of a shell text: its words without quotes, and every way in which a word was
 * more than plain text is a refusal of the whole analysis.
 */
export interface SimpleCommand {
  readonly argv: readonly string[]
}

/** Why a shell text proves nothing to an allow rule, and where (offset in UTF-16 units). */
export interface Refusal {
  readonly code: RefusalCode
  readonly at: number
}

/** Reason codes of refused shell text; they appear as `refused.<code>` (rules.md §5 item 3). */
export const REFUSAL_CODES = [
  'compound',
  'expansion',
  'redirect',
  'assignment',
  'quoting',
  'control_character',
  'oversize',
  'syntax',
  'empty',
  'unsupported_shell',
  'unanalysed',
] as const
export type RefusalCode = (typeof REFUSAL_CODES)[number]

/** What `runs()` found in a shell text. With a refusal, `commands` serve deny and ask only. */
export interface CommandAnalysis {
  readonly commands: readonly SimpleCommand[]
  readonly refusals: readonly Refusal[]
}

/** One thing that a call needs. A `null` host is a host that nobody knows before the call runs. */
export type Need =
  | { readonly kind: 'path'; readonly access: 'read' | 'write'; readonly path: string }
  | {
      readonly kind: 'command'
      readonly command: string
      readonly shell?: Shell | undefined
      /** Made by `runs()`; without it no allow rule covers the command. */
      readonly analysis?: CommandAnalysis | undefined
    }
  | {
      readonly kind: 'host'
      readonly host: string | null
      readonly port?: number | undefined
      /** The path of the URL, for rules of the form `web_fetch(host/pattern)`. */
      readonly path?: string | undefined
    }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'capability'; readonly name: Capability }
  | { readonly kind: 'escalation'; readonly name: Escalation; readonly detail: string }
