/** Which tools exist for a session (pipeline.md §2). */

import { z } from 'zod'
import type { Json, JsonObject } from '../../core/json.js'
import { closed, excessIf, fault, readKey, type Axis, type Reading } from '../axis.js'
import type { ToolScope } from '../effective-policy.js'
import { LEGACY_MODES } from '../rules/grammar.js'
import { commonOf, sortedTexts } from '../rules/patterns/text-lists.js'
import { coversNames, NAME_GRAMMAR, requireToolMatcher, toolMatcher } from '../rules/tool-names.js'

/** Two scopes meet in the names that both are known to include. */
export const tools: Axis<'tools'> = {
  name: 'tools',
  keys: ['tools'],
  forms: () => ({ tools: [word, lists] }),
  read: ({ tools: value }) =>
    value === undefined ? { ok: true, value: undefined } : readScope(value),
  write: ({ only, exclude }): JsonObject => ({
    tools: only === null ? { exclude } : { only, exclude },
  }),
  absent: { only: null, exclude: [] },
  meet: (left, right) => ({
    only: commonOf(left.only, right.only, coversNames),
    exclude: sorted([...left.exclude, ...right.exclude]),
  }),
  exceeds: (child, parent) => [
    ...excessIf(asksForMore(child, parent), 'only', {
      parent: parent.only ?? 'all',
      given: child.only ?? 'all',
    }),
    ...excessIf(readmits(child, parent), 'exclude', {
      parent: parent.exclude,
      given: child.exclude,
    }),
  ],
  excess: 'refused',
  inherit(given, parent) {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
    const { only, exclude = [] } = given as JsonObject
    // Without names of its own a list of exclusions adds to the parent's.
    const excluded = Array.isArray(exclude) && only === undefined ? parent.exclude : []
    return {
      ...given,
      ...(only === undefined && parent.only !== null ? { only: parent.only } : {}),
      exclude: Array.isArray(exclude) ? [...(exclude as readonly Json[]), ...excluded] : exclude,
    }
  },
}

/** True when a scope has the tool. */
export function includesTool(scope: ToolScope, tool: string): boolean {
  const names = (pattern: string): boolean => requireToolMatcher(pattern)(tool)
  return (scope.only === null || scope.only.some(names)) && !scope.exclude.some(names)
}

interface Stated {
  readonly only?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
}

const word: z.ZodType<string> = z.enum(['all', 'none'])
const lists: z.ZodType<Stated> = closed({
  only: z.array(z.string()).max(4096).optional(),
  exclude: z.array(z.string()).max(4096).optional(),
})

function readScope(value: Json): Reading<ToolScope> {
  if (typeof value === 'string') {
    const reading = readKey(word, 'tools', value)
    if (!reading.ok) return reading
    return { ok: true, value: { only: reading.value === 'none' ? [] : null, exclude: [] } }
  }
  const reading = readKey(lists, 'tools', value)
  if (!reading.ok) return reading
  const { only, exclude = [] } = reading.value
  const wrong = badName(only ?? [], 'only') ?? badName(exclude, 'exclude')
  if (wrong !== null) return wrong
  const all = only === undefined || only.some((name) => /^\*+$/.test(name))
  return { ok: true, value: { only: all ? null : sorted(only), exclude: sorted(exclude) } }
}

function badName(names: readonly string[], list: keyof Stated): ReturnType<typeof fault> | null {
  const index = names.findIndex((name) => toolMatcher(name) === null || isLegacy(name))
  if (index === -1) return null
  const name = names[index] ?? ''
  return fault('invalid_value', `\`${name}\` names no tool`, {
    path: ['tools', list, index],
    allowed: [NAME_GRAMMAR],
    // A scope has tools, not modes of one.
    suggestion: isLegacy(name) ? 'search' : undefined,
  })
}

function isLegacy(name: string): boolean {
  return LEGACY_MODES.has(name.toLowerCase())
}

/** Some name of the child is in no list of the parent. */
function asksForMore(child: ToolScope, parent: ToolScope): boolean {
  const { only } = parent
  if (only === null) return false
  if (child.only === null) return true
  return child.only.some(
    (name) =>
      !only.some((other) => coversNames(other, name)) &&
      !child.exclude.some((other) => coversNames(other, name)),
  )
}

/** Some name that the parent excludes is one of the child's. */
function readmits(child: ToolScope, parent: ToolScope): boolean {
  return parent.exclude.some((gone) => {
    if (child.exclude.some((other) => coversNames(other, gone))) return false
    if (child.only === null) return true
    return child.only.some((name) => coversNames(name, gone) || coversNames(gone, name))
  })
}

function sorted(names: readonly string[]): readonly string[] {
  return sortedTexts(names.map((name) => name.toLowerCase()))
}
