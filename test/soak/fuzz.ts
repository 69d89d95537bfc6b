/** Runs a reader over many inputs: it may read or refuse; it may not crash, and it may not hang. */

import { randomOf, type Random } from './mutate.js'

export interface Fuzz<Input> {
  readonly cases: number
  readonly seed: number
  readonly input: (random: Random, index: number) => Input
  readonly read: (input: Input, index: number) => unknown
  /** True for what the reader is allowed to throw. */
  readonly isRefusal: (fault: unknown) => boolean
}

export interface Fuzzed {
  readonly failures: readonly string[]
  readonly refused: number
  readonly slowestMs: number
}

/** No input may cost more than this (quality.md "Speed"), measured again before it counts. */
const LIMIT = 50

export function fuzz<Input>({ cases, seed, input, read, isRefusal }: Fuzz<Input>): Fuzzed {
  const random = randomOf(seed)
  const failures: string[] = []
  let [refused, slowestMs] = [0, 0]
  for (let index = 0; index < cases; index += 1) {
    const given = input(random, index)
    const first = attempt(() => read(given, index))
    // Another process, or the collector, may have had the time; the quickest of three is the input's own.
    const ms = first.ms < LIMIT ? first.ms : quickest(() => read(given, index))
    slowestMs = Math.max(slowestMs, ms)
    if (first.isThrown) refused += 1
    const isCrash = first.isThrown && !isRefusal(first.fault)
    if (isCrash) failures.push(`case ${index}: ${shown(given)} threw ${String(first.fault)}`)
    if (ms >= LIMIT) failures.push(`case ${index}: ${shown(given)} took ${Math.round(ms)} ms`)
  }
  return { failures, refused, slowestMs }
}

interface Attempt {
  readonly ms: number
  readonly isThrown: boolean
  readonly fault: unknown
}

function attempt(run: () => unknown): Attempt {
  const began = performance.now()
  try {
    run()
    return { ms: performance.now() - began, isThrown: false, fault: null }
  } catch (fault) {
    // The caller says whether it was a refusal.
    return { ms: performance.now() - began, isThrown: true, fault }
  }
}

function quickest(run: () => unknown): number {
  return Math.min(...[1, 2, 3].map(() => attempt(run).ms))
}

function shown(input: unknown): string {
  const text = input instanceof Uint8Array ? Buffer.from(input).toString('latin1') : String(input)
  return JSON.stringify(text.length > 300 ? `${text.slice(0, 300)}… (${text.length})` : text)
}
