/** Runs one text in the real bash, in a folder of its own and with no program to be found, and tells what it looked for. */

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How the programs that are not there answer, and what the text finds set. */
export interface Circumstances {
  /** Their exit status, as bash text; `$1` is their name. */
  readonly status: string
  readonly variables: Readonly<Record<string, string>>
}

const FAILS: Circumstances = { status: '1', variables: {} }

/** A place for many runs; `remove` takes it away. */
export class BashRuns {
  readonly #folder = mkdtempSync(join(tmpdir(), 'bash-runs-'))
  readonly #timeoutMs: number
  #count = 0

  /** Loops without an end are stopped after so long. */
  constructor(timeoutMs = 2_000) {
    this.#timeoutMs = timeoutMs
  }

  /** Every argv that bash looked for, for all that a text starts, in no order that background jobs keep. */
  executed(
    text: string,
    { status, variables }: Circumstances = FAILS,
  ): readonly (readonly string[])[] {
    this.#count += 1
    // A place of its own: what runs in the background may end after its shell.
    const place = join(this.#folder, `${this.#count}`)
    const cwd = join(place, 'here')
    mkdirSync(cwd, { recursive: true })
    // What a glob finds here would be run if one stood for a program.
    for (const name of ['g1', 'g2']) writeFileSync(join(cwd, name), '')
    const log = join(place, 'log')
    writeFileSync(log, '')
    if (IS_ROOT) openToNobody([this.#folder, place], [cwd, log])
    // One write a command, and a line end would make it two: those of a pipeline write at the same time.
    const handler = `() { builtin printf -v told '%s\\1' "$@"; told="\${told//$'\\n'/$'\\3'}"; builtin printf '%s\\2' "$told" >>'${log}'; return ${status}; }`
    runAlone(text, { cwd, handler, variables, timeout: this.#timeoutMs })
    return split(readFileSync(log, 'utf8'))
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true })
  }
}

const IS_ROOT = process.getuid?.() === 0
const NOBODY = 65_534

/** Random text has no business with what root may do. */
function openToNobody(readable: readonly string[], writable: readonly string[]): void {
  for (const path of readable) chmodSync(path, 0o755)
  for (const path of writable) chmodSync(path, 0o777)
}

interface Run extends Pick<Circumstances, 'variables'> {
  readonly cwd: string
  readonly handler: string
  readonly timeout: number
}

function runAlone(text: string, { cwd, handler, variables, timeout }: Run): void {
  const { pid, error } = spawnSync('/usr/bin/bash', ['--norc', '--noprofile', '-c', text], {
    cwd,
    env: {
      ...variables,
      PATH: '/nonexistent',
      LC_ALL: 'C.UTF-8',
      // A function that calls itself ends.
      FUNCNEST: '8',
      'BASH_FUNC_command_not_found_handle%%': handler,
    },
    input: '',
    timeout,
    killSignal: 'SIGKILL',
    ...(IS_ROOT ? { uid: NOBODY, gid: NOBODY } : {}),
    // Its own process group, so that a loop in the background ends with it. `spawnSync` reads it, its type does not.
    ...{ detached: true },
  })
  try {
    if (pid > 0) process.kill(-pid, 'SIGKILL')
  } catch {
    // All of it has ended.
  }
  if (error !== undefined && !/ETIMEDOUT|ENOBUFS/.test(String(error))) throw error
}

/** Words end in \u0001, commands in \u0002, \u0003 is a line end; no program holds them. What is cut off is left out. */
function split(output: string): readonly (readonly string[])[] {
  return output
    .split('\u0002')
    .slice(0, -1)
    .map((command) => command.replaceAll('\u0003', '\n').split('\u0001').slice(0, -1))
}
