/** Length-prefixed frames, as host and broker exchange them (sandbox.md §6). */

/** A longer frame is a broken conversation, not a large one. */
export const MOST_FRAME_BYTES = 1_048_576

const HEAD_BYTES = 5

/** One thing that one side says. */
export interface Frame {
  readonly kind: string
  readonly body: Uint8Array
}

/** One byte that says what it is, four of length, lowest first, then the body. */
export function encodeFrame(kind: string, body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES + body.length)
  bytes[0] = kind.charCodeAt(0)
  new DataView(bytes.buffer).setUint32(1, body.length, true)
  bytes.set(body, HEAD_BYTES)
  return bytes
}

/** Bytes in, whole frames out. */
export interface FrameReader {
  /** The frames that `chunk` completes. */
  readonly read: (chunk: Uint8Array) => readonly Frame[]
  /** True once a length is impossible: what came before stands, nothing comes after. */
  readonly isBroken: () => boolean
  /** True in the middle of a frame. */
  readonly isPartial: () => boolean
}

/** Reads a stream that may break anywhere. It never holds more than one frame and one chunk. */
export function createFrameReader(): FrameReader {
  let pending: Uint8Array = new Uint8Array(0)
  let broken = false
  return {
    isPartial: () => pending.length > 0,
    isBroken: () => broken,
    read(chunk) {
      pending = joined(pending, chunk)
      const frames: Frame[] = []
      for (;;) {
        if (broken || pending.length < HEAD_BYTES) return frames
        const length = new DataView(pending.buffer, pending.byteOffset).getUint32(1, true)
        broken = length > MOST_FRAME_BYTES
        if (broken || pending.length < HEAD_BYTES + length) return frames
        frames.push({
          kind: String.fromCharCode(pending[0] ?? 0),
          body: pending.slice(HEAD_BYTES, HEAD_BYTES + length),
        })
        pending = pending.subarray(HEAD_BYTES + length)
      }
    },
  }
}

/** Bytes one after the other. */
export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
