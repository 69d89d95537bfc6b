/** How a host makes a tool (api.md "tools", pipeline.md §3). Loads no shell parser. */

import type { InferOutput, StandardSchema } from '../contract/standard-schema.js'
import type { Tool, ToolSpec } from '../contract/tool.js'
import { isCapability, type Capability } from '../core/capability.js'
import { ConfigError, type ConfigCode } from '../core/errors.js'

const NAME = /^[A-Za-z0-9_.-]{1,64}$/

/**
 * A frozen tool: every field is read once, here. Refuses with `ConfigError` a name outside
 * `[A-Za-z0-9_.-]{1,64}`, a schema that is not a Standard Schema v1, and unknown capabilities.
 */
export function defineTool<S extends StandardSchema, R>(
  spec: ToolSpec<S, R>,
): Tool<InferOutput<S>, R> {
  const { name, description, version, inputSchema, needs, execute } = spec
  const runsIn = spec.runsIn ?? 'process'
  const facts = { path: ['name'] }
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new ConfigError('invalid_tool', `\`${String(name)}\` is no tool name`, facts)
  }
  demand(isStandardSchema(inputSchema), name, 'inputSchema', 'is no Standard Schema v1')
  demand(typeof needs === 'function', name, 'needs', 'is no function')
  demand(execute === undefined || typeof execute === 'function', name, 'execute', 'is no function')
  demand(runsIn === 'process' || runsIn === 'sandbox', name, 'runsIn', 'is neither place')
  demand(isText(description), name, 'description', 'is no text')
  demand(isText(version), name, 'version', 'is no text')
  return Object.freeze({
    name,
    ...(description === undefined ? {} : { description }),
    ...(version === undefined ? {} : { version }),
    inputSchema,
    runsIn,
    always: capabilities(name, spec.always ?? []),
    ...(spec.annotations === undefined ? {} : { annotations: flags(name, spec.annotations) }),
    needs,
    ...(execute === undefined ? {} : { execute }),
  })
}

function demand(holds: boolean, tool: string, field: string, fault: string): void {
  if (!holds) throw wrong('invalid_tool', tool, field, fault)
}

function wrong(code: ConfigCode, tool: string, field: string, fault: string): ConfigError {
  return new ConfigError(code, `\`${field}\` of tool \`${tool}\` ${fault}`, { path: [tool, field] })
}

function isText(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}

/** Some validators are functions, so any value with the property may be one. */
function isStandardSchema(value: unknown): value is StandardSchema {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false
  const standard: unknown = (value as { readonly '~standard'?: unknown })['~standard']
  if (standard === null || typeof standard !== 'object') return false
  const { version, vendor, validate } = standard as Readonly<Record<string, unknown>>
  return version === 1 && typeof vendor === 'string' && typeof validate === 'function'
}

function capabilities(tool: string, given: readonly unknown[]): readonly Capability[] {
  if (!Array.isArray(given)) throw wrong('invalid_tool', tool, 'always', 'is no list')
  return Object.freeze(
    given.map((name: unknown) => {
      if (isCapability(name)) return name
      throw wrong('unknown_capability', tool, 'always', `names \`${String(name)}\`, no capability`)
    }),
  )
}

function flags(
  tool: string,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, boolean>> {
  const entries = Object.entries(given).map(([name, value]): [string, boolean] => {
    if (typeof value === 'boolean') return [name, value]
    throw wrong('invalid_tool', tool, 'annotations', `has \`${name}\`, which is no boolean`)
  })
  return Object.freeze(Object.fromEntries(entries))
}
