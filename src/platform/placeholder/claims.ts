/** One claim a workspace and process, kept for a moment between commands (sandbox.md §3). */

import type { Clock } from '../clock.js'
import { claimWorkspace, hasClaims, type Claim } from './claim.js'

/** The claims of one runner. */
export interface Claims {
  /** Claims the workspace, or joins the claim that is there. `release` it exactly once. */
  readonly take: (workspace: string) => Promise<Claim>
  /** Clears away what killed processes left in a folder that is not claimed now. */
  readonly clear: (folder: string) => Promise<void>
}

/**
 * Making and removing thirty names costs more than a command, and an editor would see them come and
 * go: they stay until no command ran for a moment, or until the process ends.
 */
export function createClaims(clock: Clock): Claims {
  const held = new Map<string, Held>()
  const join = (workspace: string): Held => {
    const one: Held = held.get(workspace) ?? {
      claim: claimed(workspace, () => held.delete(workspace)),
      users: 0,
      cancel: null,
    }
    held.set(workspace, one)
    one.cancel?.()
    one.users += 1
    return one
  }
  return {
    async clear(folder) {
      if (!held.has(folder) && hasClaims(folder)) (await claimWorkspace(folder)).release()
    },
    async take(workspace) {
      const one = join(workspace)
      const claim = await one.claim
      return {
        ...claim,
        release() {
          one.users -= 1
          if (one.users === 0) one.cancel = clock.after(MOMENT_MS, claim.release)
        },
      }
    },
  }
}

const MOMENT_MS = 1000

interface Held {
  readonly claim: Promise<Claim>
  users: number
  cancel: (() => void) | null
}

/** A claim that forgets itself when it ends, and ends with the process at the latest. */
async function claimed(workspace: string, forget: () => void): Promise<Claim> {
  try {
    const claim = await claimWorkspace(workspace)
    const end = (): void => {
      endings.delete(end)
      forget()
      claim.release()
    }
    atExit(end)
    return { ...claim, release: end }
  } catch (cause) {
    // Denied: this run; the next one tries to claim again.
    forget()
    throw cause
  }
}

const endings = new Set<() => void>()
let isListening = false

/** One listener for all: a process that ends by itself leaves no placeholder behind. */
function atExit(end: () => void): void {
  endings.add(end)
  if (isListening) return
  isListening = true
  process.on('exit', () => {
    for (const one of [...endings]) one()
  })
}
