import { describe, expect, it } from 'vitest'
import { requiredGuarantees } from '../required-guarantees.js'
import { NO_GUARD, type GuardedRequest } from '../protection/guard.js'
import { systemMachine, type FileFacts, type Machine } from '../../platform/machine.js'
import { appcontainer } from './driver.js'
import { appcontainerGuarantees } from './guarantees.js'
import { checkLauncher } from './launcher.js'
import { programOf } from './program.js'
import { requestFields } from './request.js'

const PWSH = 'C:\\Program Files\\PowerShell\\7\\pwsh.exe'
const FILE: FileFacts = {
  kind: 'file',
  owner: 0,
  mode: 0o666,
  modifiedMs: 1,
  changedMs: 1,
  id: '1:2',
  links: 1,
}

function aMachine(parts: Partial<Machine> = {}): Machine {
  return {
    ...systemMachine(),
    platform: 'win32',
    architecture: 'x64',
    environment: {
      SystemRoot: 'C:\\Windows',
      SystemDrive: 'C:',
      DOTNET_STARTUP_HOOKS: 'C:\\x.dll',
    },
    facts: (path) => (path === PWSH ? FILE : null),
    realPath: (path) => path,
    ...parts,
  }
}

function aRequest(
  fileSystem: Partial<GuardedRequest['profile']['fileSystem']> = {},
  parts: Partial<GuardedRequest> = {},
): GuardedRequest {
  return {
    profile: {
      fileSystem: {
        mode: 'workspace_write',
        workspace: 'C:\\work\\app',
        writable: ['D:\\cache'],
        readable: ['C:\\tools'],
        hidden: [],
        ...fileSystem,
      },
      network: 'none',
      environment: { pass: [] },
      limits: { timeoutMs: 1, outputBytes: 1, diskBytes: 1, processes: null, memoryBytes: null },
    },
    argv: ['node.exe', 'a.js'],
    cwd: 'C:\\work\\app',
    environment: {},
    guard: NO_GUARD,
    ...parts,
  }
}

function fieldsOf(request: GuardedRequest): readonly string[] {
  return requestFields(request, 'C:\\Program Files').map(([name, value]) => `${name} ${value}`)
}

describe('the launcher on Windows', () => {
  it('[S1-18] is PowerShell 7 in the Program Files of the system', () => {
    expect(checkLauncher(aMachine(), undefined)).toMatchObject({ status: 'trusted', path: PWSH })
  })

  it.each<[string, string | undefined, Partial<Machine>, string]>([
    ['missing', undefined, { facts: () => null }, 'missing_launcher'],
    [
      'an alias of the Store',
      'C:\\Users\\me\\AppData\\Local\\Microsoft\\WindowsApps\\pwsh.exe',
      {},
      'untrusted_launcher',
    ],
    [
      'a package of the Store',
      'C:\\Program Files\\WindowsApps\\PowerShell\\pwsh.exe',
      {},
      'untrusted_launcher',
    ],
    ['elsewhere', 'C:\\tools\\pwsh.exe', {}, 'untrusted_launcher'],
    [
      'below by a step up',
      'C:\\Program Files\\PowerShell\\..\\..\\pwsh.exe',
      {},
      'untrusted_launcher',
    ],
    ['another program', 'C:\\Program Files\\PowerShell\\7\\cmd.exe', {}, 'untrusted_launcher'],
    ['a link', undefined, { facts: () => ({ ...FILE, kind: 'link' }) }, 'untrusted_launcher'],
    ['behind a link', undefined, { realPath: () => 'D:\\pwsh.exe' }, 'untrusted_launcher'],
  ])('[S1-18] is refused when it is %s', async (_, launcher, parts, code) => {
    const machine = aMachine(parts)

    expect(checkLauncher(machine, launcher)).toMatchObject({ status: 'refused', error: { code } })
    expect(await appcontainer({ machine, launcher }).probe()).toMatchObject({
      status: 'unavailable',
    })
    expect(() => appcontainer({ machine, launcher }).confine(aRequest())).toThrowError(
      expect.objectContaining({ code }),
    )
  })

  it('asks no variable but the letter of the drive', () => {
    const environment = { ProgramFiles: 'D:\\evil', ProgramW6432: 'D:\\evil', SYSTEMDRIVE: 'e:' }

    const check = checkLauncher(aMachine({ environment, facts: () => FILE }), undefined)

    expect(check).toMatchObject({ path: 'E:\\Program Files\\PowerShell\\7\\pwsh.exe' })
  })

  it('is not started where its structures have another layout', async () => {
    const driver = appcontainer({ machine: aMachine({ architecture: 'other' }) })

    expect(await driver.probe()).toMatchObject({ status: 'unavailable' })
    expect(() => driver.confine(aRequest())).toThrowError(
      expect.objectContaining({ code: 'unsupported_platform' }),
    )
  })

  it('is refused inside a folder that commands can write', () => {
    const writable = ['C:\\program files\\powershell']

    expect(() =>
      appcontainer({ machine: aMachine() }).confine(aRequest({ writable })),
    ).toThrowError(expect.objectContaining({ code: 'untrusted_launcher' }))
  })

  it('gets no variable that loads code into it', () => {
    const { environment } = appcontainer({ machine: aMachine() }).confine(aRequest())

    expect(Object.keys(environment)).not.toContain('DOTNET_STARTUP_HOOKS')
    expect(environment).toMatchObject({ SystemRoot: 'C:\\Windows', POWERSHELL_UPDATECHECK: 'Off' })
  })
})

