/** The invariants of delegation.md §2 over random policy trees to depth 5. */

import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { Delegation } from '../../src/contract/delegation.js'
import type { PolicyRevision, RunId, SessionId } from '../../src/core/ids.js'
import type { Verdict } from '../../src/core/verdict.js'
import { openSnapshot, sealSnapshot, type Snapshot } from '../../src/delegation/snapshot.js'
import { narrowingDocument } from '../../src/delegation/narrow.js'
import { tightenedBelow } from '../../src/delegation/tighten.js'
import { canonicalText } from '../../src/encoding/canonical.js'
import { fold } from '../../src/pipeline/fold.js'
import { AXIS_NAMES, axes as table } from '../../src/policy/axes.js'
import type { AxisName } from '../../src/policy/axis.js'
import type { EffectivePolicy, PolicyAxes } from '../../src/policy/effective-policy.js'
import { cases } from '../builders/cases.js'
import {
  asked,
  childAxes,
  delegations,
  inForce,
  line,
  narrowings,
  roots,
  type Asked,
} from './delegation-builders.js'

// The slowest property takes a quarter of this in full, on a machine of its own.
vi.setConfig({ testTimeout: 600_000 })
const SEED = cases(1).seed
/** Trees are bound once: binding compiles patterns and would take most of the time. */
const LINES = fc
  .sample(fc.tuple(roots(), fc.array(delegations(), { minLength: 1, maxLength: 5 })), {
    numRuns: 300,
    seed: SEED,
  })
  .map(([root, given]) => line(root, given).map((axes, level) => inForce(axes, level > 0)))
  .filter((levels) => levels.length > 1)

interface Judged {
  readonly policy: EffectivePolicy
  readonly verdict: Verdict
}

/** One call under every level of one line, root first. */
function eachLine(property: (levels: readonly Judged[]) => void): void {
  const check = fc.property(fc.constantFrom(...LINES), asked(), (levels, question) =>
    property(levels.map((policy) => ({ policy, verdict: fold({ ...question, policy }) }))),
  )
  fc.assert(check, cases(100_000))
}

/** Every level with each of its ancestors. */
function pairs(levels: readonly Judged[]): readonly (readonly [Judged, Judged])[] {
  return levels.flatMap((child, at) =>
    levels.slice(0, at).map((ancestor) => [ancestor, child] as const),
  )
}

const BY_GATE_OR_RULE: readonly string[] = ['work_mode', 'network', 'user_rule', 'sandbox']

function refusedForGood({ verdict }: Judged): boolean {
  return verdict.status === 'denied' && BY_GATE_OR_RULE.includes(verdict.by.layer)
}

/** Asked by a rule, a guard or an escalation: what no delegation chooses. */
function askedForGood({ verdict }: Judged): boolean {
  return verdict.visits.some(
    ({ layer, decision }) => decision === 'ask' && layer !== 'tool_approval',
  )
}

describe('down a line of spawns and forks', () => {
  it('has trees of every depth to judge', () => {
    const depths = new Set(LINES.map((levels) => levels.length - 1))

    for (const depth of [1, 2, 3, 4]) expect(depths).toContain(depth)
  })

  it('1. denies what an ancestor denies by a gate or a rule', () => {
    let denials = 0
    eachLine((levels) => {
      for (const [ancestor, child] of pairs(levels)) {
        if (!refusedForGood(ancestor)) continue
        denials += 1
        expect(child.verdict.status).toBe('denied')
      }
    })
    expect(denials).toBeGreaterThan(1_000)
  })

  it('2. never admits what an ancestor asks about', () => {
    let asks = 0
    eachLine((levels) => {
      for (const [ancestor, child] of pairs(levels)) {
        if (!askedForGood(ancestor) && ancestor.verdict.escalations.length === 0) continue
        asks += 1
        expect(child.verdict.status).not.toBe('admitted')
      }
    })
    expect(asks).toBeGreaterThan(1_000)
  })

  it('2. never leaves a child waiting for an answer', () => {
    eachLine((levels) => {
      for (const { verdict } of levels.slice(1)) expect(verdict.status).not.toBe('suspended')
    })
  })

  it('4. admits nothing beyond a parent whose layer 4 is the ceiling', () => {
    let admitted = 0
    const withCeiling = delegations().map((one) => ({ ...one, approvalCeiling: 'parent' as const }))
    const bound = fc
      .sample(fc.tuple(roots(), withCeiling), { numRuns: 300, seed: SEED })
      .map(([root, given]) => line(root, [given]).map((axes, level) => inForce(axes, level > 0)))
      .filter((levels) => levels.length === 2)
    const check = fc.property(fc.constantFrom(...bound), asked(), ([root, child], question) => {
      if (root === undefined || child === undefined) return
      if (fold({ ...question, policy: child }).status !== 'admitted') return
      admitted += 1
      expect(fold({ ...question, policy: root }).status).toBe('admitted')
    })
    fc.assert(check, cases(100_000))
    expect(admitted).toBeGreaterThan(3)
  })

  it('7. adds nothing by a second delegation: what the first refuses by a gate or a rule stays refused', () => {
    eachLine(([, first, second]) => {
      if (first === undefined || second === undefined || !refusedForGood(first)) return
      expect(second.verdict.status).toBe('denied')
    })
  })
})

