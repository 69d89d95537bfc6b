/** System calls that namespaces do not cover, made by a C program (E-34, E-36, E-37, E-43, E-45 to E-53). */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EscapeCase, Ground } from '../ground.js'

/** Compiled by the suite, for both users. */
const PROBE = process.env['SIXGATE_PROBE'] ?? ''

const needsCompiler = (): string | null =>
  PROBE === '' ? 'no C compiler, so the probe of system calls is not built' : null
const needsIntel = (): string | null =>
  needsCompiler() ?? (process.arch === 'x64' ? null : 'foreign conventions exist on x86-64 alone')

/** What the kernel says inside, and what it says in the same namespaces without the filter. */
interface Expected {
  readonly inside: Readonly<Record<string, string>>
  readonly without: Readonly<Record<string, string>>
}

export const syscalls: readonly EscapeCase[] = [
  aCase('E-34', 'mounts by the new and the old calls', {
    inside: {
      ...each(['open_tree', 'move_mount', 'fsopen', 'mount_setattr', 'mount', 'umount'], 'EPERM'),
      open_tree_attr: 'EPERM',
      newer_than_the_table: 'ENOSYS',
    },
    without: { mount: 'ENOENT' },
  }),
  aCase('E-36', 'makes namespaces by clone, clone3 and unshare', {
    inside: {
      clone3: 'ENOSYS',
      ...each(['clone_newuser', 'unshare_newuser', 'unshare_newtime'], 'EPERM'),
      thread: 'ok',
      fork: 'exit 0',
    },
    without: { clone3: 'ok', clone_newuser: 'ok', unshare_newuser: 'ok' },
  }),
  aCase('E-43', 'reads and steers other processes', {
    inside: each(['ptrace_answer', 'process_vm_readv', 'pidfd_getfd', 'kcmp', 'setns'], 'EPERM'),
    without: { ptrace_answer: 'ok', process_vm_readv: 'ok', pidfd_getfd: 'EBADF' },
  }),
  aCase('E-47', 'makes sockets of every family, with flags and high bits set', {
    inside: {
      ...each(
        ['unix', 'unix_raw_flags', 'inet', 'inet6', 'netlink', 'packet', 'vsock', 'alg'].map(
          (name) => `socket_${name}`,
        ),
        'EAFNOSUPPORT',
      ),
      socket_high_bits: 'EAFNOSUPPORT',
      ...each(['pair_dgram', 'bind', 'connect', 'listen', 'accept'], 'EPERM'),
      pair_stream: 'ok',
    },
    without: { socket_unix: 'ok', socket_high_bits: 'ok', socket_netlink: 'ok', pair_dgram: 'ok' },
  }),
  {
    ...aCase('E-50', 'uses the calling convention of another processor', {
      inside: {
        ...each(['int80_getpid', 'int80_socket', 'x32_socket'], 'SIGSYS'),
        fork: 'exit 0',
      },
      without: { int80_getpid: 'exit 0' },
    }),
    skip: needsIntel,
  },
  aCase('E-51', 'opens an io_uring', {
    inside: { io_uring_setup: 'ENOSYS' },
    without: {},
  }),
  aCase('E-52', 'uses keys, faults, probes and handles of the kernel', {
    inside: each(
      ['keyctl', 'add_key', 'userfaultfd', 'bpf', 'perf_event_open', 'open_by_handle_at'],
      'EPERM',
    ),
    without: { keyctl: 'ok', add_key: 'ok' },
  }),
  aCase('E-53', 'types into a terminal of its own', {
    inside: {
      terminal: 'ok',
      ...each(['tiocsti', 'tiocsti_high_bits', 'tioclinux'], 'EPERM'),
    },
    without: { terminal: 'ok', tioclinux: 'ENOTTY' },
  }),
]

function aCase(id: string, title: string, { inside, without }: Expected): EscapeCase {
  return {
    id,
    title,
    skip: needsCompiler,
    async run(ground) {
      assert.deepEqual(only(await answersInside(ground), inside), inside)
      assert.deepEqual(only(answersWithout(), without), without)
    },
  }
}

async function answersInside({ sh, workspace }: Ground): Promise<Readonly<Record<string, string>>> {
  const program = join(workspace, 'probe')
  copyFileSync(PROBE, program)
  chmodSync(program, 0o755)
  const run = await sh('', { command: undefined, argv: [program] })
  assert.equal(run.exitCode, 0)
  return answers(run.stdout)
}

/** The twin: the same program in bare namespaces shows that the calls exist and would succeed. */
function answersWithout(): Readonly<Record<string, string>> {
  const namespaces = ['--unshare-all', '--cap-drop', 'ALL', '--ro-bind', '/', '/']
  const fresh = ['--dev', '/dev', '--proc', '/proc', '--', PROBE]
  return answers(execFileSync('/usr/bin/bwrap', [...namespaces, ...fresh], { encoding: 'utf8' }))
}

function answers(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const at = line.indexOf(' ')
      return at === -1 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const]
    }),
  )
}

function only(
  all: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.keys(wanted).map((name) => [name, all[name]]))
}

function each(names: readonly string[], answer: string): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, answer]))
}
