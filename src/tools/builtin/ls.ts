/** The built-in `ls`: the names in a folder (rules.md §3). */

import { z } from 'zod'
import type { DirectoryEntry } from '../../contract/files.js'
import type { Tool, ToolContext } from '../../contract/tool.js'
import { defineTool } from '../define-tool.js'
import { reads } from '../needs.js'
import { cleanOutput } from '../output.js'

export interface LsArgs {
  /** Default: the folder of the call. */
  readonly path?: string | undefined
}

export interface LsResult {
  readonly path: string
  /** Sorted by name; names are cleaned. */
  readonly entries: readonly DirectoryEntry[]
  readonly truncated: boolean
}

const MAXIMUM_ENTRIES = 10_000

const inputSchema: z.ZodType<LsArgs> = z.looseObject({ path: z.string().min(1).optional() })

/** Lists names with their kinds. Listing a name is not reading it: credential files show here. */
export const ls: Tool<LsArgs, LsResult> = defineTool({
  name: 'ls',
  description: 'List the names in a folder.',
  version: '1',
  inputSchema,
  always: ['fs.read'],
  needs: (args) => reads(args.path ?? '.'),
  execute,
})

async function execute(args: LsArgs, context: ToolContext): Promise<LsResult> {
  const path = args.path ?? '.'
  const found = await context.files.list(path)
  const entries = found
    .slice(0, MAXIMUM_ENTRIES)
    .map(({ name, kind }) => ({ name: cleanOutput(name).text, kind }))
  return { path, entries, truncated: found.length > entries.length }
}
