import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SandboxError } from '../../core/errors.js'
import type { Listener } from '../../platform/process/dialogue.js'
import { encodeInput, listenToBroker, type Expected } from './conversation.js'
import { createFrameReader, encodeFrame, joined } from './frames.js'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const frame = (kind: string, body: string | readonly number[] = ''): Uint8Array =>
  encodeFrame(kind, typeof body === 'string' ? utf8(body) : Uint8Array.from(body))
const HELLO = frame('H', '1')
const START = frame('S', [7, 0, 0, 0])
const END = frame('X', [3, 0, 0, 0])
const LATER: Expected = { compiles: false, tests: false }
const FIRST: Expected = { compiles: true, tests: true }

function heard(
  expected: Expected,
  ...chunks: readonly Uint8Array[]
): {
  readonly listener: Listener
  readonly output: string
  readonly taken: readonly boolean[]
} {
  let output = ''
  const listener = listenToBroker(expected, (stream, bytes) => {
    output += `${stream}:${new TextDecoder().decode(bytes)};`
  })
  return { taken: chunks.map((chunk) => listener.take(chunk)), listener, output }
}

describe('a conversation with a broker', () => {
  const whole = joined(HELLO, START, frame('O', 'out'), frame('E', 'err'), END)

  it('carries output and the exit code', () => {
    const { listener, output } = heard(LATER, whole)

    expect(output).toBe('stdout:out;stderr:err;')
    expect(listener.report()).toEqual({ childPid: 7, exitCode: 3 })
    expect(listener.fault()).toBeNull()
  })

  it('means the same however it is cut into chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 8 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), whole.length]
        const chunks = at.slice(1).map((end, index) => whole.slice(at[index], end))

        const { listener, output } = heard(LATER, ...chunks)

        expect([output, listener.report(), listener.fault()]).toEqual([
          'stdout:out;stderr:err;',
          { childPid: 7, exitCode: 3 },
          null,
        ])
      }),
    )
  })

  it('keeps what was compiled only after the self-test has passed', () => {
    const kept: string[] = []
    const keep = (bytes: Uint8Array): void => void kept.push(new TextDecoder().decode(bytes))

    heard({ ...FIRST, keep }, frame('A', 'image'), HELLO)
    expect(kept).toEqual([])
    heard({ ...FIRST, keep }, frame('A', 'image'), HELLO, frame('P'))
    expect(kept).toEqual(['image'])
  })

  it.each<[string, Expected, Uint8Array]>([
    ['nothing at all', LATER, new Uint8Array(0)],
    ['half a frame', LATER, whole.slice(0, -1)],
    ['no end', LATER, joined(HELLO, START)],
    ['an unknown kind', LATER, joined(HELLO, frame('?'))],
    ['a kind that objects have', LATER, encodeFrame('_', utf8('_proto__'))],
    ['another version', LATER, joined(frame('H', '2'), START, END)],
    ['no greeting', LATER, joined(START, END)],
    ['two greetings', LATER, joined(HELLO, HELLO, START, END)],
    ['a start before the self-test', FIRST, joined(frame('A', 'x'), HELLO, START, END)],
    ['a self-test that nobody asked for', LATER, joined(HELLO, frame('P'), START, END)],
    ['a compiled broker that nobody asked for', LATER, joined(frame('A', 'x'), HELLO, START, END)],
    ['no compiled broker', FIRST, joined(HELLO, frame('P'), START, END)],
    ['output before the start', LATER, joined(HELLO, frame('O', 'x'), START, END)],
    ['output after the end', LATER, joined(whole, frame('O', 'x'))],
    ['two ends', LATER, joined(whole, END)],
    ['empty output', LATER, joined(HELLO, START, frame('O'), END)],
    ['the process 0', LATER, joined(HELLO, frame('S', [0, 0, 0, 0]), END)],
    ['a short number', LATER, joined(HELLO, frame('S', [1, 0]), END)],
    ['a long number', LATER, joined(HELLO, START, frame('X', [0, 0, 0, 0, 0]))],
    ['a frame of 4 GiB', LATER, Uint8Array.of(72, 255, 255, 255, 255)],
    ['a failure that no broker knows', LATER, joined(HELLO, frame('F', 'nonsense\0x'))],
    ['a failure that is not text', LATER, joined(HELLO, frame('F', [255, 254]))],
  ])('is a fault after %s', (_, expected, bytes) => {
    const { listener } = heard(expected, bytes)

    expect(listener.fault()).toBeInstanceOf(SandboxError)
    expect(listener.fault()).toMatchObject({ code: 'setup_failed' })
  })

  it('believes nothing after a broken rule', () => {
    const { taken, output } = heard(LATER, HELLO, frame('?'), START, frame('O', 'x'))

    expect(taken).toEqual([true, false, false, false])
    expect(output).toBe('')
  })

  it.each([
    ['program_missing', 'setup_failed'],
    ['moved', 'workspace_refused'],
    ['self_test_failed', 'unavailable'],
  ])('names the failure %s as %s, with the detail', (name, code) => {
    const { listener } = heard(LATER, HELLO, frame('F', `${name}\0C:\\x\u001b[31m\nmore`))

    expect(listener.fault()).toMatchObject({ code })
    expect(listener.fault()?.message).toMatch(/: C:\\x \[31m$/)
  })

  it('tells what PowerShell said when it broke off', () => {
    const { listener } = heard(LATER)
    listener.noise(utf8('\r\nCannot invoke method in ConstrainedLanguage mode.\r\n'))

    expect(listener.fault()?.message).toMatch('constrained language mode')
  })

  it('ends on every stream of bytes in a typed fault or a whole report, and never throws', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 12 }),
      fc.constantFrom(HELLO, START, END, frame('O', 'x'), frame('P'), frame('A', 'x')),
      fc
        .tuple(fc.constantFrom(...'AHPSOEXF?'), fc.uint8Array({ maxLength: 8 }))
        .map(([kind, body]) => encodeFrame(kind, body)),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), fc.boolean(), (pieces, isFirst) => {
        const { listener, taken } = heard(isFirst ? FIRST : LATER, ...pieces)
        const fault = listener.fault()

        if (fault === null) expect(listener.report().exitCode).not.toBeNull()
        else expect(fault).toBeInstanceOf(SandboxError)
        if (taken.includes(false)) expect(fault).not.toBeNull()
      }),
      { numRuns: 3000 },
    )
  })

  it('carries the command’s input in frames with an end', () => {
    const read = (bytes: Uint8Array): readonly string[] =>
      createFrameReader()
        .read(bytes)
        .map(({ kind, body }) => `${kind}${body.length}`)

    expect(read(encodeInput(undefined))).toEqual(['Z0'])
    expect(read(encodeInput('häh'))).toEqual(['I4', 'Z0'])
    expect(read(encodeInput(new Uint8Array(100_000)))).toEqual(['I65536', 'I34464', 'Z0'])
  })
})
