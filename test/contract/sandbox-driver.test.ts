import { systemMachine } from '../../src/platform/machine.js'
import { processHost } from '../../src/sandbox/process-host/driver.js'
import { createNativeSandbox } from '../../src/sandbox/select.js'
import { sandboxDriverContract } from './sandbox-driver.js'

sandboxDriverContract('of this platform', () => createNativeSandbox())
sandboxDriverContract('of macOS', () =>
  createNativeSandbox({ machine: { ...systemMachine(), platform: 'darwin' } }),
)
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
