/** The only programs that commands may run, by name (delegation.md §2). */

import { z } from 'zod'
import type { JsonObject } from '../../core/json.js'
import { axisRule, excessIf, readKey, type Axis } from '../axis.js'
import { sortedTexts } from '../rules/patterns/text-lists.js'

/** Two lists meet in what both name; names are compared exactly. */
export const commands: Axis<'commands'> = {
  name: 'commands',
  keys: ['commands'],
  forms: () => ({ commands: [names] }),
  read({ commands: value }) {
    if (value === undefined) return { ok: true, value: undefined }
    const reading = readKey(names, 'commands', value)
    return reading.ok ? { ok: true, value: sortedTexts(reading.value) } : reading
  },
  write: (value): JsonObject => (value === null ? {} : { commands: value }),
  absent: null,
  meet(left, right) {
    if (left === null) return right
    return right === null ? left : left.filter((name) => right.includes(name))
  },
  exceeds: (child, parent) =>
    excessIf(
      parent !== null && (child === null || child.some((name) => !parent.includes(name))),
      'commands',
      { parent: parent ?? 'all', given: child ?? 'all' },
    ),
  excess: 'refused',
  lower: (value) =>
    value === null
      ? []
      : [
          axisRule('commands', 'deny', {
            match: 'bash(**)',
            except: value.map((name) => `bash(${name}:*)`),
          }),
        ],
}

/** A name, not a pattern: nothing in it means more than itself. */
const names: z.ZodType<readonly string[]> = z
  .array(z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,127}$/, 'the name of a program'))
  .max(4096)
