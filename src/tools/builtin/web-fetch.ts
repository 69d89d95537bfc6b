/** The built-in `web_fetch`: one page as text (rules.md §3). */

import { z } from 'zod'
import type { Tool, ToolContext } from '../../contract/tool.js'
import { fetchText } from '../../platform/fetch.js'
import { defineTool } from '../define-tool.js'
import { reaches } from '../needs.js'
import { cleanOutput } from '../output.js'

export interface WebFetchArgs {
  readonly url: string
}

export interface WebFetchResult {
  /** After redirects within the host. */
  readonly url: string
  readonly status: number
  readonly contentType: string
  /** Cleaned and bounded. */
  readonly text: string
  readonly truncated: boolean
}

const inputSchema: z.ZodType<WebFetchArgs> = z.looseObject({ url: z.string().min(1) })

/** Fetches from the judged host; an error status is a value, a redirect to another host rejects. */
export const webFetch: Tool<WebFetchArgs, WebFetchResult> = defineTool({
  name: 'web_fetch',
  description: 'Fetch a web page or another text over http or https.',
  version: '1',
  inputSchema,
  needs: (args) => reaches(args.url),
  execute,
})

async function execute(args: WebFetchArgs, context: ToolContext): Promise<WebFetchResult> {
  const answer = await fetchText(args.url, { signal: context.signal })
  const { text, truncated } = cleanOutput(answer.text)
  const contentType = cleanOutput(answer.contentType).text
  return { ...answer, contentType, text, truncated: answer.truncated || truncated }
}