describe('the report of the Windows driver', () => {
  it('[S1-16] enforces everything that Windows demands by default, and both limits of the job', () => {
    const report = appcontainerGuarantees()
    const limits = { processes: 1, memoryBytes: 1 }

    for (const name of requiredGuarantees({ limits }, 'win32')) {
      expect([name, report[name].status]).toEqual([name, 'enforced'])
    }
  })

  it('says with cause and remedy what it cannot keep', () => {
    const missing = Object.entries(appcontainerGuarantees()).flatMap(([name, row]) =>
      row.status === 'enforced' || row.cause === '' || row.remedy === '' ? [] : [name],
    )

    expect(missing).toEqual(['unix_socket_block', 'syscall_filter', 'network_grant', 'limits.disk'])
  })
})

describe('the request to the broker', () => {
  it('[S1-24] opens the workspace and writable roots, shows readable ones, and nothing else', () => {
    expect(fieldsOf(aRequest())).toEqual([
      'program node.exe',
      'command_line "node.exe" a.js',
      'folder C:\\work\\app',
      'search_path ',
      'write C:\\work\\app',
      'write D:\\cache',
      'read C:\\tools',
    ])
  })

  it('[S1-25] [S1-26] [S1-27] fixes what is protected, holds what is above it, covers secrets', () => {
    const guard = {
      pinned: ['C:\\work\\app/sub'],
      fixed: ['C:\\work\\app/.git'],
      closed: ['C:\\work\\app/.vscode'],
      masks: [
        { path: 'C:\\work\\app/.env', kind: 'file' as const },
        { path: 'C:\\Users\\me\\.aws', kind: 'directory' as const },
      ],
    }
    const hidden = ['C:\\work\\app\\state', 'C:\\Users\\me\\.ssh']

    expect(fieldsOf(aRequest({ hidden }, { guard })).slice(7)).toEqual([
      'fixed C:\\work\\app\\.git',
      'fixed C:\\work\\app\\.vscode',
      'pinned C:\\work\\app\\sub',
      'none C:\\work\\app\\.env',
      'hidden C:\\work\\app\\state',
    ])
  })

  it('opens nothing for writing under read_only', () => {
    const fields = fieldsOf(aRequest({ mode: 'read_only' }))

    expect(fields.filter((field) => /^(?:write|read) /.test(field))).toEqual([
      'read C:\\work\\app',
      'read C:\\tools',
    ])
  })

  it('gives no entry where every container reads anyway', () => {
    const fields = fieldsOf(aRequest({ readable: ['C:\\Program Files\\nodejs', 'c:/windows'] }))

    expect(fields.filter((field) => field.startsWith('read '))).toEqual([])
  })

  it('[S1-28] leaves every folder that the command can write out of PATH', () => {
    const environment = {
      Path: 'C:\\work\\app\\bin;D:\\CACHE;C:\\node;.;relative;\\\\share\\bin;"C:\\q"',
    }

    expect(fieldsOf(aRequest({}, { environment }))).toContain('search_path C:\\node')
  })

  it.each<[string, GuardedRequest, string]>([
    ['an open file system', aRequest({ mode: 'open' }), 'setup_failed'],
    ['a workspace that nobody searched', aRequest({}, { guard: undefined }), 'setup_failed'],
    ['a share', aRequest({ workspace: '\\\\server\\share\\app' }), 'workspace_refused'],
    ['a device path', aRequest({ workspace: '\\\\?\\C:\\work' }), 'workspace_refused'],
    ['a POSIX path', aRequest({ workspace: '/data/app' }), 'workspace_refused'],
    ['a stream', aRequest({ writable: ['C:\\a\\b:c'] }), 'workspace_refused'],
    ['a device name', aRequest({ writable: ['C:\\a\\NUL.txt'] }), 'workspace_refused'],
    ['a name that ends in a dot', aRequest({ writable: ['C:\\a\\b.'] }), 'workspace_refused'],
    ['a volume', aRequest({ writable: ['D:\\'] }), 'workspace_refused'],
    ['a home', aRequest({ workspace: 'C:\\Users\\me' }), 'workspace_refused'],
    ['the system', aRequest({ writable: ['c:\\WINDOWS\\Temp'] }), 'workspace_refused'],
  ])('is refused for %s', (_, request, code) => {
    expect(() => appcontainer({ machine: aMachine() }).confine(request)).toThrowError(
      expect.objectContaining({ code }),
    )
  })

  it.each([0, -1, 1.5, Number.NaN])('refuses the limits %s', (value) => {
    const request = aRequest()
    const limits = { ...request.profile.limits, processes: value }

    expect(() => fieldsOf({ ...request, profile: { ...request.profile, limits } })).toThrowError(
      expect.objectContaining({ code: 'invalid_limit' }),
    )
  })

  it('refuses a variable that would be a field of its own', () => {
    const environment = { A: 'x\0write\0C:\\' }

    expect(() =>
      appcontainer({ machine: aMachine() }).confine(aRequest({}, { environment })),
    ).toThrowError(expect.objectContaining({ code: 'setup_failed' }))
  })
})

