/** Reads what the documentation tests need from Markdown: fenced code and tables. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** One fenced block. */
export interface Fence {
  readonly file: string
  /** Line of the opening fence, from 1; code starts on the next. */
  readonly line: number
  /** Everything after the opening backticks. */
  readonly info: string
  readonly code: string
}

/** The README and every page below docs, by path, sorted. */
export function pages(): readonly string[] {
  const below = existsSync('docs')
    ? readdirSync('docs', { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.md'))
        .map((file) => `docs/${file.replaceAll('\\', '/')}`)
        .sort()
    : []
  return [...(existsSync('README.md') ? ['README.md'] : []), ...below]
}

export function readPage(file: string): string {
  return readFileSync(file, 'utf8')
}

/** Every fenced block of a page; a fence that never closes is an error of the page. */
export function fences(file: string, text: string): readonly Fence[] {
  const found: Fence[] = []
  let open: { line: number; marker: string; info: string; code: string[] } | null = null
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const marker = /^\s*(?<marker>`{3,}|~{3,})(?<info>[^`~]*)$/.exec(line)?.groups
    if (open === null) {
      if (marker === undefined) continue
      open = {
        line: index + 1,
        marker: marker['marker']!,
        info: marker['info']!.trim(),
        code: [],
      }
    } else if (line.trim().startsWith(open.marker) && line.trim().replace(/[`~]/g, '') === '') {
      found.push({ file, line: open.line, info: open.info, code: open.code.join('\n') })
      open = null
    } else {
      open.code.push(line)
    }
  }
  if (open !== null) throw new Error(`${file}:${open.line} opens a fence that nothing closes`)
  return found
}

/** The body rows of all tables under one second-level heading, each a list of trimmed cells. */
export function tableRows(text: string, heading: string): readonly (readonly string[])[] {
  const lines = text.split(/\r?\n/)
  const start = lines.indexOf(`## ${heading}`)
  if (start === -1) throw new Error(`there is no heading \`${heading}\``)
  const length = lines.slice(start + 1).findIndex((line) => /^##? /.test(line))
  const section = lines.slice(start + 1, length === -1 ? undefined : start + 1 + length)
  return section
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, line.lastIndexOf('|'))
        .split('|')
        .map((cell) => cell.trim()),
    )
    .filter((cells, index, all) => !isRule(cells) && !isRule(all[index + 1] ?? []))
}

function isRule(cells: readonly string[]): boolean {
  return cells.length > 0 && cells.every((cell) => /^:?-+:?$/.test(cell))
}
