/** The registered tools (H-04): unique names, and a definition that is pinned at first use. */

import type { Tool } from '../../contract/tool.js'
import { ConfigError } from '../../core/errors.js'
import { canonicalDigest } from '../../encoding/canonical.js'
import { copyJson } from '../../encoding/plain-json.js'

/** A tool with the digest that its records carry. */
export interface RegisteredTool {
  readonly tool: Tool
  readonly digest: string
  /** False once the object changed after it was pinned. */
  readonly isUnchanged: () => boolean
}

export interface ToolRegistry {
  readonly find: (name: string) => RegisteredTool | undefined
  readonly all: () => readonly Tool[]
}

/** Throws `ConfigError invalid_tool` or `duplicate_tool`; names are unique after case folding. */
export function toolRegistry(tools: readonly Tool[]): ToolRegistry {
  const byName = new Map<string, RegisteredTool>()
  const folded = new Set<string>()
  for (const tool of tools) {
    const name: unknown = Reflect.get(Object(tool) as object, 'name')
    if (typeof name !== 'string' || !TOOL_NAME.test(name)) {
      throw new ConfigError('invalid_tool', `\`${String(name)}\` is no tool name`, {
        path: ['tools'],
        allowed: ['1 to 64 of A–Z a–z 0–9 _ . -'],
      })
    }
    if (folded.has(name.toLowerCase())) {
      throw new ConfigError('duplicate_tool', `the tool \`${name}\` is registered twice`, {
        path: ['tools'],
      })
    }
    folded.add(name.toLowerCase())
    byName.set(name, pin(tool))
  }
  return { find: (name) => byName.get(name), all: () => tools }
}

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,64}$/

/** Text parts by digest; functions and schema by identity, which no digest can show. */
function pin(tool: Tool): RegisteredTool {
  const { needs, inputSchema, execute } = tool
  const digest = definitionDigest(tool)
  const text = definitionText(tool)
  return {
    tool,
    digest,
    isUnchanged: () =>
      tool.needs === needs &&
      tool.inputSchema === inputSchema &&
      tool.execute === execute &&
      definitionText(tool) === text,
  }
}

function definitionText(tool: Tool): string {
  return JSON.stringify(definitionOf(tool))
}

function definitionOf(tool: Tool): object {
  const { name, description = null, version = null, runsIn, annotations = null, always } = tool
  return { name, description, version, runsIn, annotations, always }
}

function definitionDigest(tool: Tool): string {
  const copy = copyJson({ ...definitionOf(tool), schema: jsonSchemaOf(tool) })
  if (copy.ok) return canonicalDigest(copy.value)
  throw new ConfigError(
    'invalid_tool',
    `the tool \`${tool.name}\` has a definition that is no JSON`,
    {
      path: ['tools', tool.name, ...copy.at.split('/')],
    },
  )
}

/** Part of the digest where the schema offers it (Standard JSON Schema); `null` elsewhere. */
function jsonSchemaOf(tool: Tool): unknown {
  const offered: unknown = Reflect.get(tool.inputSchema['~standard'], 'jsonSchema')
  const convert: unknown = Reflect.get(Object(offered) as object, 'input')
  if (typeof convert !== 'function') return null
  try {
    const schema: unknown = (convert as (options: object) => unknown)({ target: 'draft-2020-12' })
    return JSON.parse(JSON.stringify(schema)) as unknown
  } catch {
    // A schema that JSON Schema cannot say is pinned by identity alone.
    return null
  }
}
