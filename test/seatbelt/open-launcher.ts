/** A launcher with the words of macOS' own that confines nothing: what runs behind it runs on the host. */

import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemMachine, type Machine } from '../../src/platform/machine.js'

/** A Mac in the eyes of the driver, with the launcher at `path`. */
export interface OpenLauncher {
  readonly path: string
  readonly machine: Machine
  readonly remove: () => void
}

/** `text` is what the launcher does; absent: it drops the profile and becomes the command. */
export function openLauncher(text: string = BECOME): OpenLauncher {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-launcher-')))
  const path = join(folder, 'sandbox-exec')
  writeFileSync(path, `#!/bin/bash -p\n${text}\n`)
  chmodSync(path, 0o755)
  const real = systemMachine()
  return {
    path,
    machine: {
      ...real,
      platform: 'darwin',
      // Everything on the way to the launcher seems to be root's.
      facts: (one) => {
        const facts = real.facts(one)
        return facts === null ? null : { ...facts, owner: 0, mode: facts.mode & ~0o7022 }
      },
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

const BECOME = `
while [[ $1 != -- ]]; do
  case $1 in
    -p | -D) shift 2 ;;
    *) echo "unknown option $1" >&2; exit 64 ;;
  esac
done
shift
exec -- "$@"`
