/** The place where escapes are tried: a workspace, something beside it, a home with a key in it. */

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecResult, SandboxExec } from '../../src/contract/sandbox.js'
import { openSandbox, type OpenSandboxProfile } from '../../src/sandbox/entry.js'

/** One row of the table of escapes, judged from the host's side. */
export interface EscapeCase {
  readonly id: string
  readonly title: string
  /** Why it cannot be tried here, or absent. */
  readonly skip?: (() => string | null) | undefined
  /** Throws when the escape succeeded or its twin failed. */
  readonly run: (ground: Ground) => Promise<void>
}

export interface Ground {
  readonly workspace: string
  readonly outside: string
  readonly home: string
  readonly sh: (command: string, more?: Partial<SandboxExec>) => Promise<ExecResult>
  readonly under: (profile: OpenSandboxProfile) => Promise<Ground['sh']>
}

/** Makes a fresh ground; `home` is the home of this process. */
export async function layGround(home: string): Promise<Ground & { readonly clear: () => void }> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-escape-')))
  const [workspace, outside] = [join(base, 'ws'), join(base, 'out')]
  mkdirSync(join(workspace, 'src'), { recursive: true })
  mkdirSync(outside)
  mkdirSync(join(home, '.ssh'), { recursive: true })
  writeFileSync(join(workspace, 'src/a.txt'), 'text')
  writeFileSync(join(outside, 'file'), 'untouched')
  writeFileSync(join(home, '.ssh/id_rsa'), 'THE-KEY')
  writeFileSync(join(home, '.bashrc'), 'untouched')
  chmodSync(workspace, 0o755)
  const under: Ground['under'] = async (profile) => {
    const handle = await openSandbox({ workspace, profile })
    return (command, more = {}) => handle.exec({ command, ...more })
  }
  const clear = (): void => rmSync(base, { recursive: true, force: true })
  return { workspace, outside, home, sh: await under({}), under, clear }
}

/** Processes of the host whose command line holds `mark`. */
export function survivors(mark: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const text = readFileSync(`/proc/${name}/cmdline`, 'latin1')
        return text.startsWith('sleep') && text.includes(mark)
      } catch {
        return false
      }
    })
    .map(Number)
}

/** Fractional seconds that mark the sleepers of one case. */
export function uniqueSleep(): string {
  return `97${process.hrtime.bigint() % 1_000_000_000n}`
}

export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** True when the host has this program. */
export function hasProgram(path: string): boolean {
  try {
    execFileSync(path, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
