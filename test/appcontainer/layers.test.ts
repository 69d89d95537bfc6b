/** From a session's profile to the broker's request on a machine that says it is Windows: text alone. */

import { describe, expect, it } from 'vitest'
import type { SandboxProfile } from '../../src/contract/sandbox.js'
import { systemMachine, type FileFacts, type Machine } from '../../src/platform/machine.js'
import { requestFields } from '../../src/sandbox/appcontainer/request.js'
import { prepare } from '../../src/sandbox/start/prepare.js'
import { profileOf } from '../../src/sandbox/profile.js'
import { NO_GUARD } from '../../src/sandbox/protection/guard.js'
import { realProfile } from '../../src/sandbox/real-profile.js'

const FOLDERS = ['C:/work', 'C:/work/app', 'C:/work/app/sub', 'D:/cache', 'C:/node', 'C:/Users/me']
const FOLDER: FileFacts = {
  kind: 'directory',
  owner: 0,
  mode: 0o777,
  modifiedMs: 1,
  changedMs: 1,
  id: '1:2',
  links: 1,
}

/** Paths as Windows answers them: in full, in the spelling of the disk, with the machine's slashes. */
function real(path: string): string | null {
  const folded = path.replaceAll('\\', '/').replace(/\/$/, '').toLowerCase()
  if (folded === 'c:/work/app/out') return 'C:/Users/me'
  return FOLDERS.find((one) => one.toLowerCase() === folded) ?? null
}

const MACHINE: Machine = {
  ...systemMachine(),
  platform: 'win32',
  home: 'C:/Users/me',
  temporary: ['C:/Users/me/AppData/Local/Temp'],
  environment: { Path: 'C:\\node;c:\\WORK\\app\\sub;.;\\\\host\\bin', SystemRoot: 'C:\\Windows' },
  facts: (path) => (real(path) === null ? null : FOLDER),
  realPath: real,
}

function aProfile(workspace: string, writable: readonly string[]): SandboxProfile {
  return profileOf({
    axis: {
      mode: 'workspace_write',
      writable,
      readable: [],
      environment: { pass: [] },
      limits: {
        timeoutMs: 1000,
        outputBytes: 1000,
        diskBytes: 1_048_576,
        processes: null,
        memoryBytes: null,
      },
      onUnavailable: 'deny',
    },
    roots: { workspace, home: MACHINE.home, temporary: MACHINE.temporary, platform: 'win32' },
    canWrite: true,
    hidden: ['C:/work/app/state', 'C:\\Users\\me\\.ssh'],
  })
}

function asked(cwd: string | undefined, writable: readonly string[] = []): readonly string[] {
  const profile = realProfile(aProfile('c:\\work\\APP', writable), MACHINE)
  const exec = { argv: ['node.exe', 'a.js'], cwd }
  const { request } = prepare(profile, exec, { machine: MACHINE, unconfined: false, atHome: false })
  const fields = requestFields({ ...request, guard: NO_GUARD }, 'C:\\Program Files')
  return fields.map(([name, value]) => `${name} ${value}`)
}

describe('the layers above the Windows driver', () => {
  it('ask for real paths, a PATH without the workspace, and what is hidden inside', () => {
    expect(asked('sub', ['d:\\CACHE'])).toEqual([
      'program node.exe',
      'command_line "node.exe" a.js',
      'folder C:\\work\\app\\sub',
      'search_path C:\\node',
      'write C:\\work\\app',
      'write D:\\cache',
      'hidden C:\\work\\app\\state',
    ])
  })

  it('start in the workspace when no folder is named', () => {
    expect(asked(undefined)).toContain('folder C:\\work\\app')
  })

  it('grant nothing by a link in a writable root that leads out of it', () => {
    expect(asked('sub', ['C:\\work\\app\\out']).filter((one) => one.startsWith('write '))).toEqual([
      'write C:\\work\\app',
    ])
  })

  it.each(['..', 'C:\\Users\\me', 'D:\\cache', '\\\\host\\share', 'gone'])(
    'refuse to start in `%s`',
    (cwd) => {
      expect(() => asked(cwd)).toThrowError(expect.objectContaining({ code: 'workspace_refused' }))
    },
  )

  it.each(['C:\\', 'C:\\Users\\me', 'C:\\Users', 'D:'])('refuse the workspace %s', (workspace) => {
    expect(() => realProfile(aProfile(workspace, []), MACHINE)).toThrowError(
      expect.objectContaining({ code: 'workspace_refused' }),
    )
  })
})
