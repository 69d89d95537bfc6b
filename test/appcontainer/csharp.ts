/** Compiles the Windows broker with Mono and runs trials of it on this machine (docs/sandbox.md). */

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BROKER_SOURCE } from '../../src/sandbox/appcontainer/broker/source.js'

/** Why nothing of this can run here; `null` when it can. */
export const MONO_MISSING: string | null = missing(
  ['/usr/bin/mcs', '/usr/bin/mono'],
  'apt-get install -y --no-install-recommends mono-mcs mono-runtime',
)

/** What is missing and how to get it, as the reason of a skip. */
export function missing(programs: readonly string[], install: string): string | null {
  const absent = programs.filter((path) => !existsSync(path))
  if (absent.length === 0) return null
  return `${absent.join(' and ')} missing: ${install}`
}

/** The broker with the trials. */
export interface Trials {
  readonly program: string
  /** An empty folder for one trial. */
  readonly folder: () => string
  /** The lines that a trial writes. */
  readonly lines: (...words: readonly string[]) => readonly string[]
  readonly remove: () => void
}

/** Compiles into a folder of its own. */
export function compileTrials(): Trials {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-csharp-')))
  const program = join(base, 'trials.exe')
  const source = join(base, 'broker.cs')
  writeFileSync(source, BROKER_SOURCE)
  const trials = ['memory-machine.cs', 'trials.cs'].map((name) => join(import.meta.dirname, name))
  execFileSync('/usr/bin/mcs', ['-langversion:7', `-out:${program}`, source, ...trials])
  let count = 0
  const folder = (): string => {
    const made = join(base, `state-${(count += 1)}`)
    mkdirSync(made)
    return made
  }
  return {
    program,
    folder,
    remove: () => rmSync(base, { recursive: true, force: true }),
    lines: (...words) => {
      const text = execFileSync('/usr/bin/mono', [program, ...words], { encoding: 'utf8' })
      return text.split('\n').slice(0, -1)
    },
  }
}

/** What the compiler says about the broker alone, as a library, with every warning on. */
export function compilerWords(): { readonly status: number | null; readonly text: string } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-csharp-')))
  const source = join(base, 'broker.cs')
  writeFileSync(source, BROKER_SOURCE)
  const library = ['-target:library', `-out:${join(base, 'broker.dll')}`]
  const words = ['-langversion:7', '-warn:4', '-warnaserror', ...library, source]
  const { status, stdout, stderr } = spawnSync('/usr/bin/mcs', words, { encoding: 'utf8' })
  rmSync(base, { recursive: true, force: true })
  return { status, text: stdout + stderr }
}
