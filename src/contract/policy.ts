/** Policies as authors write them (pipeline.md §2) and as the library hands them on. */

import type { Capability } from '../core/capability.js'
import type { Effect, RuleSource } from '../core/effect.js'
import type { JsonObject } from '../core/json.js'
import type { ApprovalPolicy } from '../core/reasons.js'

export const WORK_MODES = ['plan', 'ro', 'rw', 'full'] as const
export type WorkMode = (typeof WORK_MODES)[number]

/** A rule in its long form; the short form is the text `<effect> <match>`, bare or as `{rule: text}`. */
export interface RuleInput {
  readonly id?: string | undefined
  readonly effect: Effect
  readonly match: string
  readonly except?: readonly string[] | undefined
  readonly reason?: string | undefined
  readonly examples?:
    | {
        readonly match?: readonly string[] | undefined
        readonly not_match?: readonly string[] | undefined
      }
    | undefined
}

export type NetworkMode = 'off' | 'grant' | 'on'
export type SandboxMode = 'read_only' | 'workspace_write' | 'open'
/** A positive whole number, or the word; there is no magic zero. */
export type Limit = number | 'unlimited'

/** What `definePolicy` takes and a policy file holds. An absent axis takes its strict default. */
export interface PolicyInput {
  readonly $schema?: string | undefined
  readonly version?: 1 | undefined
  /** A starting point that the other keys override. */
  readonly profile?:
    'terminal.default' | 'terminal.plan' | 'terminal.auto' | 'unrestricted' | undefined
  readonly workMode?: WorkMode | undefined
  readonly capabilities?: readonly Capability[] | undefined
  readonly tools?:
    | 'all'
    | 'none'
    | {
        readonly only?: readonly string[] | undefined
        readonly exclude?: readonly string[] | undefined
      }
    | undefined
  readonly network?:
    | NetworkMode
    | {
        readonly mode: NetworkMode
        readonly allow?: readonly string[] | undefined
        readonly deny?: readonly string[] | undefined
      }
    | undefined
  readonly rules?: readonly (string | { readonly rule: string } | RuleInput)[] | undefined
  readonly toolApproval?:
    | ApprovalPolicy
    | { readonly policy: ApprovalPolicy; readonly whitelist?: readonly string[] | undefined }
    | undefined
  readonly approvalResponse?:
    | 'never'
    | 'prompt'
    | 'parent'
    | {
        readonly policy: 'never' | 'prompt' | 'parent'
        readonly timeoutMs?: number | undefined
      }
    | {
        readonly policy: 'route'
        readonly channel: string
        readonly recipient: string
        readonly timeoutMs?: number | undefined
      }
    | undefined
  readonly sandbox?:
    | {
        readonly mode?: SandboxMode | undefined
        readonly writable?: readonly string[] | undefined
        readonly readable?: readonly string[] | undefined
        readonly environment?: { readonly pass?: readonly string[] | undefined } | undefined
        readonly limits?:
          | {
              readonly timeoutMs?: number | undefined
              readonly outputBytes?: number | undefined
              readonly diskBytes?: number | undefined
              readonly processes?: number | undefined
              readonly memoryBytes?: number | undefined
            }
          | undefined
        readonly onUnavailable?: 'deny' | 'ask_host' | undefined
        /** `write`: commands may commit; hooks, configuration and other control files stay as they are. */
        readonly git?: 'read' | 'write' | undefined
        /** `writable`: also stores that share files with folders outside; gives `write_confinement` up. */
        readonly packageStores?: 'guarded' | 'writable' | undefined
        /** `session`: home and temporary files last for the session instead of for one call. */
        readonly scratch?: 'call' | 'session' | undefined
      }
    | undefined
  readonly delegation?:
    | {
        readonly mode?: 'forbidden' | 'allow' | undefined
        readonly spawnDepth?: number | undefined
        readonly delegateDepth?: number | undefined
        readonly targets?:
          | readonly (
              | string
              | { readonly agent: string; readonly mode?: 'bounded' | 'independent' | undefined }
            )[]
          | undefined
        readonly approvalPolicies?: readonly ApprovalPolicy[] | undefined
      }
    | undefined
  readonly budgets?:
    | {
        readonly actionsPerHour?: Limit | undefined
        readonly costPerDay?: Limit | undefined
        readonly costPerMonth?: Limit | undefined
        readonly treeIterations?: Limit | undefined
        readonly asksPending?: Limit | undefined
        readonly asksPerHour?: Limit | undefined
        readonly evaluationsPerMinute?: Limit | undefined
      }
    | undefined
  /** The only folders that files are read and written in; absent: no limit of this kind. */
  readonly roots?:
    | {
        readonly rw?: readonly string[] | undefined
        readonly ro?: readonly string[] | undefined
        readonly wo?: readonly string[] | undefined
      }
    | undefined
  /** Names of the only programs that commands may run. */
  readonly commands?: readonly string[] | undefined
  /** Neither read nor written, with everything below. */
  readonly forbiddenPaths?: readonly string[] | undefined
  readonly risk?:
    | { readonly high?: 'deny' | 'ask' | undefined; readonly medium?: 'ask' | 'none' | undefined }
    | undefined
  /** Sets of names that the host gives a meaning; a child gets no more than its parent. */
  readonly scopes?: Readonly<Record<string, readonly string[]>> | undefined
}

/** A checked, canonical, frozen policy. Made by `definePolicy` and `loadPolicy` only. */
export interface Policy {
  /** What the author stated, in canonical long form; axes that are not stated are absent. */
  readonly document: JsonObject
  /** SHA-256 of the RFC 8785 form of `document`, lower-case hexadecimal. */
  readonly digest: string
  readonly source: Extract<RuleSource, 'managed' | 'user' | 'workspace'>
  /** The file it was read from, as given; `null` for `definePolicy`. */
  readonly file: string | null
}
