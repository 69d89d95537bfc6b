/** A small validator of JSON Schema: the keywords that the policy's schema uses; any other is an error. */

import type { Json } from '../../src/core/json.js'
import type { Schema } from '../../src/policy/schema/policy-schema.js'

/** Where the value breaks the schema; empty when it does not. */
export function breaches(schema: Schema, value: Json, at = ''): readonly string[] {
  return Object.entries(schema).flatMap(([keyword, given]) => {
    const check = KEYWORDS[keyword]
    if (check === undefined) throw new Error(`the keyword \`${keyword}\` at \`${at}\``)
    return check(given, value, { schema, at })
  })
}

interface Place {
  readonly schema: Schema
  readonly at: string
}

type Check = (given: unknown, value: Json, place: Place) => readonly string[]

const nothing: Check = () => []

const KEYWORDS: Readonly<Record<string, Check>> = {
  $schema: nothing,
  title: nothing,
  description: nothing,
  default: nothing,
  examples: nothing,
  type: (type, value, { at }) => (typesOf(value).includes(String(type)) ? [] : [at]),
  const: (one, value, { at }) => (one === value ? [] : [at]),
  enum: (words, value, { at }) => ((words as Json[]).includes(value) ? [] : [at]),
  pattern: (text, value, { at }) =>
    typeof value !== 'string' || new RegExp(String(text), 'u').test(value) ? [] : [at],
  minLength: (count, value, { at }) =>
    typeof value !== 'string' || [...value].length >= Number(count) ? [] : [at],
  maxLength: (count, value, { at }) =>
    typeof value !== 'string' || [...value].length <= Number(count) ? [] : [at],
  minimum: (least, value, { at }) =>
    typeof value !== 'number' || value >= Number(least) ? [] : [at],
  maxItems: (count, value, { at }) =>
    !Array.isArray(value) || value.length <= Number(count) ? [] : [at],
  items: (schema, value, { at }) =>
    Array.isArray(value)
      ? value.flatMap((item: Json, index) => breaches(schema as Schema, item, `${at}/${index}`))
      : [],
  anyOf: (schemas, value, { at }) =>
    (schemas as Schema[]).some((one) => breaches(one, value, at).length === 0) ? [] : [at],
  not: (schema, value, { at }) => (breaches(schema as Schema, value, at).length > 0 ? [] : [at]),
  required: (names, value, { at }) =>
    (names as string[]).filter((name) => !Object.hasOwn(fieldsOf(value), name)).map(() => at),
  properties: (schemas, value, { at }) =>
    Object.entries(schemas as Record<string, Schema>).flatMap(([name, schema]) => {
      const fields = fieldsOf(value)
      return Object.hasOwn(fields, name) ? breaches(schema, fields[name]!, `${at}/${name}`) : []
    }),
  propertyNames: (schema, value, { at }) =>
    Object.keys(fieldsOf(value)).flatMap((name) => breaches(schema as Schema, name, at)),
  additionalProperties: (given, value, { schema, at }) => {
    const known = (schema['properties'] ?? {}) as Record<string, Schema>
    const others = Object.entries(fieldsOf(value)).filter(([name]) => !Object.hasOwn(known, name))
    if (given === false) return others.map(([name]) => `${at}/${name}`)
    return others.flatMap(([name, field]) => breaches(given as Schema, field, `${at}/${name}`))
  },
}

function typesOf(value: Json): readonly string[] {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  if (typeof value === 'number') return Number.isInteger(value) ? ['number', 'integer'] : ['number']
  return [typeof value]
}

function fieldsOf(value: Json): Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)
    : {}
}