describe('a derived policy', () => {
  it('3. exceeds none of its ancestors on any axis that is met', () => {
    const check = fc.property(trees(), ([root, given]) => {
      const levels = line(root, given)
      for (const [at, child] of levels.entries()) {
        for (const ancestor of levels.slice(0, at)) expect(excesses(child, ancestor)).toEqual([])
      }
    })
    fc.assert(check, cases(100_000))
  })

  it('6. is the same for a spawn and a fork', () => {
    const check = fc.property(roots(), delegations(), (root, given) => {
      expect(childAxes(root, given, 'fork')).toEqual(childAxes(root, given, 'spawn'))
    })
    fc.assert(check, cases(100_000))
  })

  it('8. comes back from its snapshot as it was', () => {
    const secret = new Uint8Array(32).fill(7)
    const check = fc.property(trees(), ([root, given]) => {
      const snapshot = aSnapshot(line(root, given).at(-1) ?? root)

      expect(openSnapshot(sealSnapshot(snapshot, secret), secret, snapshot.session_id)).toEqual(
        snapshot,
      )
    })
    fc.assert(check, cases(100_000))
  })
})

describe('tightenings', () => {
  it('5. commute, in every axis and every decision', () => {
    const check = fc.property(
      roots(),
      narrowings(),
      narrowings(),
      asked(),
      (root, first, second, question) => {
        const [a, b] = [narrowingDocument(first), narrowingDocument(second)]

        const one = tightenedBelow(tightenedBelow(root, a), b)
        const other = tightenedBelow(tightenedBelow(root, b), a)

        expect(effectOf(one)).toEqual(effectOf(other))
        expect(decided(one, question)).toEqual(decided(other, question))
      },
    )
    fc.assert(check, cases(100_000))
  })

  it('5. change nothing when they are said again', () => {
    const check = fc.property(roots(), narrowings(), (root, given) => {
      const once = tightenedBelow(root, narrowingDocument(given))

      expect(tightenedBelow(once, narrowingDocument(given))).toEqual(once)
    })
    fc.assert(check, cases(100_000))
  })

  it('3. leave every axis within what it was', () => {
    const check = fc.property(roots(), narrowings(), (root, given) => {
      expect(excesses(tightenedBelow(root, narrowingDocument(given)), root)).toEqual([])
    })
    fc.assert(check, cases(100_000))
  })

  it('keep a child within its parent, whatever its own delegation was', () => {
    const check = fc.property(roots(), delegations(), narrowings(), (root, given, narrowing) => {
      const child = childAxes(root, given)
      if (child === null) return
      const document = narrowingDocument(narrowing)

      expect(excesses(tightenedBelow(child, document), tightenedBelow(root, document))).toEqual([])
    })
    fc.assert(check, cases(100_000))
  })
})

function trees(): fc.Arbitrary<readonly [PolicyAxes, readonly Delegation[]]> {
  return fc.tuple(roots(), fc.array(delegations(), { minLength: 1, maxLength: 5 }))
}

function decided(axes: PolicyAxes, question: Asked): unknown {
  const { status, visits } = fold({ ...question, policy: inForce(axes, true) })
  return { status, visits: visits.map(({ layer, decision }) => [layer, decision]) }
}

/** Everything that a policy does: rules as a set, without their names. */
function effectOf(axes: PolicyAxes): unknown {
  const rules = axes.rules.map(({ effect, match, except, effective }) =>
    canonicalText({ effect, match, except, effective }),
  )
  return { ...axes, rules: [...new Set(rules)].sort() }
}

/** Everything in which `child` has more, on every axis. */
function excesses(child: PolicyAxes, parent: PolicyAxes): readonly string[] {
  return AXIS_NAMES.flatMap((name) => excessOf(name, child, parent))
}

function excessOf<Name extends AxisName>(
  name: Name,
  child: PolicyAxes,
  parent: PolicyAxes,
): readonly string[] {
  return table[name].exceeds(child[name], parent[name]).map(({ field }) => `${name}.${field}`)
}

function aSnapshot(policy: PolicyAxes): Snapshot {
  return {
    schema_version: 1,
    session_id: 'S' as SessionId,
    run_id: 'R' as RunId,
    parent_session_id: 'P' as SessionId,
    spawn_call_id: 'c1',
    kind: 'spawn',
    principal: 'me',
    workspace: '/ws',
    platform: 'linux',
    task_id: 't',
    cwd: '/ws',
    spawns_left: 1,
    policy,
    policy_revision: '1:sha256:00' as PolicyRevision,
    parent_policy_revision: null,
    given_digest: null,
    ancestors: [{ run_id: 'R0' as RunId, size: 3 }],
    version: 1,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
  }
}
