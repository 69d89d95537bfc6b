/** The reference page of all policy keys, in Markdown, from the schema that editors read. */

import { HOST_CAPABILITY } from '../../core/capability.js'
import type { Json } from '../../core/json.js'
import { KEY_MEANINGS, PART_MEANINGS, type KeyMeaning, type Meaning } from './meanings.js'
import { policySchema, type Schema } from './policy-schema.js'

export function referencePage(): string {
  const properties = propertiesOf(policySchema())
  return [INTRODUCTION, ...properties.map(([key, schema]) => section(key, schema))].join('\n\n')
}

const INTRODUCTION = `# Policy reference

Every key of a policy, from the schema that \`sixgate/schema.json\` publishes. This page is generated;
[Policy](policy.md) explains how the keys work together.

An editor completes and checks a policy that names the schema:

\`\`\`jsonc
{ "$schema": "./node_modules/sixgate/dist/schema.json", "workMode": "rw" }
\`\`\`

A schema sees keys, words, types and bounds. Patterns of rules, hosts and tool names, rule ids that stand
twice and failing examples are seen when the policy loads.`

function section(key: string, schema: Schema): string {
  const meaning: KeyMeaning | undefined = Object.entries(KEY_MEANINGS).find(
    ([name]) => name === key,
  )?.[1]
  const parts = partsOf(schema, key)
  return [
    `## \`${key}\``,
    meaning?.text ?? '',
    table(
      ['type', 'default', 'a child gets'],
      [[typeOf(schema), defaultOf(schema, meaning), meaning?.child ?? '']],
    ),
    ...(parts.length === 0
      ? []
      : [
          table(
            ['key', 'type', 'default', 'meaning', 'example'],
            parts.map(([path, part]) => {
              const inner = PART_MEANINGS[path]
              const example = inner === undefined ? '' : code(inner.example)
              const name = `\`${path.slice(key.length).replace(/^\./, '')}\``
              return [name, typeOf(part), defaultOf(part, inner), inner?.text ?? '', example]
            }),
          ),
        ]),
    `\`\`\`json\n${JSON.stringify({ [key]: meaning?.example ?? null })}\n\`\`\``,
  ].join('\n\n')
}

/** Every key below, depth first, each once whatever the forms in which it stands. */
function partsOf(schema: Schema, path: string): readonly (readonly [string, Schema])[] {
  const found = new Map<string, Schema>()
  for (const part of formsOf(schema)) {
    for (const [name, inner] of propertiesOf(part)) {
      const at = `${path}.${name}`
      const known = found.get(at)
      found.set(at, known === undefined ? inner : either(known, inner))
      for (const [below, deeper] of partsOf(inner, at)) found.set(below, deeper)
    }
    const { items } = part
    if (isSchema(items)) for (const [at, inner] of partsOf(items, `${path}[]`)) found.set(at, inner)
  }
  return [...found]
}

/** One key that stands in two forms of its object with other words. */
function either(one: Schema, other: Schema): Schema {
  return typeOf(one) === typeOf(other) ? one : { ...one, ...OTHER, anyOf: [one, other] }
}

const OTHER = { type: undefined, enum: undefined, const: undefined }

function typeOf(schema: Schema): string {
  const { anyOf, enum: words, items, type, const: word, additionalProperties } = schema
  if (Array.isArray(anyOf)) return [...new Set((anyOf as Schema[]).map(typeOf))].join(' or ')
  if (Array.isArray(words)) return (words as Json[]).map(code).join(' ')
  if (word !== undefined) return code(word as Json)
  if (isSchema(items)) return `list of ${typeOf(items)}`
  if (isSchema(additionalProperties)) return `object of ${typeOf(additionalProperties)}`
  const { pattern } = schema
  if (type === 'integer') return 'whole number from 1 on'
  if (type === 'string' || pattern !== undefined)
    return pattern === HOST_CAPABILITY.source ? '`"x.<name>"`' : 'text'
  return 'object'
}

function defaultOf(schema: Schema, meaning: Meaning | undefined): string {
  if (meaning?.absent !== undefined) {
    return /^["0-9]/.test(meaning.absent) ? `\`${meaning.absent}\`` : meaning.absent
  }
  const value = schema['default'] as Json | undefined
  if (value === undefined) return 'must be given'
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? 'that of each key'
    : code(value)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function code(value: Json): string {
  return `\`${JSON.stringify(value)}\``
}

function formsOf(schema: Schema): readonly Schema[] {
  const { anyOf } = schema
  return Array.isArray(anyOf) ? (anyOf as Schema[]).flatMap(formsOf) : [schema]
}

function propertiesOf(schema: Schema): readonly (readonly [string, Schema])[] {
  const { properties } = schema
  return isSchema(properties) ? (Object.entries(properties) as [string, Schema][]) : []
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
