/** The oracle that the other suites lean on refuses every run that breaks one of its rules. */

import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { canonicalBytes } from '../../src/encoding/canonical.js'
import { definePolicy } from '../../src/policy/define.js'
import type { TraceRecord } from '../../src/trace/records.js'
import { aHost, aTool, OPEN } from '../builders/session.js'
import { verifyRun, type RunLines } from '../builders/trace-oracle.js'

type Loose = Record<string, unknown>

let sound: RunLines

/** A closed run with two executions, a denial, a call that was never dispatched and a moved policy. */
beforeAll(async () => {
  const host = aHost({ policy: { ...OPEN, rules: ['deny write'] }, tools: [aTool(() => 'ran')] })
  const live = await host.session()
  await live.run({ callId: 'c1', tool: 'probe', args: {} })
  await live.run({ callId: 'c2', tool: 'nothing', args: {} })
  await host.sixgate.replacePolicy(live, definePolicy(OPEN))
  await live.run({ callId: 'c3', tool: 'probe', args: {} })
  await live.evaluate({ callId: 'c4', tool: 'probe', args: {} })
  await live.close()
  sound = await host.run(live)
  host.ground.clear()
})

/** The same run with other records, its envelopes made anew so that only the change is wrong. */
function remade(records: readonly Loose[]): RunLines {
  const run = String(records[0]?.['run_id'])
  const hash = (data: string | Uint8Array): string =>
    createHash('sha256').update(data).digest('hex')
  let prev = hash(`sixgate-genesis-v1\n${sound.ledgerId}\n${run}`)
  const lines: Uint8Array[] = []
  const made = records.map((record, seq) => {
    const next = { ...record, seq, prev } as unknown as TraceRecord
    const bytes = canonicalBytes(next)
    lines.push(bytes)
    prev = hash(Buffer.concat([Buffer.of(0), bytes]))
    return next
  })
  return { ledgerId: sound.ledgerId, lines, records: made }
}

const is =
  (kind: string, call?: string) =>
  (one: Loose): boolean =>
    one['kind'] === kind && (call === undefined || one['call_id'] === call)

/** Changes to a list of records, each of which breaks one rule. */
const BREAKS: readonly [string, (records: Loose[]) => Loose[]][] = [
  ['a node is missing', (all) => without(all, is('decision', 'c1'))],
  ['a parent is another node', (all) => edited(all, is('decision', 'c3'), { parent_id: 'x' })],
  ['two nodes have one id', (all) => [...all.slice(0, 3), ...all.slice(2)]],
  ['layers are out of order', (all) => edited(all, is('decision', 'c4'), { layer: 'sandbox' })],
  ['a terminal event is missing', (all) => without(all, is('terminal', 'c2'))],
  ['a terminal event stands twice', (all) => doubled(all, is('terminal', 'c2'))],
  ['a head is another node', (all) => edited(all, is('terminal', 'c1'), { trace_head_id: 'x' })],
  [
    'a denial is called a dispatch',
    (all) => edited(all, is('terminal', 'c2'), { event: 'dispatch_started' }),
  ],
  ['an intent is missing', (all) => without(all, is('intent', 'c1'))],
  ['a step is left out', (all) => edited(all, is('intent', 'c3'), { step: 2 })],
  ['a step result stands twice', (all) => doubled(all, is('step_result', 'c1'))],
  ['a step result is missing', (all) => without(all, is('step_result', 'c3'))],
  [
    'an old revision was dispatched',
    (all) => edited(all, is('intent', 'c3'), { policy_revision: revisionOf(all) }),
  ],
  ['a policy change is missing', (all) => without(all, is('policy_change'))],
  ['something follows the end', (all) => [...all, ...all.filter(is('step_result', 'c1'))]],
  ['the end forgets an open call', (all) => edited(all, is('run_end'), { undispatched: [] })],
  [
    'the end counts wrong',
    (all) =>
      edited(all, is('run_end'), {
        counts: { denied: 0, dispatched: 2, steps: 2, records: all.length },
      }),
  ],
]

describe('the oracle', () => {
  it('finds nothing wrong with a sound run, as written and as made anew', () => {
    verifyRun(sound)
    verifyRun(remade(sound.records as unknown as Loose[]))
  })

  it.each(BREAKS)('finds it when %s', (_, change) => {
    const broken = remade(change([...sound.records] as unknown as Loose[]))

    expect(() => verifyRun(broken)).toThrow()
  })

  it('finds bytes that are not canonical, a link that is cut and a number that is skipped', () => {
    const text = new TextDecoder().decode(sound.lines[1])
    const spaced = new TextEncoder().encode(text.replace('{', '{ '))
    const swapped = [...sound.records]
    swapped.splice(1, 2, ...[swapped[2], swapped[1]].filter((one) => one !== undefined))

    expect(() => verifyRun({ ...sound, lines: sound.lines.with(1, spaced) })).toThrow()
    expect(() => verifyRun({ ...sound, ledgerId: 'other' })).toThrow()
    expect(() => verifyRun({ ...sound, records: swapped })).toThrow()
  })
})

function without(all: Loose[], match: (one: Loose) => boolean): Loose[] {
  const at = all.findIndex(match)
  return all.filter((_, index) => index !== at)
}

function doubled(all: Loose[], match: (one: Loose) => boolean): Loose[] {
  const at = all.findIndex(match)
  return [...all.slice(0, at + 1), ...all.slice(at)]
}

function edited(all: Loose[], match: (one: Loose) => boolean, change: Loose): Loose[] {
  const at = all.findIndex(match)
  return all.map((one, index) => (index === at ? { ...one, ...change } : one))
}

function revisionOf(all: Loose[]): unknown {
  return all[0]?.['policy_revision']
}
