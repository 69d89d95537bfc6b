/** Where this process finds itself: home, temporary folder, operating system. */

import { statSync } from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'
import { isAbsolute } from 'node:path'

/** The home of a user who has none, as systems write it in their list of users. */
export const NO_HOME = '/nonexistent'

/**
 * The home of the user that runs the process: by the environment, else by the system's list of users, in
 * which containers often leave a user out.
 */
export function homeFolder(): string {
  for (const ask of [homedir, () => userInfo().homedir]) {
    try {
      const home = ask()
      if (isAbsolute(home)) return home
    } catch {
      // Nothing is denied: without a home there is none to keep a workspace out of.
    }
  }
  return NO_HOME
}

/** The folder for temporary files. */
export function temporaryFolder(): string {
  return tmpdir()
}

/** True for a folder that is there, links followed. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** `process.platform`. */
export function platformName(): string {
  return process.platform
}

/** The user that runs the process, by number where there is one. */
export function userName(): string {
  const uid = process.geteuid?.()
  return uid === undefined ? `user:${userInfo().username}` : `uid:${uid}`
}
