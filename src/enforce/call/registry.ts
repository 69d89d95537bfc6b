/** The registered tools (H-04): unique names, and a definition that is pinned at first use. */

import type { Tool } from '../../contract/tool.js'
import { isCapability } from '../../core/capability.js'
import { ConfigError } from '../../core/errors.js'
import { mcpPair, nameFault, TOOL_NAME, TOOL_NAME_GRAMMAR } from '../../core/names/tool-name.js'
import { canonicalDigest } from '../../encoding/canonical.js'
import { copyJson } from '../../encoding/plain-json.js'

/** A tool with the digest that its records carry. */
export interface RegisteredTool {
  /** A frozen copy: what is judged is what runs. */
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
  const servers = new Map<string, string>()
  for (const tool of tools) {
    const pinned = pin(tool)
    const { name } = pinned.tool
    if (folded.has(name.toLowerCase())) throw duplicate(`the tool \`${name}\` is registered twice`)
    folded.add(name.toLowerCase())
    refuseTwins(name, servers)
    byName.set(name, pinned)
  }
  return { find: (name) => byName.get(name), all: () => tools }
}

/** Rules ignore case: two servers that differ in nothing else would share every rule. */
function refuseTwins(name: string, servers: Map<string, string>): void {
  const server = mcpPair(name)?.server
  if (server === undefined) return
  const other = servers.get(server.toLowerCase()) ?? server
  if (other !== server) throw duplicate(`the servers \`${other}\` and \`${server}\` have one name`)
  servers.set(server.toLowerCase(), server)
}

function duplicate(message: string): ConfigError {
  return new ConfigError('duplicate_tool', message, { path: ['tools'] })
}

/** Text parts by digest; functions and schema by identity, which no digest can show. */
function pin(given: Tool): RegisteredTool {
  const tool = copyOf(given)
  const digest = definitionDigest(tool)
  const text = definitionText(tool)
  const isUnchanged = (): boolean => {
    try {
      return (
        given.needs === tool.needs &&
        given.inputSchema === tool.inputSchema &&
        given.execute === tool.execute &&
        definitionText(given) === text
      )
    } catch {
      // A tool that cannot be compared counts as changed.
      return false
    }
  }
  return { tool, digest, isUnchanged }
}

/** Every field read once: what the object says of itself afterwards is compared, never used. */
function copyOf(given: Tool): Tool {
  const { name, description, version, inputSchema, runsIn, needs, execute } = fieldsOf(given)
  if (typeof name !== 'string' || !TOOL_NAME.test(name)) {
    throw new ConfigError('invalid_tool', `\`${String(name)}\` is no tool name`, {
      path: ['tools'],
      allowed: [TOOL_NAME_GRAMMAR],
    })
  }
  const server = fieldsOf(given)['server']
  const misnamed = isText(server) ? nameFault(name, server) : 'has a server that is no text'
  if (misnamed !== null) {
    throw new ConfigError('invalid_tool', `the tool \`${name}\` ${misnamed}`, {
      path: ['tools', name],
    })
  }
  const always = Object.freeze([...listOf(given.always)])
  if (!isTool(given) || !always.every(isCapability)) {
    throw new ConfigError('invalid_tool', `\`${name}\` is no tool of \`defineTool\``, {
      path: ['tools', name],
    })
  }
  return Object.freeze({
    ...given,
    name,
    ...(description === undefined ? {} : { description: description as string }),
    ...(version === undefined ? {} : { version: version as string }),
    inputSchema: inputSchema as Tool['inputSchema'],
    runsIn: runsIn as Tool['runsIn'],
    always: always,
    ...annotationsOf(given),
    needs: needs as Tool['needs'],
    ...(execute === undefined ? {} : { execute: execute as NonNullable<Tool['execute']> }),
  })
}

/** What a server does not say of its tool is as good as unsafe (S1-52). */
function annotationsOf({ name, annotations }: Tool): Pick<Tool, 'annotations'> {
  if (annotations === undefined && mcpPair(name) === null) return {}
  return { annotations: Object.freeze({ ...annotations }) }
}

function isText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string'
}

function isTool(given: unknown): boolean {
  const { needs, execute, runsIn, inputSchema, always } = fieldsOf(given)
  return (
    typeof needs === 'function' &&
    (execute === undefined || typeof execute === 'function') &&
    (runsIn === 'process' || runsIn === 'sandbox') &&
    typeof fieldsOf(fieldsOf(inputSchema)['~standard'])['validate'] === 'function' &&
    Array.isArray(always)
  )
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : []
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value) as Readonly<Record<string, unknown>>
}

function definitionText(tool: Tool): string {
  return JSON.stringify(definitionOf(tool))
}

function definitionOf(tool: Tool): object {
  const { name, server, description = null, version = null, runsIn, always } = tool
  const { annotations = null } = annotationsOf(tool)
  const offered = server === undefined ? {} : { server }
  return { name, ...offered, description, version, runsIn, annotations, always }
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
