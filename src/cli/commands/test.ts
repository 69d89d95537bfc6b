/** `sixgate test`: policy cases through the real pipeline (rules.md §7). */

import { loadPolicy } from '../../index.js'
import { parseCases, runCases, type CaseReport, type PolicyCase } from '../../testing/entry.js'
import { readArguments, usageFault } from '../arguments.js'
import { EXIT, type Command } from '../command.js'
import { readNamedFile } from '../named-file.js'
import type { Output } from '../output.js'

/** The last line is `N passed, N failed`; cases that this version cannot run are named and count as neither. */
export const test: Command = {
  name: 'test',
  usage: '[--json] [policy.jsonc] cases.jsonl',
  summary: 'run policy cases: 0 all pass, 1 any fails',
  async run(args, output) {
    const given = readArguments(args, {})
    const [first, second, ...rest] = given.positionals
    if (first === undefined || rest.length > 0) throw usageFault('give one file of cases')
    const policy = second === undefined ? undefined : await loadPolicy(first)
    const cases = await casesOf(second ?? first)
    const reports = await runCases(cases, policy)
    if (given.flag('json')) output.json(documentOf(reports))
    else print(cases, reports, output)
    return count(reports, 'failed') === 0 ? EXIT.ok : EXIT.failed
  },
}

async function casesOf(file: string): Promise<readonly PolicyCase[]> {
  return parseCases(await readNamedFile(file, 'the cases'), file)
}

function print(cases: readonly PolicyCase[], reports: readonly CaseReport[], output: Output): void {
  for (const [index, report] of reports.entries()) {
    const expected = cases[index]?.expect.decision.join(' or ') ?? ''
    if (report.status === 'failed') {
      output.line({ word: 'FAILED' }, ` ${report.id}: expected ${expected}, ${endOf(report)}`)
    }
    if (report.status === 'not_yet_run') output.line(`not yet run ${report.id}: ${report.reason}`)
  }
  const waiting = count(reports, 'not_yet_run')
  if (waiting > 0) output.line(`${waiting} not yet run`)
  output.line(`${count(reports, 'passed')} passed, ${count(reports, 'failed')} failed`)
}

function endOf(report: CaseReport): string {
  if ('fault' in report) return `could not be run: ${report.fault}`
  if (!('end' in report)) return ''
  const { decision, layer, matchedRule } = report.end
  return layer === null
    ? `was ${decision}`
    : `was ${decision} at ${layer} by \`${matchedRule ?? '-'}\``
}

function documentOf(reports: readonly CaseReport[]): object {
  return {
    passed: count(reports, 'passed'),
    failed: count(reports, 'failed'),
    not_yet_run: count(reports, 'not_yet_run'),
    cases: reports.map((report) => ({
      id: report.id,
      status: report.status,
      ...('reason' in report ? { reason: report.reason } : {}),
      ...('fault' in report ? { fault: report.fault } : {}),
      ...('end' in report
        ? {
            decision: report.end.decision,
            layer: report.end.layer,
            matched_rule: report.end.matchedRule,
          }
        : {}),
    })),
  }
}

function count(reports: readonly CaseReport[], status: CaseReport['status']): number {
  return reports.filter((report) => report.status === status).length
}
