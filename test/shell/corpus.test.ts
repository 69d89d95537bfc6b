/** Every row of the shell corpus: what bash runs is what the analysis tells, and capped rows are never allowed. */

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { shell } from '../../src/cli/commands/shell.js'
import type { Output } from '../../src/cli/output.js'
import { analyse } from '../../src/shell/analyse.js'
import type { ShellReport } from '../../src/shell/report.js'
import { decisionOf } from '../builders/shell-decision.js'

interface Row {
  readonly id: string
  readonly command: string
  readonly valid_bash: boolean
  readonly expected: readonly (readonly string[])[] | null
  readonly unfold?: readonly (readonly string[])[]
  readonly redirects: readonly string[]
  readonly assigns: readonly string[]
  readonly cap?: 'ask'
}

const ROWS: readonly Row[] = readFileSync('test/cases/shell.jsonl', 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Row)

const EXACT = ROWS.filter((row) => row.valid_bash && row.expected !== null && row.cap === undefined)
const CAPPED = ROWS.filter((row) => row.cap === 'ask')

/** What the command prints with `--json`, before it is cleaned for a terminal. */
async function reported(command: string): Promise<ShellReport> {
  const documents: object[] = []
  const unused = (): never => {
    throw new Error('something else was printed')
  }
  const output: Output = {
    line: unused,
    note: unused,
    raw: unused,
    json: unused,
    document: (document) => void documents.push(document),
  }
  await shell.run(['--json', '--', command], output)
  return documents[0] as ShellReport
}

function multiset(items: readonly unknown[]): readonly string[] {
  return items.map((item) => JSON.stringify(item)).sort()
}

describe('the shell corpus', () => {
  it('has its 270 rows', () => {
    expect(ROWS).toHaveLength(270)
    expect(EXACT.length + CAPPED.length).toBe(270)
  })

  it.each(EXACT.map((row) => [row.id, row] as const))(
    '[%s] is told word for word by `sixgate shell`',
    async (_id, row) => {
      const { commands } = await reported(row.command)

      const argv = commands.map((command) => command.argv).filter((words) => words.length > 0)
      expect(multiset(argv)).toEqual(multiset([...(row.expected ?? []), ...(row.unfold ?? [])]))
      expect(multiset(commands.flatMap(({ redirects }) => redirects))).toEqual(
        multiset(row.redirects),
      )
      expect(commands.flatMap(({ assigns }) => assigns)).toHaveLength(row.assigns.length)
    },
  )

  it.each(CAPPED.map((row) => [row.id, row] as const))('[%s] is never allowed', (_id, row) => {
    const told = analyse(row.command).commands.flatMap(({ argv: [program] }) => program ?? [])
    const programs = [...(row.expected ?? []).flatMap(([program]) => program ?? []), ...told]
    const rules = [...new Set(programs)]
      .filter((program) => /^[A-Za-z0-9._/[-]+$/.test(program))
      .map((program) => `allow bash(${program}:*)`)

    expect(decisionOf([...rules, 'allow bash(**)', 'allow write(**)'], row.command)).not.toBe(
      'allow',
    )
    expect(decisionOf(['allow bash', 'allow write(**)'], row.command)).not.toBe('allow')
  })
})
