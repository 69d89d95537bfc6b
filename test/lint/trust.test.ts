/** A policy file that a session could write counts once a person trusts its bytes, and no longer (H-01, H-02). */

import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import {
  askTrust,
  listTrusted,
  proposeTrust,
  revokeTrust,
  standingOf,
  trustPolicy,
} from '../../src/audit/entry.js'
import { loadPolicy } from '../../src/load-policy.js'
import type { Terminal } from '../../src/platform/terminal.js'
import { definePolicy } from '../../src/policy/define.js'
import { unite } from '../../src/policy/unite.js'
import { createSixgate } from '../../src/sixgate.js'
import { createNativeSandbox } from '../../src/sandbox/select.js'
import { bash } from '../../src/tools/builtin/bash.js'
import { read } from '../../src/tools/builtin/read.js'
import { write } from '../../src/tools/builtin/write.js'
import type { Policy } from '../../src/contract/policy.js'
import { sourced } from '../../src/trusted-policies.js'

const POLICY = `{
  // allows and widens
  "workMode": "rw",
  "network": "on",
  "rules": ["allow read(notes.txt)", "allow write(notes.txt)", "deny read(secret.txt)"],
}`

let base: string
let workspace: string
let policy: string
let list: string
let before: string | undefined

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'trust-')))
  workspace = join(base, 'workspace')
  mkdirSync(workspace)
  policy = join(workspace, 'policy.jsonc')
  writeFileSync(policy, POLICY)
  before = process.env['XDG_STATE_HOME']
  setState(join(base, 'state'))
})
afterEach(() => {
  if (before === undefined) delete process.env['XDG_STATE_HOME']
  else process.env['XDG_STATE_HOME'] = before
  rmSync(base, { recursive: true })
})

function setState(folder: string): void {
  process.env['XDG_STATE_HOME'] = folder
  list = join(folder, 'sixgate', 'trust.json')
}

async function trust(file: string): Promise<void> {
  await trustPolicy(await proposeTrust(file, { workspace }))
}

/** What the policy file says of two calls, as a host in this workspace sees it. */
async function decisions(file = policy): Promise<readonly string[]> {
  const sixgate = createSixgate({
    policy: await loadPolicy(file),
    workspace,
    tools: [read, write],
    responder: 'suspend',
  })
  await using session = await sixgate.session()
  const calls = [
    { tool: 'read', args: { file_path: 'notes.txt' } },
    { tool: 'write', args: { file_path: 'notes.txt', content: '' } },
    { tool: 'read', args: { file_path: 'secret.txt' } },
  ]
  const found: string[] = []
  for (const call of calls) found.push((await session.check(call)).decision)
  return found
}

const UNTRUSTED = ['ask', 'deny', 'deny']
const TRUSTED = ['allow', 'allow', 'deny']

/** A terminal at which one line is typed after the question. */
function typing(line: string | null): {
  readonly terminal: Terminal
  readonly shown: () => string
} {
  let text = ''
  const terminal: Terminal = {
    columns: 60,
    write: (more) => void (text += more),
    drain: () => Promise.resolve(),
    readLine: () => Promise.resolve(line),
    close: () => undefined,
  }
  return { terminal, shown: () => text }
}

const never = new AbortController().signal

