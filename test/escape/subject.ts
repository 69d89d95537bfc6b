/** Runs every escape as the user that started it and prints one JSON object a case. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSandbox } from '../../src/sandbox/entry.js'
import { bounds } from './cases/bounds.js'
import { crashes } from './cases/crashes.js'
import { failures } from './cases/failures.js'
import { files } from './cases/files.js'
import { gitWrite } from './cases/git.js'
import { grants, withGrant } from './cases/grants.js'
import { kernel } from './cases/kernel.js'
import { network } from './cases/network.js'
import { openings } from './cases/openings.js'
import { processes } from './cases/processes.js'
import { protectedNames } from './cases/protected.js'
import { syscalls } from './cases/syscalls.js'
import { layGround, type EscapeCase } from './ground.js'

export const CASES: readonly EscapeCase[] = [
  ...files,
  ...processes,
  ...protectedNames,
  ...gitWrite,
  ...openings,
  ...crashes,
  ...syscalls,
  ...kernel,
  ...network,
  ...bounds,
  ...failures,
  ...grants,
  ...withGrant([
    ...files,
    ...processes,
    ...protectedNames,
    ...syscalls,
    ...kernel,
    ...network,
    ...bounds,
  ]),
]

/** What came of one case. */
export interface CaseReport {
  readonly id: string
  readonly status: 'held' | 'escaped' | 'skipped'
  readonly detail: string
}

async function main(mode: string, args: readonly string[]): Promise<void> {
  switch (mode) {
    case 'all':
      return runAll()
    case 'hold': {
      const handle = await openSandbox({ workspace: args[0] ?? '' })
      const grant = args[2] === 'grant' ? { host: 'a.example' } : undefined
      await handle.exec({ command: `sleep ${args[1]} & sleep ${args[1]}`, grant })
      return
    }
    case 'try': {
      const handle = await openSandbox({ workspace: args[0] ?? '' })
      const code = await handle.exec({ command: 'touch ran' }).then(
        () => 'ran',
        (error: unknown) => (error as { code: string }).code,
      )
      console.log(JSON.stringify({ code, cause: handle.report.cause ?? '' }))
      return
    }
    default:
      process.exitCode = 2
  }
}

async function runAll(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'sixgate-home-'))
  process.env['HOME'] = home
  const only = process.env['SIXGATE_ESCAPE_ONLY']?.split(',')
  for (const one of CASES.filter(({ id }) => only?.includes(id) ?? true)) {
    const reason = one.skip?.() ?? null
    const report: CaseReport =
      reason === null ? await judge(one, home) : { id: one.id, status: 'skipped', detail: reason }
    console.log(JSON.stringify(report))
  }
  rmSync(home, { recursive: true, force: true })
}

async function judge(one: EscapeCase, home: string): Promise<CaseReport> {
  const ground = await layGround(home)
  try {
    await one.run(ground)
    return { id: one.id, status: 'held', detail: '' }
  } catch (error) {
    return { id: one.id, status: 'escaped', detail: String(error) }
  } finally {
    ground.clear()
  }
}

// Only as a program of its own: the test file imports the list of cases.
if (process.env['SIXGATE_ESCAPE_SUBJECT'] === '1') {
  await main(process.argv[2] ?? '', process.argv.slice(3))
}
