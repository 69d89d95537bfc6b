/** Where this process finds itself: home, temporary folder, operating system. */

import { statSync } from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'

/** The home of the user that runs the process. */
export function homeFolder(): string {
  return homedir()
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
  const { uid, username } = userInfo()
  return uid >= 0 ? `uid:${uid}` : `user:${username}`
}