describe('a policy file in the workspace', () => {
  it('[H-01] allows and widens nothing until a person trusts its bytes; its denies always count', async () => {
    expect(await decisions()).toEqual(UNTRUSTED)

    await trust(policy)

    expect(await decisions()).toEqual(TRUSTED)
    expect(standingOf(await loadPolicy(policy), workspace)).toBe('trusted')
  })

  it('[H-01] keeps its source when it is trusted, so that nobody takes it for the user', async () => {
    await trust(policy)

    const rules = unitedRules(await loadPolicy(policy))

    expect(rules).toEqual([
      ['allow read(notes.txt)', 'workspace', true],
      ['allow write(notes.txt)', 'workspace', true],
      ['deny read(secret.txt)', 'workspace', true],
    ])
  })

  it.each([
    ['a byte more', (text: string) => `${text}\n`],
    ['another rule', (text: string) => text.replace('notes.txt', 'other.txt')],
    ['a mark at its start', (text: string) => `\u{feff}${text}`],
    ['other line ends', (text: string) => text.replaceAll('\n', '\r\n')],
    ['only another comment', (text: string) => text.replace('widens', 'widened')],
  ])('[H-01] loses trust with %s', async (_, edit) => {
    await trust(policy)

    writeFileSync(policy, edit(POLICY))

    expect((await decisions())[1]).toBe('deny')
  })

  it('[H-01] has trust for the bytes that were read, not for those that stand there later', async () => {
    writeFileSync(policy, '{"workMode": "full", "rules": ["allow write(**)"]}')
    const loaded = await loadPolicy(policy)
    writeFileSync(policy, POLICY)
    await trust(policy)

    expect(standingOf(loaded, workspace)).toBe('untrusted')
    expect(standingOf(await loadPolicy(policy), workspace)).toBe('trusted')
  })

  it('[H-01] is trusted at its place alone: a copy and a moved file are not', async () => {
    await trust(policy)
    const copy = join(workspace, 'copy.jsonc')
    copyFileSync(policy, copy)
    const moved = join(workspace, 'moved.jsonc')

    expect(await decisions(copy)).toEqual(UNTRUSTED)
    renameSync(policy, moved)
    expect(await decisions(moved)).toEqual(UNTRUSTED)
  })

  it('[H-01] may be trusted at two places with the same bytes', async () => {
    const copy = join(workspace, 'copy.jsonc')
    copyFileSync(policy, copy)
    await trust(policy)
    await trust(copy)

    expect(await revokeTrust(copy)).toBe(true)

    expect(await decisions(policy)).toEqual(TRUSTED)
    expect(await decisions(copy)).toEqual(UNTRUSTED)
  })

  it('[H-01] is what it is through a link, and the link is no trust of its own', async () => {
    const link = join(base, 'link.jsonc')
    symlinkSync(policy, link)
    const other = join(workspace, 'other.jsonc')
    writeFileSync(other, '{"workMode": "full", "rules": ["allow write(notes.txt)"]}')

    expect(await decisions(link)).toEqual(UNTRUSTED)
    await trust(link)
    expect(await decisions(link)).toEqual(TRUSTED)
    rmSync(link)
    symlinkSync(other, link)
    expect((await decisions(link))[1]).toBe('deny')
  })

  it('[H-01] counts as one where only the link to it lies in the workspace', async () => {
    const outside = join(base, 'outside.jsonc')
    writeFileSync(outside, POLICY)
    const link = join(workspace, 'link.jsonc')
    symlinkSync(outside, link)
    const far = join(base, 'far.jsonc')
    symlinkSync(link, far)

    expect(await decisions(outside)).toEqual(TRUSTED)
    expect(await decisions(link)).toEqual(UNTRUSTED)
    expect(await decisions(far)).toEqual(UNTRUSTED)
    expect(standingOf(await loadPolicy(far), workspace)).toBe('untrusted')
  })

  it('[H-01] has no word to trust itself', async () => {
    for (const words of ['"trusted": true', '"source": "user"', '"trust": ["policy.jsonc"]']) {
      writeFileSync(policy, `{${words}}`)

      await expect(loadPolicy(policy)).rejects.toMatchObject({ code: 'unknown_key' })
    }
    await expect(loadPolicy(list)).rejects.toMatchObject({ code: 'unreadable_file' })
  })

  it('[H-01] in another folder that a session could write needs trust as well', async () => {
    const shared = join(base, 'shared')
    mkdirSync(shared)
    const file = join(shared, 'policy.jsonc')
    writeFileSync(
      file,
      POLICY.replace('"network"', `"sandbox": {"writable": ["${shared}"]}, "network"`),
    )

    expect(await decisions(file)).toEqual(UNTRUSTED)
    await trust(file)
    expect(await decisions(file)).toEqual(TRUSTED)
  })

  it('[H-01] beside a policy of the user still widens nothing that the user stated', async () => {
    await trust(policy)
    const user = definePolicy({ workMode: 'ro', rules: ['deny read(notes.txt)'] })
    const sixgate = createSixgate({
      policy: [user, await loadPolicy(policy)],
      workspace,
      tools: [read, write],
      responder: 'suspend',
    })
    await using session = await sixgate.session()

    const wrote = await session.check({
      tool: 'write',
      args: { file_path: 'notes.txt', content: '' },
    })

    expect(wrote.decision).toBe('deny')
    const saw = await session.check({ tool: 'read', args: { file_path: 'notes.txt' } })
    expect(saw.decision).toBe('deny')
  })

  it('[H-01] loses trust for the next use when a person takes it back', async () => {
    await trust(policy)

    expect(await revokeTrust(policy)).toBe(true)

    expect(await decisions()).toEqual(UNTRUSTED)
    expect(await revokeTrust(policy)).toBe(false)
  })

  it('[H-01] can lose trust when it is gone', async () => {
    await trust(policy)
    rmSync(policy)

    expect(await revokeTrust(policy)).toBe(true)
    expect(listTrusted()).toEqual([])
  })
})

