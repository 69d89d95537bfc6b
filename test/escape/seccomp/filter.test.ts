/** What the filter answers on both processors, call by call, against numbers of the kernel's own tables. */

import { describe, expect, it } from 'vitest'
import { syscallFilter } from '../../../src/sandbox/seccomp/filter.js'
import { ARCHITECTURES, type Architecture } from '../../../src/sandbox/seccomp/numbers.js'
import { answerOf } from './interpreter.js'

const ALLOW = 0x7fff0000
const KILL = 0x80000000
const EPERM = 0x00050001
const ENOSYS = 0x00050026
const EAFNOSUPPORT = 0x00050061

const IDENTITY = { x64: 0xc000003e, arm64: 0xc00000b7 } as const
/** AUDIT_ARCH_I386, ARM, PPC64LE, RISCV64, and the other of the two. */
const FOREIGN = [0x40000003, 0x40000028, 0xc0000015, 0xc00000f3] as const

/** Written from `asm/unistd_64.h` and `asm-generic/unistd.h`: [x86-64, arm64]. */
const REFUSED: readonly (readonly [string, number, number])[] = [
  ['mount', 165, 40],
  ['umount2', 166, 39],
  ['pivot_root', 155, 41],
  ['chroot', 161, 51],
  ['open_tree', 428, 428],
  ['move_mount', 429, 429],
  ['fsopen', 430, 430],
  ['fsconfig', 431, 431],
  ['fsmount', 432, 432],
  ['fspick', 433, 433],
  ['mount_setattr', 442, 442],
  ['open_tree_attr', 467, 467],
  ['setns', 308, 268],
  ['ptrace', 101, 117],
  ['process_vm_readv', 310, 270],
  ['process_vm_writev', 311, 271],
  ['pidfd_getfd', 438, 438],
  ['kcmp', 312, 272],
  ['bpf', 321, 280],
  ['perf_event_open', 298, 241],
  ['userfaultfd', 323, 282],
  ['keyctl', 250, 219],
  ['add_key', 248, 217],
  ['request_key', 249, 218],
  ['kexec_load', 246, 104],
  ['kexec_file_load', 320, 294],
  ['init_module', 175, 105],
  ['finit_module', 313, 273],
  ['delete_module', 176, 106],
  ['open_by_handle_at', 304, 265],
  ['reboot', 169, 142],
  ['swapon', 167, 224],
  ['syslog', 103, 116],
  ['clock_settime', 227, 112],
]

const OLDER_KERNEL: readonly (readonly [string, number, number])[] = [
  ['io_uring_setup', 425, 425],
  ['io_uring_enter', 426, 426],
  ['io_uring_register', 427, 427],
  ['clone3', 435, 435],
  ['openat2', 437, 437],
  ['the first call after the newest', 468, 468],
  ['a call far away', 4000, 4000],
]

const ORDINARY: readonly (readonly [string, number, number])[] = [
  ['read', 0, 63],
  ['write', 1, 64],
  ['openat', 257, 56],
  ['mmap', 9, 222],
  ['execve', 59, 221],
  ['exit_group', 231, 94],
  ['futex', 202, 98],
  ['sendmsg', 46, 211],
  ['recvmsg', 47, 212],
  ['getsockopt', 55, 209],
  ['epoll_pwait', 281, 22],
  ['memfd_create', 319, 279],
  ['pidfd_open', 434, 434],
  ['landlock_create_ruleset', 444, 444],
  ['statx', 332, 291],
  ['kill', 62, 129],
]

const CALLS = {
  clone: [56, 220],
  unshare: [272, 97],
  ioctl: [16, 29],
  socket: [41, 198],
  socketpair: [53, 199],
  connect: [42, 203],
  bind: [49, 200],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
} as const

/** Calls that give a file its mode, and which argument that is; `null` where a processor has no such call. */
const MODES: readonly (readonly [string, number | null, number | null, number])[] = [
  ['chmod', 90, null, 1],
  ['fchmod', 91, 52, 1],
  ['fchmodat', 268, 53, 2],
  ['fchmodat2', 452, 452, 2],
  ['creat', 85, null, 1],
  ['mknod', 133, null, 1],
  ['mknodat', 259, 33, 2],
  ['open', 2, null, 2],
  ['openat', 257, 56, 3],
]

const HIGH = 0xdead_beefn << 32n
const ANY = 0x7777_7777_7777_7777n

type Judge = (name: keyof typeof CALLS, ...args: readonly bigint[]) => number

function filterOf(
  architecture: Architecture,
  network: boolean,
): { readonly of: (number: number, ...args: readonly bigint[]) => number; readonly judge: Judge } {
  const program = syscallFilter({ architecture, network })
  const of = (number: number, ...args: readonly bigint[]): number =>
    answerOf(program, { number, architecture: IDENTITY[architecture], args })
  const column = architecture === 'x64' ? 0 : 1
  return { of, judge: (name, ...args) => of(CALLS[name][column], ...args) }
}

