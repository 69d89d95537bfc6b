/** Where a bare program name leads: the folders of PATH in their order (rules.md §5 item 2). */

import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'

/** What PATH makes of a name. */
export type ProgramPlace =
  /** `folder` is real; so is the folder that the program's links lead to. */
  | { readonly status: 'found'; readonly folders: readonly string[] }
  | { readonly status: 'missing' }
  /** A folder that depends on where the command runs comes first. */
  | { readonly status: 'relative' }

export interface Programs {
  readonly find: (name: string) => ProgramPlace
}

/** The programs of a PATH, by default of this process's at the time of the call. */
export function systemPrograms(path: () => string = () => process.env['PATH'] ?? ''): Programs {
  return {
    find(name) {
      for (const folder of path().split(delimiter)) {
        if (!isAbsolute(folder)) return { status: 'relative' }
        const folders = foldersOf(join(folder, name))
        if (folders !== null) return { status: 'found', folders }
      }
      return { status: 'missing' }
    },
  }
}

function foldersOf(file: string): readonly string[] | null {
  try {
    accessSync(file, constants.X_OK)
    if (!statSync(file).isFile()) return null
    return [realpathSync(dirname(file)), dirname(realpathSync(file))]
  } catch {
    // Not this one: the shell goes on to the next folder as well.
    return null
  }
}
