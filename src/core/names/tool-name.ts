/** Names of tools and of the servers that offer them (pipeline.md §3, H-04): what they are made of, and who is meant. */

/** Unique in a session after case folding. Nothing here can be mistaken for a letter of another script. */
export const TOOL_NAME: RegExp = /^[A-Za-z0-9_.-]{1,64}$/
export const TOOL_NAME_GRAMMAR = '1 to 64 of A–Z a–z 0–9 _ . -'

/** The server and the tool that a name stands for. */
export interface McpPair {
  readonly server: string
  /** `null` where the name ends with the server. */
  readonly tool: string | null
}

/** Reads `mcp__<server>__<tool>`, split at the first `__` behind the prefix; `null` for any other name. */
export function mcpPair(name: string): McpPair | null {
  if (!/^mcp__/i.test(name)) return null
  const rest = name.slice('mcp__'.length)
  const boundary = rest.indexOf('__')
  if (boundary === -1) return { server: rest, tool: null }
  return { server: rest.slice(0, boundary), tool: rest.slice(boundary + 2) }
}

/**
 * Why a tool cannot have this name, given the server that the host registers it for; `null` when it
 * can. Holds the name to say exactly that pair, so that rules can be matched on the name alone.
 */
export function nameFault(name: string, server: string | undefined): string | null {
  const pair = mcpPair(name)
  if (pair !== null && (pair.server === '' || pair.tool === null || pair.tool === '')) {
    return 'is not `mcp__<server>__<tool>`'
  }
  if (server === undefined) return null
  if (!TOOL_NAME.test(server)) return `has a server that is not ${TOOL_NAME_GRAMMAR}`
  // `a__b` and `a_` would read as the server `a`, whose rules are not meant for them.
  if (server.includes('__') || server.endsWith('_')) {
    return 'has a server with `__` in its name or `_` at its end, which is where names are split'
  }
  return pair?.server === server ? null : `is not \`mcp__${server}__<tool>\``
}
