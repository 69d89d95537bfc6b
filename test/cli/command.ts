/** Builds the `sixgate` command from the source and runs it as a child process, as its users do. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { build } from 'esbuild'

/** What a run of the command left behind. */
export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A workspace with a policy beside it, and a state directory of its own. */
export interface Ground {
  readonly workspace: string
  readonly state: string
  /** Writes a file below the ground; returns its path. */
  readonly file: (name: string, text: string) => string
  readonly sixgate: (args: readonly string[], env?: Readonly<Record<string, string>>) => Ran
  /** A bash line in which `$SIXGATE` is the command. */
  readonly bash: (line: string) => Ran
  readonly remove: () => void
}

/** Below the repository, so that dependencies resolve as they do for `dist`. */
export async function buildCommand(): Promise<{
  readonly file: string
  readonly remove: () => void
}> {
  mkdirSync('.cache', { recursive: true })
  const folder = resolve(mkdtempSync('.cache/cli-'))
  const file = join(folder, 'cli.js')
  await build({
    entryPoints: ['src/cli/main.ts'],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    packages: 'external',
  })
  return { file, remove: () => rmSync(folder, { recursive: true }) }
}

export function ground(command: string): Ground {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-cli-')))
  const workspace = join(folder, 'workspace')
  const state = join(folder, 'state')
  mkdirSync(workspace)
  const env = { ...process.env, XDG_STATE_HOME: state, NO_COLOR: '' }
  const run = (file: string, args: readonly string[], more: object = {}): Ran => {
    const { status, stdout, stderr } = spawnSync(file, [...args], {
      cwd: workspace,
      env: { ...env, ...more },
      encoding: 'utf8',
      timeout: 60_000,
      maxBuffer: 64 * 1024 * 1024,
    })
    return { code: status, stdout, stderr }
  }
  return {
    workspace,
    state,
    file(name, text) {
      const path = join(folder, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      return path
    },
    // A session of its own has no controlling terminal, wherever the tests are started.
    sixgate: (args, more) => run('setsid', ['--wait', process.execPath, command, ...args], more),
    bash: (line) =>
      run('setsid', ['--wait', 'bash', '-c', line], { SIXGATE: `${process.execPath} ${command}` }),
    remove: () => rmSync(folder, { recursive: true }),
  }
}
