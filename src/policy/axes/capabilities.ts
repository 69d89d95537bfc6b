/** What calls may need at all; work modes are presets of the set (pipeline.md §2). */

import { z } from 'zod'
import { CAPABILITIES, isCapability, type Capability } from '../../core/capability.js'
import type { Json, JsonObject } from '../../core/json.js'
import { excessIf, fault, readKey, type Axis, type Reading } from '../axis.js'
import { nearest } from '../nearest.js'

export const WORK_MODE_CAPABILITIES: {
  readonly [M in 'plan' | 'ro' | 'rw' | 'full']: readonly Capability[]
} = {
  plan: ['fs.read'],
  ro: sorted(['fs.read', 'process.exec', 'agent.spawn', 'agent.delegate']),
  rw: sorted([
    'fs.read',
    'process.exec',
    'agent.spawn',
    'agent.delegate',
    'fs.write',
    'external.effect',
  ]),
  full: sorted(CAPABILITIES),
}

/** Stated by `workMode` or by `capabilities`, never by both. Two sets meet in what both grant. */
export const capabilities: Axis<'capabilities'> = {
  name: 'capabilities',
  keys: ['workMode', 'capabilities'],
  forms: () => ({ workMode: [mode], capabilities: [names] }),
  read(document) {
    const { workMode, capabilities: listed } = document
    if (workMode !== undefined && listed !== undefined) {
      return fault('invalid_value', '`workMode` and `capabilities` exclude each other', {
        path: ['workMode'],
      })
    }
    if (workMode !== undefined) return readMode(workMode)
    return listed === undefined ? { ok: true, value: undefined } : readSet(listed)
  },
  write: (value): JsonObject => ({ capabilities: value }),
  absent: WORK_MODE_CAPABILITIES.ro,
  meet: (left, right) => left.filter((name) => right.includes(name)),
  exceeds: (child, parent) =>
    excessIf(
      child.some((name) => !parent.includes(name)),
      'capabilities',
      { parent, given: child },
    ),
  excess: 'refused',
}

const mode: z.ZodType<keyof typeof WORK_MODE_CAPABILITIES> = z.enum(['plan', 'ro', 'rw', 'full'])
const names: z.ZodType<readonly string[]> = z.array(z.string()).max(256)

function readMode(value: Json): Reading<readonly Capability[]> {
  const reading = readKey(mode, 'workMode', value)
  return reading.ok ? { ok: true, value: WORK_MODE_CAPABILITIES[reading.value] } : reading
}

function readSet(value: Json): Reading<readonly Capability[]> {
  const reading = readKey(names, 'capabilities', value)
  if (!reading.ok) return reading
  const unknown = reading.value.findIndex((name) => !isCapability(name))
  if (unknown === -1) return { ok: true, value: sorted(reading.value.filter(isCapability)) }
  const name = reading.value[unknown] ?? ''
  return fault('unknown_capability', `\`${name}\` is no capability`, {
    path: ['capabilities', unknown],
    allowed: [...CAPABILITIES, 'x.<name>'],
    suggestion: nearest(name, CAPABILITIES),
  })
}

function sorted(set: readonly Capability[]): readonly Capability[] {
  return [...new Set(set)].sort()
}
