/** The built-in `search`: text in files, or files by name (rules.md §3, S1-77). */

import { z } from 'zod'
import type { Tool, ToolContext } from '../../contract/tool.js'
import type { Need } from '../../core/need.js'
import { defineTool } from '../define-tool.js'
import { matchesGlob } from '../glob.js'
import { reads } from '../needs.js'
import { cleanOutput } from '../output.js'
import { candidates } from './candidates.js'
import { matchingLines, type SearchMatch } from './matching-lines.js'

export const SEARCH_MODES = ['grep', 'glob'] as const
export type SearchMode = (typeof SEARCH_MODES)[number]

export interface SearchArgs {
  readonly mode: SearchMode
  /** `grep`: literal text within a line. `glob`: a pattern of the path below `path`, with `*`, `?`, `**`. */
  readonly query: string
  /** A folder or a file. Default: the folder of the call. */
  readonly path?: string | undefined
}

export interface SearchResult {
  readonly matches: readonly SearchMatch[]
  /** Credential files and unreadable folders that were not searched. */
  readonly skipped: number
  /** True when a limit ended the search early. */
  readonly truncated: boolean
}

const MAXIMUM_MATCHES = 1000

const inputSchema: z.ZodType<SearchArgs> = z.looseObject({
  mode: z.enum(SEARCH_MODES),
  query: z.string().min(1),
  path: z.string().min(1).optional(),
})

/** Searches without regular expressions, so that no query can hang; binary and credential files are skipped. */
export const search: Tool<SearchArgs, SearchResult> = defineTool({
  name: 'search',
  description: 'Search files for literal text (`grep`) or paths for a pattern (`glob`).',
  version: '1',
  inputSchema,
  always: ['fs.read'],
  needs: (args): readonly Need[] => [{ kind: 'text', text: textOf(args) }, ...reads(topOf(args))],
  execute,
})

function textOf({ mode, query, path }: SearchArgs): string {
  return [mode, query, ...(path === undefined ? [] : [path])].join(' ')
}

function topOf(args: SearchArgs): string {
  return args.path ?? '.'
}

async function execute(args: SearchArgs, context: ToolContext): Promise<SearchResult> {
  const matches: SearchMatch[] = []
  let skipped = 0
  let truncated = false
  for await (const candidate of candidates(topOf(args), context)) {
    if (candidate.kind === 'skipped') skipped += 1
    else if (candidate.kind === 'limit') truncated = true
    else matches.push(...(await matchesIn(args, candidate.path, context)))
    if (matches.length > MAXIMUM_MATCHES) {
      truncated = true
      break
    }
  }
  return { matches: matches.slice(0, MAXIMUM_MATCHES).map(cleaned), skipped, truncated }
}

async function matchesIn(
  args: SearchArgs,
  path: string,
  context: ToolContext,
): Promise<readonly SearchMatch[]> {
  return args.mode === 'glob' ? named(args, path) : matchingLines(args.query, path, context)
}

function named(args: SearchArgs, path: string): readonly SearchMatch[] {
  const top = topOf(args)
  const relative = path === top ? (path.split('/').at(-1) ?? path) : path.slice(top.length)
  return matchesGlob(args.query, relative.replace(/^\//, '')) ? [{ path, line: 0, text: '' }] : []
}

function cleaned({ path, line, text }: SearchMatch): SearchMatch {
  return { path: cleanOutput(path).text, line, text: cleanOutput(text).text }
}
