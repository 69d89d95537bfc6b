/** The conformance cases of rules.md through the real pipeline: one test a row. */

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseCases, runCase, type CaseReport, type PolicyCase } from '../../src/testing/entry.js'

const FILE = 'test/cases/rules.jsonl'
const cases = parseCases(readFileSync(FILE, 'utf8'), FILE)
const reports = new Map<PolicyCase, CaseReport>()
for (const one of cases) reports.set(one, await runCase(one))

describe('the conformance cases of rules', () => {
  it.each([...reports])('[$id] ends as the case expects', (one, report) => {
    expect(report, JSON.stringify({ policy: one.policy, call: one.call })).toMatchObject({
      status: 'passed',
    })
  })

  it('are all there, each once', () => {
    expect(cases).toHaveLength(155)
  })

  it('runs every row on read and write without links, delegation or another platform', () => {
    const plain = cases.filter(
      ({ call, context, delegate }) =>
        ['read', 'write'].includes(call.tool) &&
        context.links === undefined &&
        (context.platform ?? 'linux') === 'linux' &&
        delegate === undefined,
    )

    expect(plain.map((one) => reports.get(one)?.status)).toEqual(plain.map(() => 'passed'))
    expect(plain.length).toBeGreaterThan(10)
  })

  it('are all run, whatever platform they are about', () => {
    const platforms = cases.map(({ context }) => context.platform ?? 'linux')

    expect([...reports.values()].filter(({ status }) => status === 'not_yet_run')).toEqual([])
    expect(platforms.filter((name) => name === 'win32')).toHaveLength(7)
  })
})
