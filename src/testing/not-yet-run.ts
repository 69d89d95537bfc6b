/** Which cases this version cannot run, and why: decided by the form of a case, never by how it ends. */

import type { PolicyCase } from './case-format.js'

/** One sentence a reason. A case that carries one is neither passed nor failed. */
export const NOT_YET_RUN = {
  delegate: 'delegates to another agent are not part of this version',
  tool: 'the tool is not part of this version',
} as const
export type NotYetRun = keyof typeof NOT_YET_RUN

/** The first reason that applies; `null` for a case that runs. */
export function whyNotYetRun({ call, delegate = [] }: PolicyCase): NotYetRun | null {
  if (delegate.some(({ kind }) => kind === 'delegate')) return 'delegate'
  return ABSENT_TOOLS.includes(call.tool) ? 'tool' : null
}

/** Built-in by name, so that no generic tool may stand for them. */
const ABSENT_TOOLS: readonly string[] = ['download', 'delegate']
