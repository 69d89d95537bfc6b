/** Which cases this version cannot run, and why: decided by the form of a case, never by how it ends. */

import type { Policy } from '../contract/policy.js'
import type { PolicyCase } from './case-format.js'
import { whyNotCommand } from './not-yet-analysed.js'

/** One sentence a reason. A case that carries one is neither passed nor failed. */
export const NOT_YET_RUN = {
  delegation: 'sessions of subagents are not part of this version',
  platform: 'cases of another platform than linux are not part of this version',
  hard_links: 'aliases by hard link are not part of this version',
  tool: 'the tool is not part of this version',
  search_mode: 'the search mode is not part of this version',
  shell_text: 'more than one plain simple command is not analysed in this version',
  operands: 'operands of file commands do not meet path rules in this version',
  output_option: 'files that an output option names are not found in this version',
  global_option: 'options before a subcommand are not skipped in this version',
  suffix: 'denied commands behind an unknown program are not found in this version',
  floor: 'the floor under catastrophic commands is not part of this version',
} as const
export type NotYetRun = keyof typeof NOT_YET_RUN

/** The first reason that applies; `null` for a case that runs. */
export function whyNotYetRun(one: PolicyCase, policy: Policy | undefined): NotYetRun | null {
  const { context, call, delegate } = one
  if (delegate !== undefined && delegate.length > 0) return 'delegation'
  if (context.platform !== undefined && context.platform !== 'linux') return 'platform'
  if (context.hardlinks !== undefined) return 'hard_links'
  if (ABSENT_TOOLS.includes(call.tool)) return 'tool'
  if (call.tool === 'search' && argument(one, 'mode') === 'bm25') return 'search_mode'
  const command = argument(one, 'command')
  if (call.tool !== 'bash' || typeof command !== 'string') return null
  return whyNotCommand(command, tightenings(one.policy ?? policy?.document ?? {}), one.context)
}

/** Built-in by name, so that no generic tool may stand for them. */
const ABSENT_TOOLS: readonly string[] = ['patch', 'download', 'agent', 'delegate']

function argument({ call }: PolicyCase, name: string): unknown {
  return Reflect.get(Object(call.args) as object, name) as unknown
}

/** What the deny and ask rules match, as far as they are rules at all. */
function tightenings(policy: Readonly<Record<string, unknown>>): readonly string[] {
  const rules: readonly unknown[] = Array.isArray(policy['rules']) ? policy['rules'] : []
  return rules.flatMap((rule) => {
    const { effect, match } = partsOf(rule)
    return effect !== 'allow' && typeof match === 'string' ? [match] : []
  })
}

function partsOf(rule: unknown): { readonly effect?: unknown; readonly match?: unknown } {
  if (typeof rule !== 'string') return Object(rule) as object
  const blank = rule.indexOf(' ')
  return { effect: rule.slice(0, blank), match: rule.slice(blank + 1) }
}
