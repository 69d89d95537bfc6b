/** The built-in `read`: text files, or lines of them (rules.md §3). */

import { z } from 'zod'
import type { Tool, ToolContext } from '../../contract/tool.js'
import { ToolError } from '../../core/errors.js'
import { defineTool } from '../define-tool.js'
import { reads } from '../needs.js'
import { cleanOutput } from '../output.js'
import { textOf } from '../text.js'

export interface ReadArgs {
  /** At least one of `file_path` and `files`; every path named is judged and read. */
  readonly file_path?: string | undefined
  readonly files?: readonly { readonly path: string }[] | undefined
  /** The first line, counted from 1. */
  readonly offset?: number | undefined
  /** How many lines. */
  readonly limit?: number | undefined
}

export interface ReadResult {
  readonly files: readonly ReadFile[]
}

export interface ReadFile {
  readonly path: string
  /** Cleaned and bounded. */
  readonly content: string
  readonly totalLines: number
  /** True when the bound cut the content; lines left out by `offset` and `limit` do not count. */
  readonly truncated: boolean
}

const path: z.ZodType<string> = z.string().min(1)
const inputSchema: z.ZodType<ReadArgs> = z
  .looseObject({
    file_path: path.optional(),
    files: z.array(z.looseObject({ path })).min(1).optional(),
    offset: z.number().int().positive().optional(),
    limit: z.number().int().positive().optional(),
  })
  .refine((args) => args.file_path !== undefined || args.files !== undefined)

/** Reads every path named, or rejects: a missing, binary or too large file gives no partial answer. */
export const read: Tool<ReadArgs, ReadResult> = defineTool({
  name: 'read',
  description: 'Read text files of the workspace, whole or by lines.',
  version: '1',
  inputSchema,
  always: ['fs.read'],
  needs: (args) => reads(...pathsOf(args)),
  execute,
})

function pathsOf(args: ReadArgs): readonly string[] {
  const first = args.file_path === undefined ? [] : [args.file_path]
  return [...first, ...(args.files ?? []).map((file) => file.path)]
}

async function execute(args: ReadArgs, context: ToolContext): Promise<ReadResult> {
  const files: ReadFile[] = []
  for (const file of pathsOf(args)) files.push(await readOne(file, args, context))
  return { files }
}

async function readOne(file: string, args: ReadArgs, context: ToolContext): Promise<ReadFile> {
  const text = textOf(await context.files.read(file))
  if (text === null) throw new ToolError('not_text', `\`${file}\` is no text`)
  const lines = text.split('\n')
  const totalLines = lines.at(-1) === '' ? lines.length - 1 : lines.length
  const start = (args.offset ?? 1) - 1
  const end = args.limit === undefined ? undefined : start + args.limit
  const clean = cleanOutput(lines.slice(start, end).join('\n'))
  return { path: file, content: clean.text, totalLines, truncated: clean.truncated }
}
