/** `createSixgate` with parts of a test's own making (api.md, `sixgate/testing`). */

import { compose, systemPorts, type Ports } from '../compose.js'
import type { Sixgate, SixgateOptions } from '../contract/session.js'
import type { Platform } from '../core/guarantee.js'
import type { IdSource } from '../core/ids.js'
import type { Clock } from '../platform/clock.js'
import { systemMachine, type Machine } from '../platform/machine.js'
import type { PathResolver } from '../platform/path-resolver.js'
import { normalFolder } from '../policy/rules/path-forms.js'
import { createSandboxRunner } from '../sandbox/runner.js'
import { build } from '../sixgate.js'
import { fakeSandbox } from './fake-sandbox.js'
import {
  virtualPathResolver,
  type VirtualHardLinks,
  type VirtualLinks,
} from './virtual-path-resolver.js'

/** What differs from this process; whatever is absent is the real thing. */
export interface TestOverrides {
  readonly clock?: Clock | undefined
  readonly ids?: IdSource | undefined
  readonly home?: string | undefined
  readonly temporary?: readonly string[] | undefined
  readonly platform?: Platform | undefined
  /** Given: paths are judged in a virtual file system, which is empty but for these links. */
  readonly links?: VirtualLinks | undefined
  /** Second names of files in the virtual file system, which they make one. */
  readonly hardlinks?: VirtualHardLinks | undefined
  /** A fake driver in this state, where the options give none. */
  readonly sandbox?: 'ready' | 'unavailable' | undefined
}

/**
 * As `createSixgate`: the same checks, the same pipeline. Throws `ConfigError`. Only the judging of
 * paths is virtual with `links`; an executor opens the real disk.
 */
export function createTestSixgate(options: SixgateOptions, overrides: TestOverrides = {}): Sixgate {
  const { sandbox, platform } = overrides
  const driver =
    options.sandbox ??
    (sandbox === undefined ? undefined : fakeSandbox({ status: sandbox, platform }))
  return build(compose({ ...options, sandbox: driver }, portsOf(overrides)))
}

function portsOf(overrides: TestOverrides): Ports {
  const system = systemPorts()
  const { clock = system.clock, ids = system.ids, platform = system.platform } = overrides
  const ports = {
    ...system,
    clock,
    ids,
    platform,
    home: overrides.home ?? system.home,
    temporary: overrides.temporary ?? system.temporary,
  }
  const { links, hardlinks } = overrides
  if (links === undefined && hardlinks === undefined) return ports
  const paths = virtualPathResolver(links, { platform, hardlinks })
  const machine = virtualMachine(ports, paths)
  const isFolder = (): boolean => true
  return {
    ...ports,
    paths,
    // The disk of this machine is not the one that is judged, and its PATH leads to nothing there.
    programs: { find: () => ({ status: 'missing' }) },
    trustFile: () => null,
    isFolder,
    sandbox: (driver) => createSandboxRunner(driver, { machine }),
  }
}

/** The machine as the virtual file system has it: every path exists, and links lead where they say. */
function virtualMachine(
  { home, temporary, platform }: Pick<Ports, 'home' | 'temporary' | 'platform'>,
  paths: PathResolver,
): Machine {
  return {
    ...systemMachine(),
    platform,
    home,
    temporary,
    realPath(path) {
      const resolution = paths.resolveNow(path)
      return resolution.status === 'resolved' ? normalFolder(resolution.real, platform) : null
    },
    facts: () => null,
    list: () => [],
    isReadable: () => false,
    privateFolder: () => null,
  }
}
