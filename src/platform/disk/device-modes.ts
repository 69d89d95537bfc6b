/** Puts the modes of the machine's device files back after commands of root (sandbox.md §4, E-41). */

import { chmodSync, lstatSync } from 'node:fs'

/**
 * A command sees the device files of the host: no namespace of a user can make its own, and a mount that is
 * read-only for the launcher lets nothing be opened. Their owner may change their modes, so a command of
 * root could close `/dev/null` to everybody. `hold` notes the modes, and what it returns restores them.
 */
export const deviceModes: { readonly hold: () => () => void } = { hold }

const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => `/dev/${name}`)

let holders = 0
let modes: ReadonlyMap<string, number> = new Map()

function hold(): () => void {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) return () => undefined
  // What another command is just changing is not what was there before.
  if (holders === 0) modes = new Map(DEVICES.flatMap((path) => modeOf(path)))
  holders += 1
  return () => {
    holders -= 1
    for (const [path, mode] of modes) restore(path, mode)
  }
}

function modeOf(path: string): readonly (readonly [string, number])[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isCharacterDevice() === true ? [[path, stats.mode & 0o7777]] : []
}

function restore(path: string, mode: number): void {
  try {
    const [now] = modeOf(path)
    // What took its place, a link perhaps, is not ours to change.
    if (now !== undefined && now[1] !== mode) chmodSync(path, mode)
  } catch {
    // Nothing is denied: the device is gone, or this system keeps its modes.
  }
}
