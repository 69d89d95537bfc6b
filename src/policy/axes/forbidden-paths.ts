/** Paths that are neither read nor written, with everything below them (delegation.md §2). */

import { z } from 'zod'
import type { JsonObject } from '../../core/json.js'
import { axisRule, excessIf, filled, readKey, type Axis } from '../axis.js'
import { pathLiteral } from '../rules/patterns/path-literal.js'
import { sortedTexts } from '../rules/patterns/text-lists.js'

/** Lists unite. A child that states one has to repeat its parent's. */
export const forbiddenPaths: Axis<'forbiddenPaths'> = {
  name: 'forbiddenPaths',
  keys: ['forbiddenPaths'],
  forms: () => ({ forbiddenPaths: [paths] }),
  read({ forbiddenPaths: value }) {
    if (value === undefined) return { ok: true, value: undefined }
    const reading = readKey(paths, 'forbiddenPaths', value)
    return reading.ok ? { ok: true, value: sortedTexts(reading.value) } : reading
  },
  write: (value): JsonObject => ({ forbiddenPaths: value }),
  absent: [],
  meet: (left, right) => sortedTexts([...left, ...right]),
  exceeds: (child, parent) =>
    excessIf(
      parent.some((path) => !child.includes(path)),
      'forbiddenPaths',
      { parent, given: child },
    ),
  excess: 'refused',
  lower: (value) =>
    value.flatMap((path, index) => {
      const literal = pathLiteral(path)
      return (['read', 'write'] as const).flatMap((access) => [
        axisRule(`forbidden_paths.${index}.${access}`, 'deny', { match: `${access}(${literal})` }),
        axisRule(`forbidden_paths.${index}.${access}_below`, 'deny', {
          match: `${access}(${literal}/**)`,
        }),
      ])
    }),
}

const paths: z.ZodType<readonly string[]> = z.array(filled).max(4096)
