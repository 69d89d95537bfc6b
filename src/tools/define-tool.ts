/** How a host makes a tool (api.md "tools", pipeline.md §3). Loads no shell parser. */

import type { InferOutput, StandardSchema } from '../contract/standard-schema.js'
import type { Tool, ToolSpec } from '../contract/tool.js'
import { isCapability, type Capability } from '../core/capability.js'
import { ConfigError } from '../core/errors.js'
import { nameFault, TOOL_NAME } from '../core/names/tool-name.js'

const PLACES: ReadonlySet<string> = new Set(['process', 'sandbox'])

/**
 * A frozen tool: every field is read once, here. Refuses with `ConfigError` a name outside
 * `[A-Za-z0-9_.-]{1,64}` or of another server, a schema that is not a Standard Schema v1, and unknown capabilities.
 */
export function defineTool<S extends StandardSchema, R>(
  spec: ToolSpec<S, R>,
): Tool<InferOutput<S>, R> {
  const { name, server, description, version, inputSchema, needs, execute } = spec
  const runsIn = spec.runsIn ?? 'process'
  demand(isName(name), ['name'], 'is outside `[A-Za-z0-9_.-]{1,64}`')
  demand(isOptional(server, 'string'), [name, 'server'], 'is no text')
  const misnamed = nameFault(name, server)
  demand(misnamed === null, [name], misnamed ?? '')
  demand(isStandardSchema(inputSchema), [name, 'inputSchema'], 'is no Standard Schema v1')
  demand(typeof needs === 'function', [name, 'needs'], 'is no function')
  demand(isOptional(execute, 'function'), [name, 'execute'], 'is no function')
  demand(PLACES.has(runsIn), [name, 'runsIn'], 'is neither `process` nor `sandbox`')
  demand(isOptional(description, 'string'), [name, 'description'], 'is no text')
  demand(isOptional(version, 'string'), [name, 'version'], 'is no text')
  return Object.freeze({
    name,
    ...(server === undefined ? {} : { server }),
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

function demand(holds: boolean, path: readonly string[], fault: string): void {
  if (!holds) throw new ConfigError('invalid_tool', message(path, fault), { path })
}

function message(path: readonly string[], fault: string): string {
  return `\`${path.join('.')}\` of a tool ${fault}`
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && TOOL_NAME.test(name)
}

function isOptional(value: unknown, type: 'function' | 'string'): boolean {
  return value === undefined || typeof value === type
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
  const path = [tool, 'always']
  demand(Array.isArray(given), path, 'is no list')
  return Object.freeze(
    given.map((name) => {
      if (isCapability(name)) return name
      const fault = `names \`${String(name)}\`, which is no capability`
      throw new ConfigError('unknown_capability', message(path, fault), { path })
    }),
  )
}

function flags(
  tool: string,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, boolean>> {
  const copy: Record<string, boolean> = {}
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'boolean') {
      const path = [tool, 'annotations', name]
      throw new ConfigError('invalid_tool', message(path, 'is no boolean'), { path })
    }
    copy[name] = value
  }
  return Object.freeze(copy)
}
