/** The built-in `edit`: replaces exact text in a file (rules.md §3). */

import { z } from 'zod'
import type { Tool, ToolContext } from '../../contract/tool.js'
import { ToolError } from '../../core/errors.js'
import { defineTool } from '../define-tool.js'
import { reads, writes } from '../needs.js'
import { exactTextOf } from '../text.js'

export interface EditArgs {
  readonly file_path: string
  /** The two texts carry no subject, so a call without them can be judged; it then rejects. */
  readonly old_string?: string | undefined
  readonly new_string?: string | undefined
  readonly replace_all?: boolean | undefined
}

export interface EditResult {
  readonly path: string
  readonly replacements: number
}

const inputSchema: z.ZodType<EditArgs> = z.looseObject({
  file_path: z.string().min(1),
  old_string: z.string().optional(),
  new_string: z.string().optional(),
  replace_all: z.boolean().optional(),
})

/** Replaces the only occurrence, or all of them; text that is missing or not unique changes nothing. */
export const edit: Tool<EditArgs, EditResult> = defineTool({
  name: 'edit',
  description:
    'Replace exact text in a file. The text must occur once, unless `replace_all` is set.',
  version: '1',
  inputSchema,
  always: ['fs.read', 'fs.write'],
  needs: (args) => [...writes(args.file_path), ...reads(args.file_path)],
  execute,
})

async function execute(args: EditArgs, context: ToolContext): Promise<EditResult> {
  const { file_path: path, old_string: before, new_string: after } = args
  if (before === undefined || before === '' || after === undefined) {
    throw new ToolError('invalid_input', '`old_string` and `new_string` must be given')
  }
  const parts = exactTextOf(await context.files.read(path)).split(before)
  const replacements = parts.length - 1
  if (replacements === 0) throw new ToolError('no_match', '`old_string` does not occur in the file')
  if (replacements > 1 && args.replace_all !== true) {
    throw new ToolError(
      'ambiguous_match',
      `\`old_string\` occurs ${replacements} times; give more of the text around it, or set \`replace_all\``,
    )
  }
  await context.files.write(path, parts.join(after))
  return { path, replacements }
}
