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
import { areWithin, commonFolders, sortedTexts } from '../rules/patterns/folder-lists.js'

/** A folder that both open for reading is read, one that both open for writing is written. */
export const roots: Axis<'roots'> = {
  name: 'roots',
  keys: ['roots'],
  read: ({ roots: value }) =>
    value === undefined ? { ok: true, value: undefined } : readRoots(value),
  write: (value): JsonObject => (value === null ? {} : { roots: { ...value } }),
  absent: null,
  meet(left, right) {
    if (left === null) return right
    if (right === null) return left
    const reads = commonFolders(readable(left), readable(right))
    const writes = commonFolders(writable(left), writable(right))
    const rw = commonFolders(reads, writes)
    return {
      rw,
      ro: reads.filter((folder) => !areWithin([folder], rw)),
      wo: writes.filter((folder) => !areWithin([folder], rw)),
    }
  },
  exceeds(child, parent) {
    if (parent === null) return []
    if (child === null) return [{ field: 'roots', parent: { ...parent }, given: null }]
    return [
      ...excessOf('rw', child, { parent, open: parent.rw }),
      ...excessOf('ro', child, { parent, open: readable(parent) }),
      ...excessOf('wo', child, { parent, open: writable(parent) }),
    ]
  },
  excess: 'refused',
  lower: (value) => (value === null ? [] : lowered(value)),
}

function readable({ rw, ro }: RootsAxis): readonly string[] {
  return sortedTexts([...rw, ...ro])
}

function writable({ rw, wo }: RootsAxis): readonly string[] {
  return sortedTexts([...rw, ...wo])
}

function excessOf(
  field: keyof RootsAxis,
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
  return { ok: true, value: { rw: sortedTexts(rw), ro: sortedTexts(ro), wo: sortedTexts(wo) } }
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
