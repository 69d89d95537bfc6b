/** Every bash row of the rule cases, judged by the whole fold. */

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { PolicyInput } from '../../src/contract/policy.js'
import { ConfigError } from '../../src/core/errors.js'
import type { ResponderFacts, Roots } from '../../src/core/facts.js'
import type { Platform } from '../../src/core/guarantee.js'
import { definePolicy } from '../../src/policy/define.js'
import { decideShell, DECISIONS } from '../builders/shell-decision.js'

interface Row {
  readonly id: string
  readonly policy: PolicyInput
  readonly context: {
    readonly workspace: string
    readonly home: string
    readonly platform?: Platform
    readonly responder?: string
  }
  readonly delegate?: readonly unknown[]
  readonly call: {
    readonly tool: string
    readonly args: { readonly command: unknown; readonly shell?: 'bash' | 'powershell' | 'cmd' }
  }
  readonly expect: { readonly decision: readonly string[] }
}

const ROWS = readFileSync('test/cases/rules.jsonl', 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Row)
  .filter((row) => row.call.tool.toLowerCase() === 'bash')

/** A child's session and arguments of a wrong type are judged elsewhere: here is one policy and one text. */
const OWN = ROWS.filter(
  (row) => row.delegate === undefined && typeof row.call.args.command === 'string',
)

describe('the bash rows of the rule cases', () => {
  it('are 105, of which those without a child or a wrong type are judged here', () => {
    expect(ROWS).toHaveLength(105)
    expect(OWN.length).toBeGreaterThan(90)
    process.stdout.write(
      `rule cases: ${ROWS.length - OWN.length} rows are of a child session or of a wrong type\n`,
    )
  })

  it.each(OWN.map((row) => [row.id, row] as const))('[%s] ends as stated', (_id, row) => {
    const decision = decide(row)

    expect(row.expect.decision).toContain(decision)
  })
})

function decide({ policy, context, call }: Row): string {
  if (!isLoadable(policy)) return 'load_error'
  const { workspace, home, platform = 'linux', responder } = context
  const roots: Roots = { workspace, home, temporary: ['/tmp'], platform }
  const { command, shell } = call.args
  const facts = responder === undefined ? {} : { responder: ABSENT }
  const verdict = decideShell(policy, { command: String(command), shell, roots, facts })
  // A responder that fails, rejects or is missing ends a question without a yes.
  if (verdict.status === 'suspended' && responder !== undefined) return 'deny'
  return DECISIONS[verdict.status]
}

const ABSENT: ResponderFacts = { status: 'absent' }

function isLoadable(policy: PolicyInput): boolean {
  try {
    definePolicy(policy)
    return true
  } catch (error) {
    if (error instanceof ConfigError) return false
    throw error
  }
}
