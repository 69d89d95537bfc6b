/** Ends what this process started when this process is killed, however early that is (sandbox.md §2, E-71). */

import { spawn, type ChildProcess } from 'node:child_process'
import type { Writable } from 'node:stream'

/**
 * A launcher asks the kernel to be ended with its parent, but only once it runs: between its start and
 * that moment, and between its own end and its child's asking, a killed host would leave it behind.
 * So a shell that this process starts first holds the numbers and kills them when its input ends.
 */
export const watchdog: {
  readonly add: (pid: number) => void
  readonly remove: (pid: number) => void
} = {
  add: (pid) => tell('add', pid),
  remove: (pid) => tell('del', pid),
}

/** Group and process: a launcher's child leaves the group late, and by then its number is known. */
const SCRIPT = `
trap '' HUP INT TERM
held=' '
while read -r verb pid; do
  case $verb in
    add) held="$held$pid " ;;
    del) held="\${held%% $pid *} \${held#* $pid }" ;;
  esac
done
for pid in $held; do
  kill -9 "-$pid"
  kill -9 "$pid"
done
`

let running: ChildProcess | null = null

function tell(verb: 'add' | 'del', pid: number): void {
  const dog = running ?? start()
  dog.stdin?.write(`${verb} ${pid}\n`)
}

function start(): ChildProcess {
  const dog = spawn('/bin/sh', ['-c', SCRIPT], {
    detached: true,
    env: {},
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const forget = (): void => {
    if (running === dog) running = null
  }
  // Nothing is denied without it: launchers still ask the kernel to be ended with this process.
  dog.once('error', forget).once('exit', forget)
  // Without a descriptor to spare Node gives no streams.
  const input = dog.stdin as (Writable & { readonly unref?: () => void }) | undefined
  input?.on('error', forget)
  dog.unref()
  // A pipe of a child is a socket, and a socket keeps the process alive unless told otherwise.
  input?.unref?.()
  running = dog
  return dog
}
