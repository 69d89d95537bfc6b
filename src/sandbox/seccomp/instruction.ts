/** Classic BPF as the kernel reads it: eight bytes an instruction, little-endian (sandbox.md §4). */

/** One instruction. Jumps count the instructions to skip. */
export interface Instruction {
  readonly code: number
  readonly whenTrue: number
  readonly whenFalse: number
  readonly value: number
}

/** The operations that the filter uses. */
export const OPERATION = {
  load: 0x20,
  and: 0x54,
  jumpIfEqual: 0x15,
  jumpIfAtLeast: 0x35,
  jumpIfAnyBit: 0x45,
  answer: 0x06,
} as const

/** Offsets in `struct seccomp_data`. Arguments that are ints are read by their low word alone. */
export const FIELD = {
  number: 0,
  architecture: 4,
  lowWord: (argument: number): number => 16 + 8 * argument,
} as const

/** What a filter can say. */
export const ANSWER = {
  allow: 0x7fff0000,
  kill: 0x80000000,
  error: (errno: number): number => 0x00050000 | errno,
} as const

export function load(offset: number): Instruction {
  return { code: OPERATION.load, whenTrue: 0, whenFalse: 0, value: offset }
}

export function keepBits(bits: number): Instruction {
  return { code: OPERATION.and, whenTrue: 0, whenFalse: 0, value: bits }
}

export function answer(value: number): Instruction {
  return { code: OPERATION.answer, whenTrue: 0, whenFalse: 0, value }
}

/** Runs `body` when the loaded word passes the test, else what follows it. */
export function when(
  code: 'jumpIfEqual' | 'jumpIfAtLeast' | 'jumpIfAnyBit',
  value: number,
  body: readonly Instruction[],
): readonly Instruction[] {
  return [{ code: OPERATION[code], whenTrue: 0, whenFalse: body.length, value }, ...body]
}

/** Runs `body` unless the loaded word is `value`. */
export function unless(value: number, body: readonly Instruction[]): readonly Instruction[] {
  return [{ code: OPERATION.jumpIfEqual, whenTrue: body.length, whenFalse: 0, value }, ...body]
}

/** The bytes of a program. */
export function assemble(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(program.length * 8)
  const view = new DataView(bytes.buffer)
  for (const [index, one] of program.entries()) {
    view.setUint16(index * 8, one.code, true)
    view.setUint8(index * 8 + 2, one.whenTrue)
    view.setUint8(index * 8 + 3, one.whenFalse)
    view.setUint32(index * 8 + 4, one.value, true)
  }
  return bytes
}
