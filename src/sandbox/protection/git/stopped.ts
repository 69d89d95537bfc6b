/** Rebases that stopped half-way: a person who continues one runs what its list of steps says (sandbox.md §3). */

import { GIT_STOPPED } from '../../../lists/protected.js'
import type { Machine } from '../../../platform/machine.js'

/** Where they lie in folders of repositories, whatever lies there. */
export function stoppedIn(folders: readonly string[], machine: Machine): readonly string[] {
  return folders
    .flatMap((folder) => GIT_STOPPED.map((name) => `${folder}/${name}`))
    .filter((path) => machine.facts(path) !== null)
}
