/** Whether and where calls reach the network (pipeline.md §2). */

import { z } from 'zod'
import type { Json, JsonObject } from '../../core/json.js'
import { closed, excessIf, fault, readKey, type Axis, type Reading } from '../axis.js'
import type { NetworkAxis } from '../effective-policy.js'
import { canonicalHostPattern, coversHost } from '../rules/hosts.js'
import { commonOf, sortedTexts } from '../rules/patterns/text-lists.js'

/** The stricter mode; allowed hosts intersect, denied hosts unite. */
export const network: Axis<'network'> = {
  name: 'network',
  keys: ['network'],
  forms: () => ({ network: [mode, stated] }),
  read: ({ network: value }) =>
    value === undefined ? { ok: true, value: undefined } : readNetwork(value),
  write: ({ mode, allow, deny }): JsonObject => ({
    network: {
      mode,
      ...(allow === null ? {} : { allow }),
      ...(deny === null ? {} : { deny }),
    },
  }),
  absent: { mode: 'off', allow: null, deny: null },
  meet: (left, right) => ({
    mode: MODES.indexOf(left.mode) < MODES.indexOf(right.mode) ? left.mode : right.mode,
    allow: commonOf(left.allow, right.allow, coversHost),
    deny:
      left.deny === null && right.deny === null
        ? null
        : sortedTexts([...(left.deny ?? []), ...(right.deny ?? [])]),
  }),
  exceeds(child, parent) {
    if (child.mode === 'off') return []
    return [
      ...excessIf(MODES.indexOf(child.mode) > MODES.indexOf(parent.mode), 'mode', {
        parent: parent.mode,
        given: child.mode,
      }),
      ...excessIf(!isWithin(child.allow, parent.allow), 'allow', {
        parent: parent.allow,
        given: child.allow,
      }),
      ...excessIf(
        (parent.deny ?? []).some((host) => !(child.deny ?? []).includes(host)),
        'deny',
        { parent: parent.deny, given: child.deny },
      ),
    ]
  },
  excess: 'clamped',
}

/** Strictest first. */
const MODES = ['off', 'grant', 'on'] as const

interface Stated {
  readonly mode: (typeof MODES)[number]
  readonly allow?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
}

const stated: z.ZodType<Stated> = closed({
  mode: z.enum(MODES),
  allow: z.array(z.string()).max(4096).optional(),
  deny: z.array(z.string()).max(4096).optional(),
})
const mode: z.ZodType<Stated['mode']> = z.enum(MODES)

function readNetwork(value: Json): Reading<NetworkAxis> {
  if (typeof value === 'string') {
    const reading = readKey(mode, 'network', value)
    if (!reading.ok) return reading
    return { ok: true, value: { mode: reading.value, allow: null, deny: null } }
  }
  const reading = readKey(stated, 'network', value)
  if (!reading.ok) return reading
  const { allow, deny } = reading.value
  const wrong = badHost(allow, 'allow') ?? badHost(deny, 'deny')
  if (wrong !== null) return wrong
  return {
    ok: true,
    value: { mode: reading.value.mode, allow: hostList(allow), deny: hostList(deny) },
  }
}

function badHost(
  hosts: readonly string[] | undefined,
  list: 'allow' | 'deny',
): ReturnType<typeof fault> | null {
  const index = (hosts ?? []).findIndex((host) => canonicalHostPattern(host) === null)
  if (index === -1) return null
  return fault('invalid_value', `\`${hosts?.[index] ?? ''}\` is no host`, {
    path: ['network', list, index],
    allowed: ['a host', '*.example.com'],
  })
}

function hostList(hosts: readonly string[] | undefined): readonly string[] | null {
  return hosts === undefined
    ? null
    : sortedTexts(hosts.map((host) => canonicalHostPattern(host) ?? host))
}

function isWithin(child: readonly string[] | null, parent: readonly string[] | null): boolean {
  if (parent === null) return true
  return child !== null && child.every((host) => parent.some((other) => coversHost(other, host)))
}
