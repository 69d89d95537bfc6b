/** A variable as it was when this process started, whatever the process did to its environment since (H-25). */

import { readFileSync } from 'node:fs'

/** `null` when it was not set, or where the system does not tell: a file that is loaded later sets nothing. */
export function startVariable(name: string, source = '/proc/self/environ'): string | null {
  try {
    const entries = readFileSync(source, 'utf8').split('\0')
    return entries.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1) ?? null
  } catch {
    // Denied: whatever the variable would have allowed.
    return null
  }
}
