/** Removes what a command left, however it left it: closed folders, and paths longer than the system takes. */

import { randomUUID } from 'node:crypto'
import { chmodSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** The folder with everything below it. Throws what the system says; links are not followed. */
export function removeTree(top: string): void {
  try {
    rmSync(top, { recursive: true, force: true })
  } catch {
    // Nothing is denied: once its folders are open and near the top it goes.
    openFolders(top)
    rmSync(top, { recursive: true, force: true })
  }
}

/** Longer paths are cut: what lies there moves up. */
const LONGEST = 1024

function openFolders(top: string): void {
  chmodSync(top, 0o700)
  const waiting = [top]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue
      const [path, near] = [join(folder, entry.name), join(top, randomUUID())]
      // Before it moves: a closed folder cannot.
      chmodSync(path, 0o700)
      if (path.length <= LONGEST) {
        waiting.push(path)
        continue
      }
      renameSync(path, near)
      waiting.push(near)
    }
  }
}
