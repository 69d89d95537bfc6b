/** Where a user's control plane lives by default (pipeline.md §2): outside every workspace. */

import { isAbsolute, join } from 'node:path'
import { RecordError } from '../core/errors.js'
import { homeFolder, NO_HOME } from './folders.js'

/** What decides the place; `env` and `home` of the running process unless given. */
export interface Surroundings {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
}

/**
 * `sixgate/<workspace id>` in the user's state directory. Throws `store_failed` for an id that is not
 * 1 to 128 letters, digits, `_` or `-`, and for a user without an absolute home.
 */
export function controlDirectory(workspaceId: string, around?: Surroundings): string {
  if (!WORKSPACE_ID.test(workspaceId)) {
    throw new RecordError('store_failed', 'malformed workspace id', { workspace_id: workspaceId })
  }
  return join(ownFolder(around), workspaceId)
}

/**
 * The user's list of trusted policy files, beside the control directories of all workspaces. Throws
 * `store_failed` for a user without an absolute home.
 */
export function trustFile(around?: Surroundings): string {
  return join(ownFolder(around), 'trust.json')
}

function ownFolder(around: Surroundings = here()): string {
  const state = stateDirectory(around)
  // Nothing is made in a place that is nobody's.
  if (!isAbsolute(state) || state.startsWith(`${NO_HOME}/`)) {
    throw new RecordError('store_failed', NO_STATE, { state })
  }
  return join(state, 'sixgate')
}

const NO_STATE =
  'this user has no state directory: set HOME or XDG_STATE_HOME to an absolute folder'

const WORKSPACE_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/

function here(): Surroundings {
  return { platform: process.platform, env: process.env, home: homeFolder() }
}

function stateDirectory({ platform, env, home }: Surroundings): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return absolute(env['LOCALAPPDATA']) ?? join(home, 'AppData', 'Local')
  return absolute(env['XDG_STATE_HOME']) ?? join(home, '.local', 'state')
}

/** The XDG specification has relative values ignored. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined
}
