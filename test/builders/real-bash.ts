/** What the real bash runs: the oracle that the shell analysis is compared with. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Runs the texts as the lines of one script, with no program to be found, and returns the argv of every
 * command that bash looked for, in order. A line that swallows its neighbours shows as a difference.
 */
export function bashCommands(texts: readonly string[]): readonly (readonly string[])[] {
  const folder = mkdtempSync(join(tmpdir(), 'real-bash-'))
  try {
    const script = join(folder, 'script')
    writeFileSync(script, `${HANDLER}\n${texts.join('\n')}\n`)
    const { stdout } = spawnSync('/usr/bin/bash', ['--norc', '--noprofile', script], {
      cwd: folder,
      env: { PATH: '/nonexistent', LC_ALL: 'C.UTF-8' },
      encoding: 'utf8',
      timeout: 60_000,
      maxBuffer: 64 * 1024 * 1024,
    })
    return split(stdout)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const HANDLER = 'command_not_found_handle() { printf "%s\\0" "$#" "$@"; }'

/** Each command is its word count, then its words, all ended by NUL. */
function split(output: string): readonly (readonly string[])[] {
  const fields = output.split('\0').slice(0, -1)
  const commands: string[][] = []
  for (let at = 0; at < fields.length;) {
    const count = Number(fields[at])
    commands.push(fields.slice(at + 1, at + 1 + count))
    at += 1 + count
  }
  return commands
}
