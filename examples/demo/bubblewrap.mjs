/** Sees to it that the sandbox can be had: installs bubblewrap where that needs no password. */

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const LAUNCHER = '/usr/bin/bwrap'

/** Tries once and says what it does. Where it cannot, the demonstration runs and sandboxed calls are denied. */
export function ensureBubblewrap(print) {
  if (process.platform !== 'linux' || existsSync(LAUNCHER)) return
  const privilege = withoutPassword()
  if (privilege === null) return print('bubblewrap is missing, and this user cannot install it')
  for (const command of commands()) {
    const line = [...privilege, ...command]
    print(`bubblewrap is missing: ${line.join(' ')}`)
    const { status, stderr } = run(line)
    if (status !== 0) print(`  failed: ${String(stderr).trim().split('\n').at(-1)}`)
  }
}

/** What goes before a command that root has to run; null when this user cannot become root. */
function withoutPassword() {
  if (process.getuid() === 0) return []
  return run(['sudo', '-n', 'true']).status === 0 ? ['sudo', '-n'] : null
}

function commands() {
  if (has('apt-get')) {
    return [
      ['apt-get', 'update', '-qq'],
      ['apt-get', 'install', '-y', 'bubblewrap'],
    ]
  }
  return has('dnf') ? [['dnf', 'install', '-y', 'bubblewrap']] : []
}

function has(program) {
  return existsSync(`/usr/bin/${program}`)
}

function run([file, ...args]) {
  return spawnSync(file, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 180_000,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
}