describe('the list of trust', () => {
  it('[H-01] is private, whole, and says place, bytes and time', async () => {
    await trust(policy)

    expect(statSync(list).mode & 0o777).toBe(0o600)
    expect(statSync(join(list, '..')).mode & 0o777).toBe(0o700)
    expect(listTrusted()).toEqual([
      {
        path: policy,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      },
    ])
  })

  it.each([
    ['cut off', (text: string) => text.slice(0, -10)],
    ['empty', () => ''],
    [
      'of another version',
      (text: string) => text.replace('"schema_version": 1', '"schema_version": 2'),
    ],
    ['with an entry that is none', (text: string) => text.replace(/"sha256": "../, '"sha256": "')],
    ['with a key that nobody knows', (text: string) => text.replace('"at"', '"by"')],
    ['no JSON', () => '\u0000\u0000'],
  ])('[H-01] trusts nothing when it is %s, and says so', async (_, damage) => {
    await trust(policy)
    writeFileSync(list, damage(readFileSync(list, 'utf8')))

    await expect(decisions()).rejects.toMatchObject({ code: 'invalid_value', file: list })
    await expect(trust(policy)).rejects.toMatchObject({ code: 'invalid_value', file: list })
    expect(() => listTrusted()).toThrow('damaged')
  })

  it.each([
    ['others may write', 0o620],
    ['others may read', 0o604],
  ])('[H-01] trusts nothing when %s it', async (_, mode) => {
    await trust(policy)
    chmodSync(list, mode)

    await expect(decisions()).rejects.toMatchObject({ code: 'unreadable_file', file: list })
  })

  it('[H-01] trusts nothing when it is a link, or others may write its folder', async () => {
    await trust(policy)
    const planted = join(base, 'planted.json')
    renameSync(list, planted)
    symlinkSync(planted, list)

    await expect(decisions()).rejects.toMatchObject({ code: 'unreadable_file', file: list })
    await expect(trust(policy)).rejects.toMatchObject({ code: 'unreadable_file' })
    rmSync(list)
    renameSync(planted, list)
    chmodSync(join(list, '..'), 0o777)
    await expect(decisions()).rejects.toMatchObject({ code: 'unreadable_file' })
  })

  it('[H-01] is nowhere else: one planted in the workspace is no list', async () => {
    await trust(policy)
    for (const place of ['trust.json', '.sixgate/trust.json', 'sixgate/trust.json']) {
      mkdirSync(join(workspace, place, '..'), { recursive: true })
      copyFileSync(list, join(workspace, place))
    }
    rmSync(list)

    expect(await decisions()).toEqual(UNTRUSTED)
  })

  it('[H-01] [H-02] refuses to lie in the workspace, wherever the environment points', async () => {
    setState(join(workspace, 'state'))

    await expect(trust(policy)).rejects.toMatchObject({ code: 'control_plane_exposed' })
    await expect(decisions()).rejects.toMatchObject({ code: 'control_plane_exposed' })
    expect(existsSync(list)).toBe(false)

    setState(join(base, 'door'))
    symlinkSync(workspace, join(base, 'door'))
    await expect(trust(policy)).rejects.toMatchObject({ code: 'control_plane_exposed' })
    await expect(decisions()).rejects.toMatchObject({ code: 'control_plane_exposed' })
  })

  it('[H-02] refuses to lie in a folder that a session writes', async () => {
    const file = join(base, 'outside.jsonc')
    mkdirSync(join(base, 'state'))
    writeFileSync(
      file,
      JSON.stringify({ workMode: 'rw', sandbox: { writable: [join(base, 'state')] } }),
    )

    await expect(decisions(file)).rejects.toMatchObject({ code: 'control_plane_exposed' })
  })

  it('[H-02] is denied to every tool that names it', async () => {
    await trust(policy)
    const sixgate = createSixgate({
      policy: definePolicy({
        workMode: 'full',
        toolApproval: 'accept_all',
        rules: ['allow read(**)', 'allow write(**)'],
        sandbox: { readable: [base] },
      }),
      workspace,
      tools: [read, write],
    })
    await using session = await sixgate.session()

    for (const path of [list, join(base, 'state/sixgate/anything'), `${list}.lock`]) {
      const call = { tool: 'write', args: { file_path: path, content: '{}' } }
      expect((await session.check(call)).visits.at(-1)).toMatchObject({
        layer: 'guard',
        matchedRule: 'builtin:control_plane',
      })
    }
  })

  it('[H-02] cannot be planted by a command, open as its sandbox may be', async (context) => {
    const sandbox = createNativeSandbox()
    const { status, cause } = await sandbox.probe()
    context.skip(status !== 'ready', cause ?? 'no sandbox')
    // Outside of /tmp, where a sandbox has a folder of its own.
    const seen = realpathSync(mkdtempSync('/var/tmp/trust-'))
    onTestFinished(() => rmSync(seen, { recursive: true }))
    setState(join(seen, 'state'))
    writeFileSync(
      join(workspace, 'plant.sh'),
      `mkdir -p ${join(list, '..')}; echo '{}' > ${list}; echo '{}' > ${seen}/probe; echo done`,
    )
    const sixgate = createSixgate({
      policy: definePolicy({
        ...{ workMode: 'full', network: 'on', toolApproval: 'accept_all' },
        sandbox: { mode: 'open' },
      }),
      workspace,
      tools: [bash],
      sandbox,
    })
    await using session = await sixgate.session()

    const result = await session.run<{ stdout: string }>({
      tool: 'bash',
      args: { command: 'bash plant.sh' },
    })

    expect(result).toMatchObject({ status: 'ok', value: { stdout: 'done\n' } })
    // It could write elsewhere, so it was the list that was out of its reach.
    expect(existsSync(join(seen, 'probe'))).toBe(true)
    expect(existsSync(list)).toBe(false)
  })

  it('[H-01] is changed by one process at a time', async () => {
    await trust(policy)
    writeFileSync(`${list}.lock`, '')

    await expect(revokeTrust(policy)).rejects.toMatchObject({ code: 'unreadable_file' })
    expect(listTrusted()).toHaveLength(1)
  })
})

describe('the person who is asked', () => {
  it('[H-01] sees everything that would count, escaped, and nothing that counts anyhow', async () => {
    writeFileSync(
      policy,
      JSON.stringify({
        workMode: 'full',
        toolApproval: { policy: 'accept_all', whitelist: ['bash'] },
        rules: [
          'deny read(x)',
          'allow read(a\u202eb)',
          { id: 'r', effect: 'allow', match: 'bash(ls:*)', except: ['bash(ls -R:*)'] },
        ],
      }),
    )
    const { gains } = await proposeTrust(policy, { workspace })

    expect(gains.slice(0, 2)).toEqual([
      'allow read(a\\u{202e}b)',
      'allow bash(ls:*) except bash(ls -R:*)',
    ])
    expect(gains.join('\n')).toMatch(/^capabilities: .*"host.escape".*without trust/m)
    expect(gains.join('\n')).toMatch(/^toolApproval: .*accept_all.*"bash"/m)
    expect(gains.join('\n')).not.toContain('deny')
  })

  it.each([
    ['yes', true],
    [' yes ', true],
    ['y', false],
    ['YES', false],
    ['', false],
    [null, false],
  ])('[H-01] says yes with the whole word alone: %j', async (line, expected) => {
    const { terminal, shown } = typing(line)
    const proposal = await proposeTrust(policy, { workspace })

    expect(await askTrust(proposal, never, () => terminal)).toBe(expected)
    expect(shown()).toContain(proposal.sha256)
    expect(shown()).toContain('  | allow write(notes.txt)')
    expect(shown()).toMatch(/anything else does not: \n?$/)
  })
})

function unitedRules(loaded: Policy): readonly unknown[] {
  const real = loaded.file ?? ''
  const place = { real, isWritten: () => true, list }
  return unite([sourced(loaded, place)]).rules.map((rule) => [rule.id, rule.source, rule.effective])
}
