/** What every responder owes its callers (pipeline.md §5); each implementation joins this suite. */

import { describe, expect, test } from 'vitest'
import type { ApprovalRequest, Responder } from '../../src/contract/approval.js'
import { RESPONDER_KINDS } from '../../src/core/facts.js'
import { policyRevision } from '../../src/core/ids.js'
import { buildRequest } from '../../src/responders/request.js'
import { seededIds } from '../../src/testing/seeded-ids.js'
import { english } from '../../src/words/english.js'

/** How a suite gets responders whose answer it knows. */
export interface ResponderFixture {
  readonly approving: () => Responder
  readonly rejecting: () => Responder
  /** Nobody ever answers; left out where the answer is always at hand. */
  readonly waiting?: () => Responder
}

/** A request as the pipeline would build it. */
export function aRequest(seed = 1): ApprovalRequest {
  const ids = seededIds(seed)
  return buildRequest({
    words: english,
    approvalId: ids.approval(),
    call: {
      callId: ids.call(),
      sessionId: ids.session(),
      origin: 'agent',
      tool: 'bash',
      runsIn: 'sandbox',
      annotations: null,
      cwd: '/ws',
      needs: [],
      capabilities: ['process.exec'],
      defect: null,
    },
    subjects: [],
    asks: [{ layer: 'tool_approval', matchedRule: 'default:always_ask', escalation: null }],
    proposals: [],
    escalations: [],
    decidingRule: { id: 'default:always_ask', reason: null },
    sandbox: { status: 'unavailable', cause: 'a test', remedy: null },
    roots: { workspace: '/ws', home: '/home/ada', temporary: [], platform: 'linux' },
    policyRevision: policyRevision(1, '0'.repeat(64)),
    expiresAt: Date.UTC(2030, 0, 1),
  })
}

/** Registers the suite for one implementation. */
export function responderContract(name: string, fixture: ResponderFixture): void {
  const signal = (): AbortSignal => new AbortController().signal

  describe(`${name} as a responder`, () => {
    test('has one of the fixed kinds', () => {
      expect(RESPONDER_KINDS).toContain(fixture.approving().kind)
    })

    test('resolves a yes to an approval and nothing more', async () => {
      const answer = await fixture.approving().ask(aRequest(), signal())

      expect(answer).toEqual({ answer: 'approve' })
    })

    test('resolves a no to a rejection', async () => {
      const answer = await fixture.rejecting().ask(aRequest(), signal())

      expect(answer.answer).toBe('reject')
    })

    test('leaves the request as it was', async () => {
      const request = aRequest()
      const before = JSON.stringify(request)

      await fixture.approving().ask(request, signal())

      expect(JSON.stringify(request)).toBe(before)
    })

    test('does not depend on `this`', async () => {
      const { ask } = fixture.rejecting()

      const answer = await ask(aRequest(), signal())

      expect(answer.answer).toBe('reject')
    })

    const { waiting } = fixture
    if (waiting === undefined) return

    test('never turns an abort into an approval', async () => {
      const controller = new AbortController()
      const settled = Promise.allSettled([waiting().ask(aRequest(), controller.signal)])

      controller.abort()

      const [end] = await settled
      expect(end).not.toMatchObject({ value: { answer: 'approve' } })
    })
  })
}
