/** Random policy trees: a root, a line of delegations below it, and calls to judge under each of them. */

import fc from 'fast-check'
import type { Delegation, Narrowing } from '../../src/contract/delegation.js'
import type { Limit, PolicyInput } from '../../src/contract/policy.js'
import type { Facts } from '../../src/core/facts.js'
import type { Need } from '../../src/core/need.js'
import { DelegationError } from '../../src/core/errors.js'
import { derive } from '../../src/delegation/derive.js'
import type { Question } from '../../src/pipeline/layer.js'
import { bindPolicy } from '../../src/policy/bind.js'
import { definePolicy } from '../../src/policy/define.js'
import type { EffectivePolicy, PolicyAxes } from '../../src/policy/effective-policy.js'
import { reviseAxes } from '../../src/policy/revision.js'
import { unite } from '../../src/policy/unite.js'
import { aCall, aReport, ROOTS, someFacts, subjectsOf } from '../builders/question.js'

/** A policy as it would be in force in `/ws`. */
export function inForce(axes: PolicyAxes, isDelegated: boolean): EffectivePolicy {
  const bound = bindPolicy(axes, reviseAxes(axes, 1), ROOTS, new Map())
  const { writable, readable } = axes.sandbox
  return { ...bound, writable, readable, isDelegated }
}

/** The child's axes, or `null` where the delegation asks for more than there is. */
export function childAxes(
  parent: PolicyAxes,
  delegation: Delegation,
  kind: 'spawn' | 'fork' = 'spawn',
): PolicyAxes | null {
  try {
    return derive(parent, delegation, kind).axes
  } catch (error) {
    if (error instanceof DelegationError) return null
    throw error
  }
}

/** From the root down; a delegation that is refused adds no level. */
export function line(root: PolicyAxes, delegations: readonly Delegation[]): readonly PolicyAxes[] {
  return delegations.reduce<readonly PolicyAxes[]>(
    (levels, delegation) => {
      const child = childAxes(levels.at(-1) ?? root, delegation)
      return child === null ? levels : [...levels, child]
    },
    [root],
  )
}

const RULES = [
  'deny read(/ws/secret/**)',
  'ask read(/ws/src/**)',
  'allow read(/ws/**)',
  'allow read(@workspace)',
  'deny write(/ws/locked/**)',
  'allow write(@workspace)',
  'ask write(**)',
  'allow bash(npm test:*)',
  'deny bash(git push:*)',
  'ask bash(git:*)',
  'allow web_fetch(example.com)',
  'deny web_fetch(*.evil.test)',
  'allow read',
  'deny bash',
] as const
const FOLDERS = ['/ws', '/ws/src', '/ws/src/a', '/ws/secret', '/tmp', '/ws/src/../..'] as const
const CAPABILITIES = [
  'fs.read',
  'fs.write',
  'process.exec',
  'agent.spawn',
  'external.effect',
] as const

function narrowingParts(): { readonly [K in keyof Narrowing]-?: fc.Arbitrary<Narrowing[K]> } {
  const folders = fc.subarray([...FOLDERS])
  return {
    workMode: fc.constantFrom('plan', 'ro', 'rw', 'full'),
    capabilities: fc.subarray([...CAPABILITIES]),
    tools: fc.constantFrom<Narrowing['tools']>(
      'all',
      'none',
      { exclude: ['bash'] },
      { only: ['read', 'write'] },
      { only: ['w*', 'read'] },
    ),
    network: fc.constantFrom<Narrowing['network']>(
      'off',
      'grant',
      'on',
      { mode: 'on', allow: ['example.com'] },
      { mode: 'on', allow: ['*.evil.test', 'example.com'] },
      { mode: 'grant', deny: ['*.evil.test'] },
    ),
    rules: fc.subarray([...RULES]),
    sandbox: fc.record<NonNullable<Narrowing['sandbox']>>(
      {
        mode: fc.constantFrom('read_only', 'workspace_write', 'open'),
        writable: folders,
        readable: folders,
        environment: fc.record({ pass: fc.subarray(['LANG', 'HOME']) }),
        limits: fc.record(
          { timeoutMs: fc.constantFrom(10, 200_000), processes: fc.constantFrom(1, 9) },
          { requiredKeys: [] },
        ),
        onUnavailable: fc.constantFrom('deny', 'ask_host'),
      },
      { requiredKeys: [] },
    ),
    delegation: fc.record<NonNullable<Narrowing['delegation']>>(
      {
        mode: fc.constantFrom('forbidden', 'allow'),
        spawnDepth: fc.constantFrom(1, 5),
        targets: fc.subarray(['a', 'b']),
        approvalPolicies: fc.subarray(['whitelist_accept', 'always_ask', 'accept_all']),
      },
      { requiredKeys: [] },
    ),
    budgets: fc.record<NonNullable<Narrowing['budgets']>>(
      {
        asksPending: fc.constantFrom<Limit[]>(1, 9, 'unlimited'),
        asksPerHour: fc.constantFrom(2, 40),
      },
      { requiredKeys: [] },
    ),
    roots: fc.record<NonNullable<Narrowing['roots']>>(
      { rw: folders, ro: folders, wo: folders },
      { requiredKeys: [] },
    ),
    commands: fc.subarray(['git', 'npm', 'ls']),
    forbiddenPaths: fc.subarray(['/ws/secret', '/ws/src/a']),
    risk: fc.record<NonNullable<Narrowing['risk']>>(
      { high: fc.constantFrom('deny', 'ask'), medium: fc.constantFrom('ask', 'none') },
      { requiredKeys: [] },
    ),
    scopes: fc.dictionary(fc.constantFrom('memory', 'constructor'), fc.subarray(['me', 'team']), {
      maxKeys: 2,
    }),
  }
}

