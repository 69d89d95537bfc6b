import { describe, expect, test } from 'vitest'
import { aRequest, responderContract } from '../../test/contract/responder.js'
import { RESPONDER_KINDS } from '../core/facts.js'
import { scriptedResponder } from './scripted-responder.js'

const never = new AbortController().signal

responderContract('a list of answers', {
  approving: () => scriptedResponder([{ answer: 'approve' }]),
  rejecting: () => scriptedResponder([{ answer: 'reject', reason: 'no' }]),
})

responderContract('a function of answers', {
  approving: () => scriptedResponder(() => ({ answer: 'approve' })),
  rejecting: () => scriptedResponder(() => Promise.resolve({ answer: 'reject' })),
  waiting: () =>
    scriptedResponder(
      (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(new RangeError('aborted'))
          })
        }),
    ),
})

describe('a scripted responder', () => {
  test('answers in the order of its list and remembers what it was shown', async () => {
    const responder = scriptedResponder([{ answer: 'approve' }, { answer: 'reject' }])

    const first = await responder.ask(aRequest(1), never)
    const second = await responder.ask(aRequest(2), never)

    expect([first.answer, second.answer]).toEqual(['approve', 'reject'])
    expect(responder.requests).toEqual([aRequest(1), aRequest(2)])
  })

  test('rejects when its list has ended, so that nothing is allowed by accident', async () => {
    const responder = scriptedResponder([])

    await expect(responder.ask(aRequest(), never)).rejects.toMatchObject({ code: 'invalid_option' })
  })

  test('a function that throws makes the question fail', async () => {
    const responder = scriptedResponder(() => {
      throw new RangeError('broken')
    })

    await expect(responder.ask(aRequest(), never)).rejects.toThrow('broken')
  })

  test('is a script unless it is told to stand for somebody else', () => {
    const kinds = RESPONDER_KINDS.map((kind) => scriptedResponder([], { kind }).kind)

    expect(scriptedResponder([]).kind).toBe('script')
    expect(kinds).toEqual(RESPONDER_KINDS)
  })
})
