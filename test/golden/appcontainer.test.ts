/** The exact command and request that the Windows driver builds; every change of them must be seen (sandbox.md §6). */

import { describe, expect, it } from 'vitest'
import type { FileFacts, Machine } from '../../src/platform/machine.js'
import { systemMachine } from '../../src/platform/machine.js'
import { appcontainer } from '../../src/sandbox/appcontainer/driver.js'
import { createFrameReader } from '../../src/sandbox/appcontainer/frames.js'
import type { GuardedRequest } from '../../src/sandbox/protection/guard.js'

const FILE: FileFacts = {
  kind: 'file',
  owner: 0,
  mode: 0o666,
  modifiedMs: 1,
  changedMs: 1,
  id: '1:2',
  links: 1,
}

const MACHINE: Machine = {
  ...systemMachine(),
  platform: 'win32',
  architecture: 'x64',
  environment: { SystemRoot: 'C:\\Windows', SystemDrive: 'C:', TEMP: 'C:\\Temp', SECRET: 'x' },
  facts: () => FILE,
  realPath: (path) => path,
}

function aRequest(mode: 'workspace_write' | 'read_only'): GuardedRequest {
  return {
    profile: {
      fileSystem: {
        mode,
        workspace: 'C:\\work\\app',
        writable: ['D:\\cache'],
        readable: ['C:\\shared'],
        hidden: ['C:\\work\\app\\state.db', 'C:\\Users\\me\\.ssh'],
      },
      network: 'none',
      environment: { pass: [] },
      limits: {
        timeoutMs: 120_000,
        outputBytes: 1_048_576,
        diskBytes: 1_073_741_824,
        processes: 64,
        memoryBytes: 4_294_967_296,
      },
    },
    argv: ['C:\\node\\node.exe', '-e', 'say("hi there\\")'],
    cwd: 'C:\\work\\app\\sub',
    environment: { PATH: 'C:\\node;C:\\work\\app\\bin', LANG: 'C.UTF-8' },
    guard: {
      pinned: ['C:\\work\\app\\sub'],
      fixed: ['C:\\work\\app\\.git'],
      closed: ['C:\\work\\app\\.vscode'],
      masks: [{ path: 'C:\\work\\app\\.env', kind: 'file' }],
    },
  }
}

const command = appcontainer({ machine: MACHINE }).confine(aRequest('workspace_write'))

describe('the command of the AppContainer driver', () => {
  it('is PowerShell with one encoded script, and nothing of the call', async () => {
    const { file, args, environment, cwd, pipes } = command
    const shown = { file, args: args.slice(0, -1), environment, cwd, pipes }

    await expect(`${JSON.stringify(shown, null, 2)}\n`).toMatchFileSnapshot('appcontainer-command.txt')
  })

  it('carries exactly this script, UTF-16 with the lowest byte first', async () => {
    const bytes = Buffer.from(command.args.at(-1) ?? '', 'base64')
    const script = bytes.toString('utf16le')

    await expect(script).toMatchFileSnapshot('appcontainer-script.txt')
    expect(script).toMatch(/^[\n\x20-\x7e]*$/)
  })

  it('leaves standard input to the broker: the script names no piped input', () => {
    const script = Buffer.from(command.args.at(-1) ?? '', 'base64').toString('utf16le')

    expect(script).not.toMatch(/\$input\b/i)
  })

  it('fits on a command line of Windows', () => {
    expect([command.file, ...command.args].join(' ').length).toBeLessThan(32_766)
  })

  it.each(['workspace_write', 'read_only'] as const)('asks the broker under %s', async (mode) => {
    const confined: unknown = appcontainer({ machine: MACHINE }).confine(aRequest(mode))
    const { dialogue } = confined as { readonly dialogue: { readonly opening: Uint8Array } }
    const [program, request, ...more] = createFrameReader().read(dialogue.opening)
    const words = new TextDecoder().decode(request?.body).split('\0').slice(0, -1)
    const lines = words.flatMap((word, at) => (at % 2 === 0 ? [`${word}: ${words[at + 1]}`] : []))

    expect([program?.kind, request?.kind, more]).toEqual(['C', 'Q', []])
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`appcontainer-${mode}.txt`)
  })
})
