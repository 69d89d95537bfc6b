/**
 * The JSON Schema of a policy (draft 2020-12), made from the schemas that read one: what an editor
 * completes and checks is what the axes accept. Part of the build, not of the library.
 */

import { z } from 'zod'
import { CAPABILITIES, HOST_CAPABILITY } from '../../core/capability.js'
import type { Json } from '../../core/json.js'
import { AXIS_NAMES, axes } from '../axes.js'
import type { AxisName } from '../axis.js'
import { PROFILE_NAMES } from '../profiles.js'
import { KEY_MEANINGS, PART_MEANINGS, type Meaning } from './meanings.js'

/** A schema, or a part of one. */
export interface Schema {
  readonly [keyword: string]: unknown
}

export function policySchema(): Schema {
  const stated = AXIS_NAMES.flatMap((name) => Object.entries(keysOf(name)))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A policy of sixgate',
    description: 'Every key may be left out; an absent one has its strict default.',
    type: 'object',
    properties: {
      $schema: described('$schema', { type: 'string' }),
      version: described('version', { const: 1 }),
      profile: described('profile', { type: 'string', enum: PROFILE_NAMES }),
      ...Object.fromEntries(stated),
    },
    additionalProperties: false,
    not: { required: ['workMode', 'capabilities'] },
  }
}

function keysOf<Name extends AxisName>(name: Name): Readonly<Record<string, Schema>> {
  const axis = axes[name]
  const defaults = axis.write(axis.absent)
  return Object.fromEntries(
    Object.entries(axis.forms()).map(([key, forms]) => {
      const [only, ...more] = forms.map((form) => refined(key, schemaOf(key, form)))
      const schema = only === undefined || more.length > 0 ? { anyOf: [only, ...more] } : only
      return [key, described(key, withParts(schema, { path: key, absent: defaults[key] }))]
    }),
  )
}

/** As the reader takes it, not as it hands it on. */
function schemaOf(key: string, form: z.ZodType): Schema {
  const schema: Schema = z.toJSONSchema(form, {
    io: 'input',
    reused: 'inline',
    override({ zodSchema, jsonSchema }) {
      const { def } = zodSchema._zod
      if (def.type === 'pipe') Object.assign(jsonSchema, eitherWord(key, jsonSchema))
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  // The dialect stands once, at the top.
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== '$schema'))
}

/** A pipe stands where a word stands for a longer form; which word it is no schema can tell. */
function eitherWord(key: string, long: Schema): Schema {
  if (key === 'budgets') {
    return { anyOf: [{ const: 'unlimited' }, { type: 'integer', minimum: 1 }] }
  }
  const given: Schema = Object.fromEntries(Object.keys(long).map((key) => [key, undefined]))
  return {
    ...given,
    anyOf: [{ type: 'string', minLength: 1, maxLength: 4096 }, { ...long }],
  }
}

/** What the reader checks beyond its schema and a schema can say as well. */
function refined(key: string, schema: Schema): Schema {
  if (key !== 'capabilities') return schema
  const names = { anyOf: [{ enum: [...CAPABILITIES] }, { pattern: HOST_CAPABILITY.source }] }
  return { ...schema, items: { type: 'string', ...names } }
}

interface Place {
  readonly path: string
  readonly absent: Json | undefined
}

/** Every object inside, with the meaning of each of its keys. */
function withParts(schema: Schema, { path, absent }: Place): Schema {
  const parts: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'properties') {
      const properties = Object.entries(value as Readonly<Record<string, Schema>>)
      parts[keyword] = Object.fromEntries(
        properties.map(([name, part]) => {
          const place = { path: `${path}.${name}`, absent: fieldOf(absent, name) }
          return [name, described(place.path, withParts(part, place), place.absent)]
        }),
      )
    } else if (keyword === 'items') {
      parts[keyword] = withParts(value as Schema, { path: `${path}[]`, absent: undefined })
    } else if (keyword === 'anyOf' || keyword === 'oneOf') {
      parts['anyOf'] = (value as readonly Schema[]).map((one) => withParts(one, { path, absent }))
    } else if (value !== undefined) {
      parts[keyword] = value
    }
  }
  return path.includes('.') || path.endsWith(']') || absent === undefined
    ? parts
    : { ...parts, default: absent }
}

function described(path: string, schema: Schema, absent?: Json): Schema {
  // One of several forms has no example and no default of its own.
  if (path.includes('.') && schema['const'] !== undefined) return schema
  const meanings: Readonly<Record<string, Meaning | undefined>> = {
    ...PART_MEANINGS,
    ...KEY_MEANINGS,
  }
  const meaning = meanings[path]
  return {
    ...(meaning === undefined ? {} : { description: meaning.text, examples: [meaning.example] }),
    ...schema,
    ...(absent === undefined ? {} : { default: absent }),
  }
}

function fieldOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return (value as Readonly<Record<string, Json>>)[name]
}
