/** The built-in `web_fetch`: one page as text (rules.md §3). */

import { z } from 'zod'
import type { Tool, ToolContext } from '../../contract/tool.js'
import { fetchText, isSameHost } from '../../platform/fetch.js'
import { defineTool } from '../define-tool.js'
import { reaches } from '../../core/need.js'
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

/** Fetches from the judged host; an error status is a value, a redirect elsewhere is judged first. */
export const webFetch: Tool<WebFetchArgs, WebFetchResult> = defineTool({
  name: 'web_fetch',
  description: 'Fetch a web page or another text over http or https.',
  version: '1',
  inputSchema,
  needs: (args) => reaches(args.url),
  execute,
})

async function execute(args: WebFetchArgs, context: ToolContext): Promise<WebFetchResult> {
  const permits = (next: URL): Promise<boolean> => permitsHop(args.url, next, context)
  const answer = await fetchText(args.url, { signal: context.signal, permits })
  const { text, truncated } = cleanOutput(answer.text)
  const contentType = cleanOutput(answer.contentType).text
  return { ...answer, contentType, text, truncated: answer.truncated || truncated }
}

/**
 * A redirect to another host is a call of its own. Within the host it is the same call, as long as the
 * policy says the same of it: a rule may know paths that the first URL did not show.
 */
async function permitsHop(
  judged: string,
  next: URL,
  { session, hosts }: ToolContext,
): Promise<boolean> {
  if (isSameHost(new URL(judged), next)) {
    const [before, now] = await Promise.all([
      visitsOf(session, judged),
      visitsOf(session, next.href),
    ])
    if (before === now) return true
  }
  return (await hosts.authorize(next.href)).status === 'admitted'
}

async function visitsOf(session: ToolContext['session'], url: string): Promise<string> {
  const { visits } = await session.check({ tool: 'web_fetch', args: { url } })
  return JSON.stringify(visits)
}
