/** Opening the first session of a task (api.md `session`): shared by what enforces and what is on trial. */

import type { Sixgate } from './contract/session.js'
import type { Parts } from './compose.js'
import { ConfigError } from './core/errors.js'
import { realFolder } from './enforce/call/subjects.js'
import { openRoot } from './enforce/lineage/root.js'
import type { LiveSession, SessionHome } from './enforce/live-session.js'

/** Throws `ConfigError` for malformed options and a folder outside of the workspace; then nothing was opened. */
export async function openSession(
  { around, given, bind }: Parts,
  home: () => Promise<SessionHome>,
  options: Parameters<Sixgate['session']>[0],
): Promise<LiveSession> {
  const { task, cwd } = readOpening(options)
  const folder = await realFolder(cwd, around)
  if (folder === null) {
    throw new ConfigError('invalid_option', 'the working folder is not in the workspace', {
      path: ['cwd'],
    })
  }
  const policy = bind(given(), { count: 1, isDelegated: false })
  const taskId = task === '' ? undefined : task
  return openRoot(await home(), { taskId, cwd: folder, policy })
}

function readOpening(options: Parameters<Sixgate['session']>[0]): {
  readonly task: string
  readonly cwd: string
} {
  const given: { readonly task?: unknown; readonly cwd?: unknown } = options ?? {}
  const { task = '', cwd = '.' } = given
  // The task stands in the run's first record, which holds well-formed text only.
  if (typeof task === 'string' && task.isWellFormed() && typeof cwd === 'string') {
    return { task, cwd }
  }
  throw new ConfigError('invalid_option', '`task` or `cwd` is no text', { path: ['session'] })
}