const APPROVAL = fc.record<NonNullable<Exclude<Delegation['toolApproval'], string>>>({
  policy: fc.constantFrom('whitelist_accept', 'always_ask', 'accept_all', 'deny_unlisted'),
  whitelist: fc.subarray(['read', 'write(/ws/src/**)', 'bash(npm test:*)', 'custom']),
})

/** A key now and then, so that something is left at the end of a line. */
function some<T>(part: fc.Arbitrary<T>, share = 0.2): fc.Arbitrary<T | undefined> {
  const weight = Math.round(share * 100)
  return fc.oneof(
    { weight, arbitrary: part },
    { weight: 100 - weight, arbitrary: fc.constant(undefined) },
  )
}

export function narrowings(): fc.Arbitrary<Narrowing> {
  const { workMode, capabilities, ...others } = narrowingParts()
  const kept = Object.entries(others).map(([key, part]) => [key, some<unknown>(part)])
  const mode = fc.oneof(
    fc.constant({}),
    fc.constant({}),
    fc.record({ workMode }),
    fc.record({ capabilities }),
  )
  return fc
    .tuple(mode, fc.record(Object.fromEntries(kept) as Record<string, fc.Arbitrary<unknown>>))
    .map(([first, rest]) => ({ ...first, ...rest }))
}

export function delegations(): fc.Arbitrary<Delegation> {
  return fc
    .tuple(narrowings(), some(APPROVAL, 0.7), some(fc.constant('parent' as const)))
    .map(([narrowing, toolApproval, approvalCeiling]) => ({
      ...narrowing,
      toolApproval,
      approvalCeiling,
    }))
}

/** Roots are rich, so that there is something to take away. */
export function roots(): fc.Arbitrary<PolicyAxes> {
  return fc
    .tuple(narrowings(), APPROVAL, fc.constantFrom('rw', 'full', 'full', 'ro'))
    .map(([narrowing, toolApproval, workMode]) => {
      const { capabilities, ...rest } = narrowing
      const mode = capabilities === undefined ? { workMode } : { capabilities, workMode: undefined }
      const defaults: PolicyInput = {
        network: 'on',
        delegation: {
          spawnDepth: 5,
          approvalPolicies: ['whitelist_accept', 'always_ask', 'accept_all', 'deny_unlisted'],
        },
      }
      const given = Object.entries({ ...rest, ...mode }).filter(([, value]) => value !== undefined)
      return unite([definePolicy({ ...defaults, ...Object.fromEntries(given), toolApproval })])
    })
}

/** A call with the facts that fit it, to be judged under any policy. */
export type Asked = Omit<Question, 'policy'>

export function asked(): fc.Arbitrary<Asked> {
  const path = fc.constantFrom(
    '/ws/src/a/x',
    '/ws/b',
    'secret/k',
    '/tmp/x',
    '/etc/passwd',
    '.git/x',
  )
  const command = fc.constantFrom('npm test', 'git push', 'git log', 'ls | wc', 'rm -rf x')
  const host = fc.constantFrom('example.com', 'a.evil.test', null)
  const need = fc.oneof<fc.Arbitrary<Need>[]>(
    fc.record({ kind: fc.constant('path'), access: fc.constantFrom('read', 'write'), path }),
    fc.record({ kind: fc.constant('command'), command }),
    fc.record({ kind: fc.constant('host'), host }),
    fc.constant({ kind: 'capability', name: 'external.effect' }),
    fc.constantFrom<Need>(
      { kind: 'escalation', name: 'host_execution', detail: 'because' },
      { kind: 'escalation', name: 'network_grant', detail: 'example.com:443' },
      { kind: 'escalation', name: 'tool_confirmation', detail: 'sure?' },
    ),
  )
  const sandbox = fc.constantFrom<Facts['sandbox']>(
    { status: 'ready', driver: 'bubblewrap', report: aReport() },
    { status: 'ready', driver: 'bubblewrap', report: aReport('network_grant') },
    { status: 'unavailable', cause: 'none', remedy: null },
  )
  return fc
    .record({
      tool: fc.constantFrom('read', 'write', 'bash', 'web_fetch', 'custom'),
      needs: fc.array(need, { maxLength: 2 }),
      sandbox,
      guard: fc.option(fc.constant('guard:hook'), { freq: 12, nil: null }),
    })
    .map(({ tool, needs, sandbox: ready, guard }) => ({
      call: aCall({ tool, needs, runsIn: tool === 'bash' ? 'sandbox' : 'process' }),
      facts: someFacts({
        subjects: subjectsOf(needs),
        sandbox: ready,
        guards: guard === null ? [] : [{ decision: 'ask', matchedRule: guard }],
      }),
    }))
}
