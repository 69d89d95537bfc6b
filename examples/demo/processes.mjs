/** Looks at the processes of this machine, those inside of sandboxes included. Linux only; elsewhere there are none. */

import { readdirSync, readFileSync } from 'node:fs'

/** How many processes run with exactly this command line. */
export function processesOf(...words) {
  const wanted = words.map((word) => `${word}\0`).join('')
  return processIds().filter((id) => commandLine(id) === wanted).length
}

/** Waits until something holds, at most ten seconds. Resolves with whether it does. */
export async function until(holds) {
  const end = performance.now() + 10_000
  while (!holds()) {
    if (performance.now() > end) return false
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return true
}

function processIds() {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
}

function commandLine(id) {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8')
  } catch {
    return '' // it ended meanwhile
  }
}
