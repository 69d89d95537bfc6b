/** The start probe: real commands through exactly the profile of every later one (sandbox.md §1, S1-17). */

import type { ConfinedCommand, ProbeReport } from '../../contract/sandbox.js'
import { SandboxError } from '../../core/errors.js'
import type { Machine } from '../../platform/machine.js'
import { runConfined, type ConfinedRun } from '../../platform/process/spawn.js'
import { NO_GUARD, type Guard } from '../protection/guard.js'
import { NO_PROBE_FOLDER, PROBE_LIMITS, probeFailed, probeProfile } from '../probing.js'
import { explainFailure, notHeld } from './failure.js'
import { seatbeltGuarantees } from './guarantees.js'
import type { SeatbeltRequest } from './view.js'

/**
 * Lays out a private folder and then tries from inside what no command may do. A macOS that reads the
 * profile in another way than this library is thereby found before the first command. Never rejects.
 */
export async function probeSeatbelt(
  machine: Machine,
  confine: (request: SeatbeltRequest) => ConfinedCommand,
): Promise<ProbeReport> {
  const folders = [machine.privateFolder(), machine.privateFolder()] as const
  const [workspace, scratch] = folders
  try {
    if (workspace === null || scratch === null) return probeFailed(NO_PROBE_FOLDER)
    const ground: Ground = { machine, workspace: workspace.path, scratch: scratch.path, confine }
    for (const [script, guard] of [
      [LAY_OUT, NO_GUARD],
      [TRY_OUT, guardOf(workspace.path)],
    ] as const) {
      const error = problemOf(await run(ground, script, guard))
      if (error !== null) return probeFailed(error)
    }
    return { status: 'ready', guarantees: seatbeltGuarantees(), cause: null, remedy: null }
  } catch (cause) {
    // Denied: every sandboxed call; nothing weaker is tried.
    return probeFailed(cause instanceof SandboxError ? cause : explainFailure(''))
  } finally {
    for (const folder of folders) folder?.remove()
  }
}

interface Ground {
  readonly machine: Machine
  readonly workspace: string
  readonly scratch: string
  readonly confine: (request: SeatbeltRequest) => ConfinedCommand
}

const LAY_OUT = 'mkdir held && echo x > held/secret && echo x > fixed'

/** Prints the guarantee behind everything that went otherwise than the profile says. */
const TRY_OUT = `
exec 2>> "$TMPDIR/messages"
must() { "$@" > "$TMPDIR/out" || echo "$what"; }
mustnot() { "$@" > "$TMPDIR/out" && echo "$what"; }
say() { echo x > "$1"; }
hear() { read -r line < "$1"; }
call() { exec 4<> /dev/tcp/127.0.0.1/9; }
what=workspace must say own
what=workspace must hear own
what=scratch must say "$TMPDIR/own"
what=write_confinement mustnot say "$2-beside"
rm -f "$2-beside"
what=read_masking mustnot hear held/secret
what=read_masking mustnot /bin/ls "$1"
what=metadata_protection mustnot say fixed
what=metadata_protection mustnot mv held moved
what=metadata_protection mustnot ln own second
what=metadata_protection mustnot mkdir .git
what=metadata_protection mustnot mkdir .GIT
what=metadata_protection mustnot mkdir -p .GitHub/Workflows
what=metadata_protection mustnot mkdir -p nested/.Git
(what=egress_block mustnot call)
[[ $(< "$TMPDIR/messages") == *"not permitted"* ]] || echo read_masking
: > "$TMPDIR/messages"
(call)
[[ $(< "$TMPDIR/messages") == *"not permitted"* ]] || echo egress_block
exit 0
`

function guardOf(workspace: string): Guard {
  return {
    pinned: [`${workspace}/held`],
    fixed: [`${workspace}/fixed`],
    closed: [],
    masks: [{ path: `${workspace}/held/secret`, kind: 'file' }],
  }
}

function run(
  { machine, workspace, scratch, confine }: Ground,
  script: string,
  guard: Guard,
): Promise<ConfinedRun> {
  const command = confine({
    profile: probeProfile(workspace),
    argv: ['/bin/bash', '-c', '--', script, 'probe', machine.home, workspace],
    cwd: workspace,
    environment: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    guard,
    scratch,
  })
  const limits = { ...PROBE_LIMITS, launcherStatus: 'exec_json' } as const
  return runConfined(command, limits)
}

function problemOf(run: ConfinedRun): SandboxError | null {
  if (!run.started || run.exitCode !== 0) return explainFailure(run.stderr)
  const broken = [...new Set(run.stdout.split('\n').filter((line) => line !== ''))]
  return broken.length === 0 ? null : notHeld(broken)
}
