import { afterAll } from 'vitest'
import { systemMachine } from '../../src/platform/machine.js'
import { processHost } from '../../src/sandbox/process-host/driver.js'
import { createNativeSandbox } from '../../src/sandbox/select.js'
import { openLauncher } from '../seatbelt/open-launcher.js'
import { sandboxDriverContract } from './sandbox-driver.js'

sandboxDriverContract('of this platform', () => createNativeSandbox())
sandboxDriverContract('of macOS', () =>
  createNativeSandbox({ machine: { ...systemMachine(), platform: 'darwin' } }),
)
const { machine, path: launcher, remove } = openLauncher()
afterAll(remove)
const { guarantees } = await processHost().probe()
const report = {
  status: 'ready',
  guarantees: { ...guarantees, env_scrub: { status: 'enforced' } },
  cause: null,
  remedy: null,
} as const
// What Seatbelt itself would keep is not promised here: this runs everything around it.
sandboxDriverContract('of macOS, started by a launcher that confines nothing', () => ({
  ...createNativeSandbox({ machine, launcher }),
  probe: () => Promise.resolve(report),
}))
sandboxDriverContract('of Windows', () =>
  createNativeSandbox({ machine: { ...systemMachine(), platform: 'win32' } }),
)
sandboxDriverContract('with a missing launcher', () =>
  createNativeSandbox({
    machine: { ...systemMachine(), platform: 'win32' },
    launcher: '/nonexistent',
  }),
)
sandboxDriverContract('that is the host', () => processHost())
