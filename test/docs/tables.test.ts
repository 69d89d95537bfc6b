/** Holds the documentation to the code: the tables of codes and ids, and what the README promises. */

import { describe, expect, it } from 'vitest'
import {
  ADMISSION_CODES,
  CONFIG_CODES,
  DELEGATION_CODES,
  INTERNAL_CODES,
  RECORD_CODES,
  SANDBOX_CODES,
  SNAPSHOT_CODES,
  TOOL_CODES,
} from '../../src/core/errors.js'
import { REFUSAL_CODES } from '../../src/core/need.js'
import { ANSWER_ENDS, REASON_ROWS, UNRECORDED_REFUSALS } from '../../src/core/reasons.js'
import { fences, readPage, tableRows } from './markdown.js'

describe('docs/error-codes.md', () => {
  const page = readPage('docs/error-codes.md')

  it.each<[string, readonly string[]]>([
    ['ConfigError', CONFIG_CODES],
    ['AdmissionError', ADMISSION_CODES],
    ['RecordError', RECORD_CODES],
    ['SandboxError', SANDBOX_CODES],
    ['DelegationError', DELEGATION_CODES],
    ['SnapshotError', SNAPSHOT_CODES],
    ['ToolError', TOOL_CODES],
    ['InternalError', INTERNAL_CODES],
  ])('has exactly the codes of %s, in order, each with all four columns', (name, codes) => {
    const rows = tableRows(page, name)

    expect(rows.map(([code]) => code)).toEqual(codes.map((code) => `\`${code}\``))
    expect(rows.filter((cells) => cells.length !== 4 || cells.includes(''))).toEqual([])
  })
})

describe('docs/ids-and-reasons.md', () => {
  const page = readPage('docs/ids-and-reasons.md')

  it('has exactly the rows of the table in the code', () => {
    const rows = tableRows(page, 'Ids and reasons').map((cells) => cells.slice(0, 4).join(' | '))

    expect(rows).toEqual(
      REASON_ROWS.map(({ layer, decision, matchedRule, reason }) =>
        [`\`${layer}\``, `\`${decision}\``, `\`${matchedRule}\``, reasonCell(reason)].join(' | '),
      ),
    )
  })

  it.each<[string, readonly string[]]>([
    ['How a question ends', ANSWER_ENDS],
    ['Refusals without a record', UNRECORDED_REFUSALS],
    ['Refused shell text', REFUSAL_CODES.map((code) => `refused.${code}`)],
  ])('lists under "%s" exactly what the code has', (heading, codes) => {
    const rows = tableRows(page, heading)

    expect(rows.map(([code]) => code)).toEqual(codes.map((code) => `\`${code}\``))
    expect(rows.filter((cells) => cells.includes(''))).toEqual([])
  })
})

describe('README.md', () => {
  const page = (): string => readPage('README.md')

  it('has at most 250 lines', () => {
    expect(page().trimEnd().split('\n').length).toBeLessThanOrEqual(250)
  })

  it('begins with a program of at most 12 lines, and what it prints', () => {
    const [program, printed] = fences('README.md', page()).filter(({ info }) => info !== '')

    expect([program?.info, printed?.info]).toEqual(['ts', 'text'])
    expect(program!.code.split('\n').length).toBeLessThanOrEqual(12)
  })

  it.each(['npm ci && npm run demo', 'npm ci && npm test'])('shows the command `%s`', (command) => {
    const commands = fences('README.md', page()).flatMap(({ code }) => code.split('\n'))

    expect(commands.map((line) => line.trim())).toContain(command)
  })
})

function reasonCell(reason: string | null): string {
  if (reason === null) return '–'
  return reason === 'end' ? 'how the question ended' : `\`${reason}\``
}
