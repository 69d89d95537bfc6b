/** How a shell text is split, as the command line prints it (hosts.md §5, `shell --json`). */

import type { CommandAnalysis, RefusalCode } from '../core/need.js'

/** Version 1 of the form. */
export interface ShellReport {
  readonly v: 1
  readonly commands: readonly {
    readonly argv: readonly string[]
    readonly redirects: readonly string[]
    readonly assigns: readonly string[]
    /** The wrappers that run it, outermost first. */
    readonly via: readonly string[]
  }[]
  readonly operations: readonly { readonly access: 'read' | 'write'; readonly path: string }[]
  /** `null` stands for a host that the text does not tell. */
  readonly hosts: readonly (string | null)[]
  readonly refusals: readonly { readonly code: RefusalCode; readonly at: number }[]
}

/** The report of an analysis. What only may run or be read, told for deny and ask rules, is left out. */
export function shellReport(analysis: CommandAnalysis): ShellReport {
  const { commands, refusals, operations = [], hosts = [] } = analysis
  return {
    v: 1,
    commands: commands
      .filter(({ role }) => role !== 'suspected')
      .map(({ argv, redirects = [], assigns = [], via = [] }) => ({
        argv,
        redirects,
        assigns,
        via,
      })),
    operations: operations
      .filter(({ origin }) => origin !== 'argument')
      .map(({ access, path }) => ({ access, path })),
    hosts: hosts.filter(({ suspected }) => suspected !== true).map(({ host }) => host),
    refusals: refusals.map(({ code, at }) => ({ code, at })),
  }
}
