/** The built-in `write`: creates or replaces a file (rules.md §3). */

import { z } from 'zod'
import type { Tool, ToolContext } from '../../contract/tool.js'
import { ToolError } from '../../core/errors.js'
import { defineTool } from '../define-tool.js'
import { writes } from '../needs.js'

export interface WriteArgs {
  readonly file_path: string
  /** Carries no subject, so a call without it can be judged; it then writes nothing and rejects. */
  readonly content?: string | undefined
}

export interface WriteResult {
  readonly path: string
  readonly bytes: number
}

const inputSchema: z.ZodType<WriteArgs> = z.looseObject({
  file_path: z.string().min(1),
  content: z.string().optional(),
})

/** Writes the whole content. Folders that are missing inside the workspace are made. */
export const write: Tool<WriteArgs, WriteResult> = defineTool({
  name: 'write',
  description: 'Create or replace a file with the given content.',
  version: '1',
  inputSchema,
  always: ['fs.write'],
  needs: (args) => writes(args.file_path),
  execute,
})

async function execute(args: WriteArgs, context: ToolContext): Promise<WriteResult> {
  if (args.content === undefined) throw new ToolError('invalid_input', '`content` is missing')
  const content = new TextEncoder().encode(args.content)
  await context.files.write(args.file_path, content)
  return { path: args.file_path, bytes: content.length }
}
