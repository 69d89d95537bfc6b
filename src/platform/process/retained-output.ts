/** Output kept in memory up to an exact number of bytes over both streams (sandbox.md §2, E-73). */

import { StringDecoder } from 'node:string_decoder'

/** Two streams under one bound. */
export interface RetainedOutput {
  readonly add: (stream: 'stdout' | 'stderr', chunk: Buffer) => void
  /** True once a byte had to be dropped. */
  readonly isCut: () => boolean
  /** What was kept. A character that the cut split is left out. */
  readonly text: (stream: 'stdout' | 'stderr') => string
}

/** Keeps the first `limit` bytes and calls `onCut` once, when the first byte beyond arrives. */
export function retainOutput(limit: number, onCut: () => void): RetainedOutput {
  const kept = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  let bytes = 0
  let cut = false
  return {
    add(stream, chunk) {
      const room = limit - bytes
      const part = chunk.length > room ? chunk.subarray(0, room) : chunk
      bytes += part.length
      if (part.length > 0) kept[stream].push(part)
      if (part.length === chunk.length || cut) return
      cut = true
      onCut()
    },
    isCut: () => cut,
    text(stream) {
      const decoder = new StringDecoder('utf8')
      const text = decoder.write(Buffer.concat(kept[stream]))
      return cut ? text : text + decoder.end()
    },
  }
}
