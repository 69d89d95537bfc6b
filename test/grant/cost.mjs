/** `node test/grant/cost.mjs [rounds]`, after a build: what a grant adds to a sandboxed `true`, in one run. */

import { spawn } from 'node:child_process'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNativeSandbox, openSandbox } from 'sixgate/sandbox'

const rounds = Number(process.argv[2] ?? 50)
const workspace = await realpath(await mkdtemp(join(tmpdir(), 'sixgate-cost-')))
const driver = createNativeSandbox()
const grant = { host: '192.0.2.1' }
const argv = ['/bin/true']

try {
  const sandbox = await openSandbox({ workspace, driver })
  const kinds = {
    bare: () => new Promise((resolve) => spawn('/bin/true').once('close', resolve)),
    sandboxed: () => sandbox.exec({ argv }),
    prewarmed: () => sandbox.exec({ argv, grant }),
    cold: () => sandbox.exec({ argv, grant }),
  }
  const times = Object.fromEntries(Object.keys(kinds).map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(kinds)) {
      // Whoever takes the one that is ready leaves none behind for a twentieth of a second.
      if (name === 'prewarmed') await driver.networks.prewarm()
      const begun = performance.now()
      await run()
      times[name].push(performance.now() - begun)
    }
    await new Promise((resolve) => setTimeout(resolve, 120))
  }
  for (const [name, at] of [
    ['quartile', 0.25],
    ['median', 0.5],
  ]) {
    const found = Object.entries(times).map(([kind, all]) => [kind, quantile(all, at)])
    const bare = found[0]?.[1] ?? 1
    const cells = found.map(
      ([kind, ms]) => `${kind} ${ms.toFixed(1)} ms (${(ms / bare).toFixed(1)} x)`,
    )
    console.log(`${name}: ${cells.join(', ')}`)
  }
} finally {
  await rm(workspace, { recursive: true })
}

function quantile(all, at) {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length * at)]
}