describe('a program on Windows', () => {
  const places = { cwd: 'C:\\ws', programFiles: 'C:\\Program Files' }

  it.each([
    ['node', 'node'],
    ['node.exe', 'node.exe'],
    ['C:\\tools\\x.EXE', 'C:\\tools\\x.EXE'],
    ['.\\build\\x.exe', 'C:\\ws\\build\\x.exe'],
    ['../x.com', 'C:\\x.com'],
    ['/bin/bash', 'C:\\Program Files\\Git\\usr\\bin\\bash.exe'],
  ])('%s is %s', (name, program) => {
    expect(programOf(name, places)).toBe(program)
  })

  it.each([
    ...['npm.cmd', 'C:\\ws\\x.bat', 'x.BAT.', 'x.cmd ', 'C:\\ws\\x.exe:y.bat', 'C:\\ws\\x.exe.'],
    ...[
      '',
      '.',
      '..',
      'a b',
      'a;b',
      'x.exe\0',
      'C:x.exe',
      'C:\\ws\\x.ps1',
      'C:\\ws\\x',
      '\\\\h\\x.exe',
    ],
  ])('`%s` is refused: an interpreter would read it, or nobody knows who', (name) => {
    expect(() => programOf(name, places)).toThrowError(
      expect.objectContaining({ name: 'SandboxError' }),
    )
  })
})
