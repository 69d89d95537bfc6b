/** The system-call filter of a sandboxed command, as bytes for `--seccomp` (sandbox.md §4). */

import { ANSWER, answer, assemble, FIELD, keepBits, load, unless, when } from './instruction.js'
import type { Instruction } from './instruction.js'
import {
  FORBIDDEN,
  JUDGED,
  MODE_ARGUMENT,
  NEWEST,
  numberOf,
  OPEN_ARGUMENTS,
  UNKNOWN,
  type Architecture,
} from './numbers.js'

/** What a filter is made for. */
export interface FilterInput {
  readonly architecture: Architecture
  /** True: internet sockets may be made and connected, and nothing else changes. */
  readonly network: boolean
}

/**
 * Kills on a foreign calling convention; calls newer than the table do not exist; namespaces, mounts,
 * other processes' memory, keys, kernel code, terminals' input, every socket but a connected pair (and
 * internet ones with a network), all listening and programs that run as their owner are refused.
 */
export function syscallFilter(input: FilterInput): Uint8Array {
  const { architecture } = input
  return assemble([
    ...guard(architecture),
    ...listed(FORBIDDEN, EPERM, architecture),
    ...listed(UNKNOWN, ENOSYS, architecture),
    ...namespaces(architecture),
    ...terminals(architecture),
    ...sockets(input),
    ...modes(architecture),
    answer(ANSWER.allow),
  ])
}

const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

/** AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64. */
const NATIVE: { readonly [A in Architecture]: number } = { x64: 0xc000003e, arm64: 0xc00000b7 }

/** Set in the number of a call by the x32 convention, which shares x86-64's identity. */
const X32_BIT = 0x40000000

/** CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET. */
const NEW_NAMESPACES = 0x7e020000

/** CLONE_NEWTIME: a bit of `clone`'s exit signal, a flag of `unshare`. */
const NEW_TIME = 0x80

const TIOCSTI = 0x5412
const TIOCLINUX = 0x541c

const SET_USER_ID = 0o4000
/** O_CREAT and O_TMPFILE: without them the mode is whatever lies in the register. */
const MAKES_A_FILE = 0o20000100

const AF_UNIX = 1
const INTERNET_FAMILIES = [2, 10] as const
const CONNECTED_TYPES = [1, 5] as const
/** Nobody outside can be answered, with or without a network. */
const LISTENING = ['bind', 'listen', 'accept', 'accept4'] as const
/** SOCK_NONBLOCK and SOCK_CLOEXEC lie above the type itself. */
const TYPE_BITS = 0xf

function guard(architecture: Architecture): readonly Instruction[] {
  return [
    load(FIELD.architecture),
    ...unless(NATIVE[architecture], [answer(ANSWER.kill)]),
    load(FIELD.number),
    ...(architecture === 'x64' ? when('jumpIfAtLeast', X32_BIT, [answer(ANSWER.kill)]) : []),
    ...when('jumpIfAtLeast', NEWEST + 1, [refuse(ENOSYS)]),
  ]
}

function listed(
  table: typeof FORBIDDEN,
  errno: number,
  architecture: Architecture,
): readonly Instruction[] {
  return Object.values(table).flatMap((row) => {
    const number = numberOf(row, architecture)
    return number === null ? [] : when('jumpIfEqual', number, [refuse(errno)])
  })
}

function namespaces(architecture: Architecture): readonly Instruction[] {
  return [
    ...judged('clone', architecture, [
      load(FIELD.lowWord(0)),
      ...when('jumpIfAnyBit', NEW_NAMESPACES, [refuse(EPERM)]),
      answer(ANSWER.allow),
    ]),
    ...judged('unshare', architecture, [
      load(FIELD.lowWord(0)),
      ...when('jumpIfAnyBit', NEW_NAMESPACES | NEW_TIME, [refuse(EPERM)]),
      answer(ANSWER.allow),
    ]),
  ]
}

function terminals(architecture: Architecture): readonly Instruction[] {
  return judged('ioctl', architecture, [
    load(FIELD.lowWord(1)),
    ...when('jumpIfEqual', TIOCSTI, [refuse(EPERM)]),
    ...when('jumpIfEqual', TIOCLINUX, [refuse(EPERM)]),
    answer(ANSWER.allow),
  ])
}

// A file of this user in a workspace that others enter: set-user-id would let them be this user, root included.
function modes(architecture: Architecture): readonly Instruction[] {
  const judgedMode = (argument: number): readonly Instruction[] => [
    load(FIELD.lowWord(argument)),
    ...when('jumpIfAnyBit', SET_USER_ID, [refuse(EPERM)]),
    answer(ANSWER.allow),
  ]
  return [
    ...entriesOf(MODE_ARGUMENT).flatMap(([name, argument]) =>
      judged(name, architecture, judgedMode(argument)),
    ),
    ...entriesOf(OPEN_ARGUMENTS).flatMap(([name, { flags, mode }]) =>
      judged(name, architecture, [
        load(FIELD.lowWord(flags)),
        ...when('jumpIfAnyBit', MAKES_A_FILE, judgedMode(mode)),
        answer(ANSWER.allow),
      ]),
    ),
  ]
}

function entriesOf<K extends string, V>(table: Readonly<Record<K, V>>): readonly [K, V][] {
  return Object.entries(table) as [K, V][]
}

function sockets({ architecture, network }: FilterInput): readonly Instruction[] {
  const families = network ? INTERNET_FAMILIES : []
  const refused = [...LISTENING, ...(network ? [] : (['connect'] as const))]
  return [
    ...judged('socket', architecture, [
      load(FIELD.lowWord(0)),
      ...families.flatMap((family) => when('jumpIfEqual', family, [answer(ANSWER.allow)])),
      refuse(EAFNOSUPPORT),
    ]),
    ...judged('socketpair', architecture, [
      load(FIELD.lowWord(0)),
      ...unless(AF_UNIX, [refuse(EAFNOSUPPORT)]),
      load(FIELD.lowWord(1)),
      keepBits(TYPE_BITS),
      ...CONNECTED_TYPES.flatMap((type) => when('jumpIfEqual', type, [answer(ANSWER.allow)])),
      refuse(EPERM),
    ]),
    ...refused.flatMap((name) => judged(name, architecture, [refuse(EPERM)])),
  ]
}

/** What holds for one call; `body` ends in an answer. */
function judged(
  name: keyof typeof JUDGED,
  architecture: Architecture,
  body: readonly Instruction[],
): readonly Instruction[] {
  const number = numberOf(JUDGED[name], architecture)
  return number === null ? [] : when('jumpIfEqual', number, body)
}

function refuse(errno: number): Instruction {
  return answer(ANSWER.error(errno))
}
