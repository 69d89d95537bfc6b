/** Sets of names that the host gives a meaning, such as the memories of other agents (delegation.md §2). */

import { z } from 'zod'
import type { JsonObject } from '../../core/json.js'
import { excessIf, filled, readKey, type Axis } from '../axis.js'
import type { PolicyAxes } from '../effective-policy.js'
import { sortedTexts } from '../rules/patterns/text-lists.js'

type Scopes = PolicyAxes['scopes']

/** Set by set: a scope that only one value states is that set, two meet in what both have. */
export const scopes: Axis<'scopes'> = {
  name: 'scopes',
  keys: ['scopes'],
  forms: () => ({ scopes: [stated] }),
  read({ scopes: value }) {
    if (value === undefined) return { ok: true, value: undefined }
    const reading = readKey(stated, 'scopes', value)
    if (!reading.ok) return reading
    return {
      ok: true,
      value: mapped(reading.value, Object.keys(reading.value), (names) => sortedTexts(names)),
    }
  },
  write: (value): JsonObject => ({ scopes: { ...value } }),
  absent: {},
  meet: (left, right) =>
    mapped(left, sortedTexts([...Object.keys(left), ...Object.keys(right)]), (names, scope) => {
      const other = own(right, scope)
      return other === undefined || own(left, scope) === undefined
        ? (other ?? names)
        : names.filter((name) => other.includes(name))
    }),
  exceeds: (child, parent) =>
    Object.entries(parent).flatMap(([scope, names]) => {
      const given = own(child, scope)
      return excessIf(given === undefined || given.some((name) => !names.includes(name)), scope, {
        parent: names,
        given: given ?? 'all',
      })
    }),
  excess: 'refused',
}

const stated: z.ZodType<Scopes> = z.record(
  z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'a name of a-z, 0-9 and _'),
  z.array(filled).max(4096),
)

function mapped(
  from: Scopes,
  names: readonly string[],
  map: (names: readonly string[], scope: string) => readonly string[],
): Scopes {
  return Object.fromEntries(names.map((scope) => [scope, map(own(from, scope) ?? [], scope)]))
}

/** `constructor` is a scope like any other, and one that was not stated is none. */
function own(from: Scopes, scope: string): readonly string[] | undefined {
  return Object.hasOwn(from, scope) ? from[scope] : undefined
}
