import { readFileSync } from 'node:fs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import type { ToolSpec } from '../contract/tool.js'
import { ConfigError } from '../core/errors.js'
import { defineTool } from './define-tool.js'
import { reads } from './needs.js'

const inputSchema = z.looseObject({ path: z.string() })

function aSpec(
  change: Readonly<Record<string, unknown>> = {},
): ToolSpec<typeof inputSchema, string> {
  return { name: 'peek', inputSchema, needs: ({ path }) => reads(path), ...change }
}

describe('defineTool', () => {
  it('returns a frozen tool whose defaults are the stricter ones', () => {
    const tool = defineTool(aSpec({ annotations: { readOnlyHint: true } }))

    expect(tool).toMatchObject({ name: 'peek', runsIn: 'process', always: [] })
    expect(tool).not.toHaveProperty('execute')
    expect([tool, tool.always, tool.annotations].every(Object.isFrozen)).toBe(true)
  })

  it('gives needs and executor the type that the schema yields', () => {
    const tool = defineTool({ ...aSpec(), execute: ({ path }) => path.length })

    expectTypeOf(tool.needs).parameter(0).toHaveProperty('path').toBeString()
    expectTypeOf(tool.execute)
      .extract<(...args: never) => unknown>()
      .returns.toExtend<number | Promise<number>>()
  })

  it('accepts a schema that is a function', () => {
    const schema = Object.assign(() => null, {
      '~standard': { version: 1, vendor: 'ours', validate: (value: unknown) => ({ value }) },
    } as const)

    expect(defineTool({ name: 'any', inputSchema: schema, needs: () => [] }).inputSchema).toBe(
      schema,
    )
  })

  it.each(['', 'a b', 'ü', 'x'.repeat(65), 'a/b', 7, undefined])('refuses the name %j', (name) => {
    expect(() => defineTool(aSpec({ name }))).toThrow(ConfigError)
  })

  it.each([
    ['inputSchema', {}],
    ['inputSchema', null],
    ['inputSchema', { '~standard': { version: 2, vendor: 'x', validate: () => ({ value: 1 }) } }],
    ['inputSchema', { '~standard': { version: 1, vendor: 'x' } }],
    ['needs', undefined],
    ['execute', 'ls'],
    ['runsIn', 'host'],
    ['description', 1],
    ['version', 1],
    ['always', 'fs.read'],
    ['always', ['root']],
    ['annotations', { readOnlyHint: 'yes' }],
  ])('refuses a spec whose %s is %j, and says which field', (field, value) => {
    const define = () => defineTool(aSpec({ [field]: value }))

    expect(define).toThrow(
      expect.objectContaining({
        name: 'ConfigError',
        message: expect.stringContaining(`peek.${field}`) as string,
      }),
    )
  })

  it('loads no shell parser, and neither do the needs', () => {
    const files = ['define-tool.ts', 'needs.ts'].map((file) => new URL(file, import.meta.url))

    expect(files.map((file) => readFileSync(file, 'utf8')).join('')).not.toMatch(/from '.*shell/)
  })
})
