/** The folders that file access is limited to (delegation.md §2): read and write, read only, write only. */

import { z } from 'zod'
import type { Json, JsonObject } from '../../core/json.js'
import {
  axisRule,
  closed,
  excessIf,
  filled,
  readKey,
  type Axis,
  type Excess,
  type Reading,
} from '../axis.js'
import type { RootsAxis, Rule } from '../effective-policy.js'
import { pathLiteral } from '../rules/patterns/path-literal.js'
import { areWithin, commonFolders } from '../rules/patterns/folder-lists.js'
import { sortedTexts } from '../rules/patterns/text-lists.js'

/** A folder that both open for reading is read, one that both open for writing is written. */
export const roots: Axis<'roots'> = {
  name: 'roots',
  keys: ['roots'],
  forms: () => ({ roots: [stated] }),
  read: ({ roots: value }) =>
    value === undefined ? { ok: true, value: undefined } : readRoots(value),
  write: (value): JsonObject => (value === null ? {} : { roots: { ...value } }),
  absent: null,
  meet(left, right) {
    if (left === null) return right
    if (right === null) return left
    const reads = commonFolders(readable(left), readable(right))
    const writes = commonFolders(writable(left), writable(right))
    return canonical(reads, writes)
  },
  exceeds(child, parent) {
    if (parent === null) return []
    if (child === null) return [{ field: 'roots', parent: { ...parent }, given: null }]
    return [
      ...excessIf(
        !areWithin(child.rw, readable(parent)) || !areWithin(child.rw, writable(parent)),
        'rw',
        { parent: parent.rw, given: child.rw },
      ),
      ...excessOf('ro', child, { parent, open: readable(parent) }),
      ...excessOf('wo', child, { parent, open: writable(parent) }),
    ]
  },
  excess: 'refused',
  // Stated as a whole: a key that is left out opens nothing. Filled in from each session's own value a
  // tightening would leave a child what its parent has just lost.
  inherit: (given) => given,
  lower: (value) => (value === null ? [] : lowered(value)),
}

function readable({ rw, ro }: RootsAxis): readonly string[] {
  return sortedTexts([...rw, ...ro])
}

function writable({ rw, wo }: RootsAxis): readonly string[] {
  return sortedTexts([...rw, ...wo])
}

function excessOf(
  field: 'ro' | 'wo',
  child: RootsAxis,
  { parent, open }: { readonly parent: RootsAxis; readonly open: readonly string[] },
): readonly Excess[] {
  return excessIf(!areWithin(child[field], open), field, {
    parent: parent[field],
    given: child[field],
  })
}

const folders = z.array(filled).max(1024).optional()
const stated: z.ZodType<{ readonly [F in keyof RootsAxis]?: readonly string[] | undefined }> =
  closed({ rw: folders, ro: folders, wo: folders })

function readRoots(value: Json): Reading<RootsAxis> {
  const reading = readKey(stated, 'roots', value)
  if (!reading.ok) return reading
  const { rw = [], ro = [], wo = [] } = reading.value
  return { ok: true, value: canonical(sortedTexts([...rw, ...ro]), sortedTexts([...rw, ...wo])) }
}

/** One value for one meaning: what is open for both is `rw`, however it was stated. */
function canonical(reads: readonly string[], writes: readonly string[]): RootsAxis {
  const rw = commonFolders(reads, writes)
  const isMore = (folder: string): boolean => !areWithin([folder], rw)
  return { rw, ro: reads.filter(isMore), wo: writes.filter(isMore) }
}

function lowered(value: RootsAxis): readonly Rule[] {
  const except = (access: string, open: readonly string[]): readonly string[] =>
    open.flatMap((folder) => {
      const literal = pathLiteral(folder)
      return [`${access}(${literal})`, `${access}(${literal}/**)`]
    })
  return [
    axisRule('roots.read', 'deny', { match: 'read(**)', except: except('read', readable(value)) }),
    axisRule('roots.write', 'deny', {
      match: 'write(**)',
      except: except('write', writable(value)),
    }),
  ]
}
