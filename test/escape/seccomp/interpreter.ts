/** Runs a filter as the kernel would: the oracle for processors that this machine is not. */

/** What the kernel shows a filter of one call. Arguments have 64 bits. */
export interface Call {
  readonly number: number
  readonly architecture: number
  readonly args: readonly bigint[]
}

/** The filter's answer; throws for a program that the kernel would not load. */
export function answerOf(program: Uint8Array, call: Call): number {
  const view = new DataView(program.buffer, program.byteOffset, program.byteLength)
  const seen = seccompData(call)
  const count = program.length / 8
  if (!Number.isInteger(count) || count === 0 || count > 4096) throw new RangeError('length')
  let word = 0
  for (let at = 0; at < count; at++) {
    const code = view.getUint16(at * 8, true)
    const [whenTrue, whenFalse] = [view.getUint8(at * 8 + 2), view.getUint8(at * 8 + 3)]
    const value = view.getUint32(at * 8 + 4, true)
    const jump = (taken: boolean): void => void (at += taken ? whenTrue : whenFalse)
    switch (code) {
      case 0x20:
        if (value % 4 !== 0 || value > 60) throw new RangeError('offset')
        word = seen.getUint32(value, true)
        break
      case 0x54:
        word = (word & value) >>> 0
        break
      case 0x15:
        jump(word === value)
        break
      case 0x35:
        jump(word >= value)
        break
      case 0x45:
        jump((word & value) !== 0)
        break
      case 0x06:
        return value
      default:
        throw new RangeError(`operation ${code}`)
    }
  }
  throw new RangeError('no answer')
}

function seccompData({ number, architecture, args }: Call): DataView {
  const view = new DataView(new ArrayBuffer(64))
  view.setUint32(0, number >>> 0, true)
  view.setUint32(4, architecture, true)
  for (const [index, value] of args.entries()) {
    view.setBigUint64(16 + 8 * index, BigInt.asUintN(64, value), true)
  }
  return view
}