describe.each(
  ARCHITECTURES.flatMap((architecture) =>
    [false, true].map((network) => ({ architecture, network })),
  ),
)('the filter on $architecture, network $network', ({ architecture, network }) => {
  const { of, judge } = filterOf(architecture, network)
  const column = architecture === 'x64' ? 1 : 2

  it.each(REFUSED)('[E-34] [E-43] [E-52] refuses %s', (...row) => {
    expect(of(row[column], ANY, ANY, ANY, ANY, ANY, ANY)).toBe(EPERM)
  })

  it.each(OLDER_KERNEL)('[E-36] [E-51] does not know %s', (...row) => {
    expect(of(row[column], ANY, ANY)).toBe(ENOSYS)
  })

  it.each(ORDINARY)('lets %s through', (...row) => {
    expect(of(row[column], ANY, ANY, ANY)).toBe(ALLOW)
  })

  it.each(FOREIGN)('[E-50] kills the calling convention 0x%s', (identity) => {
    const program = syscallFilter({ architecture, network })

    expect(answerOf(program, { number: 1, architecture: identity, args: [] })).toBe(KILL)
  })

  it('[E-50] kills x32, which shares the identity of x86-64', () => {
    const expected = architecture === 'x64' ? KILL : ENOSYS

    for (const number of [0x40000000, 0x40000029, 0x7fffffff, 0xffffffff]) {
      expect(of(number)).toBe(expected)
    }
  })

  it.each([0x20000n, 0x02000000n, 0x04000000n, 0x08000000n, 0x10000000n, 0x20000000n, 0x40000000n])(
    '[E-36] refuses the namespace flag %s of clone and unshare',
    (flag) => {
      expect(judge('clone', flag | 17n)).toBe(EPERM)
      expect(judge('clone', HIGH | flag | 0x3d0f00n)).toBe(EPERM)
      expect(judge('unshare', flag)).toBe(EPERM)
    },
  )

  it('starts processes and threads, and unshares what is no namespace', () => {
    expect(judge('clone', 17n)).toBe(ALLOW)
    expect(judge('clone', 0x3d0f00n)).toBe(ALLOW)
    expect(judge('clone', 0x01200011n)).toBe(ALLOW)
    expect(judge('unshare', 0x400n)).toBe(ALLOW)
    expect(judge('unshare', 0x80n)).toBe(EPERM)
  })

  it.each([0x5412n, 0x541cn])(
    '[E-53] refuses the terminal request %s by its low word',
    (request) => {
      expect(judge('ioctl', 0n, request)).toBe(EPERM)
      expect(judge('ioctl', 0n, HIGH | request)).toBe(EPERM)
      expect(judge('ioctl', HIGH, 0x5401n)).toBe(ALLOW)
      expect(judge('ioctl', request, 0x5413n, request)).toBe(ALLOW)
    },
  )

  it.each([0, 1, 3, 9, 15, 16, 17, 29, 31, 38, 40, 44])(
    '[E-45] [E-47] has no sockets of family %i',
    (family) => {
      for (const type of [1n, 2n, 3n, 5n, 1n | 0x80800n]) {
        expect(judge('socket', BigInt(family), type)).toBe(EAFNOSUPPORT)
        expect(judge('socket', HIGH | BigInt(family), HIGH | type)).toBe(EAFNOSUPPORT)
      }
    },
  )

  it.each([2n, 10n])('has internet sockets of family %s with a network alone', (family) => {
    expect(judge('socket', family, 1n)).toBe(network ? ALLOW : EAFNOSUPPORT)
    expect(judge('socket', HIGH | family, 1n)).toBe(network ? ALLOW : EAFNOSUPPORT)
    expect(judge('connect', 3n)).toBe(network ? ALLOW : EPERM)
  })

  it.each(MODES.filter((row) => row[column] !== null))(
    '[E-44] makes no set-user-id file by %s',
    (...row) => {
      const [number, at] = [row[column] ?? 0, row[3]]
      const call = (mode: bigint, flags = 0x40n): number =>
        of(number, ...Array.from({ length: at }, () => flags), mode)

      for (const mode of [0o4755n, 0o6000n, HIGH | 0o4000n]) expect(call(mode)).toBe(EPERM)
      for (const mode of [0o755n, 0o2775n, HIGH | 0o1777n]) expect(call(mode)).toBe(ALLOW)
      if (!row[0].startsWith('open')) return
      expect(call(0o4755n, 0x410000n)).toBe(EPERM)
      // Nothing is made: the register holds whatever was there before.
      expect(call(0o4755n, HIGH | 0x80401n)).toBe(ALLOW)
    },
  )

  it('[E-64] never binds, listens or accepts', () => {
    for (const name of ['bind', 'listen', 'accept', 'accept4'] as const) {
      expect(judge(name, 3n, ANY)).toBe(EPERM)
    }
  })

  it('makes connected pairs of Unix sockets and no other pair', () => {
    for (const type of [1n, 5n, 1n | 0x80000n, 5n | 0x80800n, HIGH | 1n]) {
      expect(judge('socketpair', HIGH | 1n, type)).toBe(ALLOW)
    }
    for (const type of [0n, 2n, 3n, 4n, 2n | 0x80000n]) {
      expect(judge('socketpair', 1n, type)).toBe(EPERM)
    }
    for (const family of [0n, 2n, 10n, 16n, 40n]) {
      expect(judge('socketpair', family, 1n)).toBe(EAFNOSUPPORT)
    }
  })
})
