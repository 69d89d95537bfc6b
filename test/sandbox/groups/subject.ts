/** Runs limited commands where control groups of the second version are this process's to make; one JSON object. */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecResult } from '../../../src/contract/sandbox.js'
import { openSandbox } from '../../../src/sandbox/entry.js'

/** What the kernel made of it. */
export interface GroupReport {
  readonly processes: string
  readonly memory: string
  /** Fourteen sleepers under a limit of ten processes, and what the host could start meanwhile. */
  readonly many: Seen
  readonly meanwhile: string
  readonly few: Seen
  /** 200 MiB under a limit of 64, and a twin that needs little. */
  readonly large: Seen
  readonly small: Seen
  readonly left: readonly string[]
  /** The group of this process, by then. */
  readonly own: string
}

export type Seen = Pick<ExecResult, 'started' | 'exitCode' | 'signal' | 'stdout' | 'stderr'>

const FORK = 'for i in $(seq COUNT); do sleep 0.5 & done; wait; echo ok'
/** Without a line end `tail` keeps everything. */
const ALLOCATE = 'head -c SIZE /dev/zero | tail | wc -c'

async function main(): Promise<GroupReport> {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-groups-')))
  const limits = { processes: 10, memoryBytes: 67_108_864 }
  const { report, exec } = await openSandbox({ workspace, profile: { limits } })
  const run = async (command: string): Promise<Seen> => {
    const { started, exitCode, signal, stdout, stderr } = await exec({ command })
    return { started, exitCode, signal, stdout, stderr: stderr.slice(0, 400) }
  }
  const { guarantees } = report
  const forking = run(FORK.replace('COUNT', '14'))
  const meanwhile = execFileSync('/bin/echo', ['twin'], { encoding: 'utf8' })
  const seen = {
    many: await forking,
    meanwhile,
    few: await run(FORK.replace('COUNT', '8')),
    large: await run(ALLOCATE.replace('SIZE', '200M')),
    small: await run(ALLOCATE.replace('SIZE', '2M')),
  }
  await new Promise((resolve) => setTimeout(resolve, 500))
  rmSync(workspace, { recursive: true, force: true })
  return {
    processes: guarantees['limits.processes'].status,
    memory: guarantees['limits.memory'].status,
    ...seen,
    left: groups().filter((name) => name.startsWith('sixgate-run-')),
    own: ownGroup(),
  }
}

function ownGroup(): string {
  return /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1] ?? ''
}

function groups(): readonly string[] {
  const own = ownGroup().replace(/\/sixgate-host$/, '')
  return readdirSync(`/sys/fs/cgroup${own}`)
}

console.log(JSON.stringify(await main()))
