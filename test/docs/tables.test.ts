/** Holds the documentation to the code: the tables of codes and ids, and what the README promises. */

import { existsSync } from 'node:fs'
import { posix } from 'node:path'
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
import { fences, pages, readPage, tableRows } from './markdown.js'

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

describe('the pages', () => {
  it('are all listed in docs/README.md', () => {
    const listed = linksOf('docs/README.md').map(({ file }) => file)

    expect(pages().filter((page) => !/README\.md$/.test(page) && !listed.includes(page))).toEqual(
      [],
    )
  })

  it.each(['CHANGELOG.md', ...pages()])('lead from %s to files and headings that exist', (page) => {
    expect(linksOf(page).filter((link) => !leadsSomewhere(link))).toEqual([])
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

interface Link {
  readonly file: string
  readonly anchor: string
}

/** Links inside of the repository, by the path from its root. */
function linksOf(page: string): readonly Link[] {
  return [...readPage(page).matchAll(/\]\((?<target>[^()\s]+)\)/g)]
    .map((match) => match.groups!['target']!)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', anchor = ''] = target.split('#', 2)
      return { file: file === '' ? page : posix.join(posix.dirname(page), file), anchor }
    })
}

function leadsSomewhere({ file, anchor }: Link): boolean {
  if (!existsSync(file)) return false
  return anchor === '' || anchorsOf(file).includes(anchor)
}

/** As GitHub names them. */
function anchorsOf(file: string): readonly string[] {
  return readPage(file)
    .split('\n')
    .filter((line) => /^#{1,6} /.test(line))
    .map((line) => line.replace(/^#+ /, '').toLowerCase())
    .map((heading) => heading.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'))
}

function reasonCell(reason: string | null): string {
  if (reason === null) return '–'
  return reason === 'end' ? 'how the question ended' : `\`${reason}\``
}
