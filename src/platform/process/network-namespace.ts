/** A user and network namespace that nobody lives in, with a listening socket inside that this process accepts on (sandbox.md §4). */

import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, constants, openSync, readlinkSync } from 'node:fs'
import { Server } from 'node:net'
import { SandboxError } from '../../core/errors.js'
import type { Clock } from '../clock.js'
import type { Listener } from '../network/connection.js'
import { inheritedDescriptors, openNull } from './descriptors.js'
import { killTree, notStarted } from './process-end.js'

/** Which launcher makes the namespaces, and where the socket inside listens. */
export interface NamespaceOptions {
  readonly launcher: string
  /** Before `--`: fresh user and network namespaces, and nothing that hides `/proc` from this process. */
  readonly options: readonly string[]
  readonly port: number
  readonly clock: Clock
}

/** The namespaces stay until `close`, though no process is in them. */
export interface NetworkNamespace {
  /** Paths by which a child of this process enters them. */
  readonly user: string
  readonly network: string
  readonly listener: Listener
  readonly close: () => void
}

/** How long a machine under load may take to start one process. */
const PATIENCE_MS = 15_000

/** The descriptor of the program inside; 3 is the channel. */
const PROGRAM_DESCRIPTOR = 4

/** Listens, hands the socket over, and goes when told or when nobody is left to tell. */
const PROGRAM = `
const server = require('node:net').createServer()
process.once('disconnect', () => process.exit(0))
server.listen({ host: '127.0.0.1', port: Number(process.argv[1]) }, () =>
  process.send({ pid: process.pid }, server, () => {}))
`

/**
 * Starts a short-lived process in fresh namespaces, takes its socket, opens its namespaces and lets it go.
 * Rejects with `SandboxError setup_failed`; the message then holds what the launcher said.
 */
export async function openNetworkNamespace(options: NamespaceOptions): Promise<NetworkNamespace> {
  const child = start(options)
  try {
    const { pid, listener } = await handedOver(child, options.clock)
    try {
      return opened(pid, listener)
    } catch (cause) {
      listener.close()
      throw cause
    }
  } finally {
    // Its namespaces are open by now, or nobody wants them: it need not end by itself.
    killTree(child)
  }
}

/** The very program that runs here, by descriptor: what its path leads to later does not matter. */
function start({ launcher, options, port }: NamespaceOptions): ChildProcess {
  const cover = openNull()
  let program: number | undefined
  const slots: (number | 'ignore' | 'pipe' | 'ipc' | undefined)[] = ['ignore', 'ignore', 'pipe']
  try {
    for (const descriptor of inheritedDescriptors()) slots[descriptor] = cover.descriptor
    program = openSync('/proc/self/exe', constants.O_RDONLY)
    slots[3] = 'ipc'
    slots[PROGRAM_DESCRIPTOR] = program
    const words = [`/proc/self/fd/${PROGRAM_DESCRIPTOR}`, '-e', PROGRAM, `${port}`]
    const child = spawn(launcher, [...options, '--', ...words], {
      cwd: '/',
      env: {},
      detached: true,
      stdio: Array.from(slots, (slot) => slot ?? 'ignore'),
    })
    child.unref()
    child.channel?.unref()
    return child
  } catch (cause) {
    // Denied: the grant.
    throw cause instanceof SandboxError ? cause : notStarted(launcher, cause)
  } finally {
    cover.close()
    if (program !== undefined) closeSync(program)
  }
}

interface Handed {
  readonly pid: number
  readonly listener: Listener
}

function handedOver(child: ChildProcess, clock: Clock): Promise<Handed> {
  return new Promise((resolve, reject) => {
    let said = ''
    let isOver = false
    const fail = (cause?: unknown): void => {
      isOver = true
      stopTimer()
      const line = said.split('\n')[0]?.slice(0, 300) ?? ''
      reject(failed(line === '' ? 'no network namespace could be made' : line, cause))
    }
    const stopTimer = clock.after(PATIENCE_MS, fail)
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += said.length < 4096 ? text : ''
    })
    child.once('error', fail).once('close', () => fail())
    child.once('message', (message, handle) => {
      stopTimer()
      const { pid } = message as { readonly pid?: unknown }
      if (!(handle instanceof Server) || typeof pid !== 'number') return fail()
      // Too late: nobody will close what nobody waits for.
      if (isOver) handle.close()
      else resolve({ pid, listener: handle })
    })
  })
}

function opened(pid: number, listener: Listener): NetworkNamespace {
  const descriptors: number[] = []
  const close = (): void => {
    for (const descriptor of descriptors.splice(0)) closeSync(descriptor)
  }
  try {
    for (const name of ['user', 'net']) {
      const descriptor = openSync(`/proc/${pid}/ns/${name}`, constants.O_RDONLY)
      descriptors.push(descriptor)
      refuseOwn(descriptor, name)
    }
  } catch (cause) {
    close()
    // Denied: the grant.
    throw cause instanceof SandboxError ? cause : failed('a namespace cannot be opened', cause)
  }
  listener.unref()
  const [user, network] = descriptors.map((one) => `/proc/${process.pid}/fd/${one}`)
  return {
    user: user ?? '',
    network: network ?? '',
    listener,
    close() {
      listener.close()
      close()
    },
  }
}

// INVARIANT: a namespace of a grant is never this process's own ("refuses namespaces that are not fresh"): a
// launcher that made none would let the command into the host's network.
function refuseOwn(descriptor: number, name: string): void {
  const found = readlinkSync(`/proc/self/fd/${descriptor}`)
  if (/^(?:user|net):\[\d+\]$/.test(found) && found !== readlinkSync(`/proc/self/ns/${name}`))
    return
  throw failed('the launcher made no fresh namespaces', undefined)
}

function failed(message: string, cause: unknown): SandboxError {
  return new SandboxError(
    'setup_failed',
    message,
    'allow user and network namespaces to this user',
    cause,
  )
}
