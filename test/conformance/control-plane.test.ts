/** The library's own files are out of reach of every call and of every sandbox (H-02). */

import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSixgate } from '../../src/sixgate.js'
import { loadPolicy } from '../../src/load-policy.js'
import { definePolicy } from '../../src/policy/define.js'
import { createNativeSandbox } from '../../src/sandbox/select.js'
import { jsonlStore } from '../../src/store/jsonl.js'
import { bash } from '../../src/tools/builtin/bash.js'
import { edit } from '../../src/tools/builtin/edit.js'
import { ls } from '../../src/tools/builtin/ls.js'
import { read } from '../../src/tools/builtin/read.js'
import { search } from '../../src/tools/builtin/search.js'
import { write } from '../../src/tools/builtin/write.js'
import { aGround, OPEN, type Ground } from '../builders/session.js'
import { useHosts } from './hosts.js'

const { onDisk } = useHosts()
const TOOLS = [bash, edit, ls, read, search, write]

function exposed(parts: { ground: Ground; ledger: string; writable?: readonly string[] }): unknown {
  const { ground, ledger, writable = [] } = parts
  try {
    return createSixgate({
      policy: definePolicy({ ...OPEN, sandbox: { writable } }),
      workspace: ground.workspace,
      tools: TOOLS,
      store: jsonlStore(ledger),
    })
  } catch (error) {
    return error
  }
}

describe('the control plane', () => {
  it('[H-02] must not lie where a session writes', () => {
    const ground = aGround()
    const inside = join(ground.workspace, 'ledger')
    const link = join(ground.base, 'link')
    symlinkSync(ground.workspace, link)

    const refused = [
      exposed({ ground, ledger: inside }),
      exposed({ ground, ledger: ground.workspace }),
      exposed({ ground, ledger: join(link, 'sub', 'ledger') }),
      exposed({ ground, ledger: join(ground.outside, 'l'), writable: [ground.outside] }),
      exposed({ ground, ledger: join(ground.outside, 'l'), writable: [ground.base] }),
    ]

    for (const one of refused) {
      expect(one).toMatchObject({ name: 'ConfigError', code: 'control_plane_exposed' })
    }
    expect(exposed({ ground, ledger: ground.ledger })).not.toBeInstanceOf(Error)
    ground.clear()
  })

  it('[H-02] is denied to every tool that names it, whatever the rules say', async () => {
    const ground = aGround()
    const file = join(ground.outside, 'policy.json')
    writeFileSync(
      file,
      JSON.stringify({
        version: 1,
        workMode: 'full',
        toolApproval: 'accept_all',
        rules: ['allow read(**)', 'allow write(**)', 'allow ls(**)', 'allow edit(**)'],
        sandbox: { readable: [ground.base] },
      }),
    )
    const one = onDisk({ policy: await loadPolicy(file), tools: TOOLS }, ground)
    const live = await one.session()
    const [run] = readdirSync(join(ground.ledger, 'runs'))
    const folder = join(ground.ledger, 'runs', run ?? '')
    const names = readdirSync(folder).map((name) => join(folder, name))
    const targets = [file, ground.ledger, join(ground.ledger, 'ledger.json'), ...names]
    symlinkSync(ground.ledger, join(ground.workspace, 'door'))
    const spellings = [
      ...targets,
      'door/ledger.json',
      `${ground.workspace}/../ledger/ledger.json`,
      `${ground.workspace}/no/../../ledger/./ledger.json`,
      join(ground.ledger.toUpperCase(), 'ledger.json').replace('/TMP', '/tmp'),
    ]
    const before = ground.text(join(ground.ledger, 'ledger.json'))

    for (const path of spellings) {
      const results = await Promise.all([
        live.run({ tool: 'read', args: { file_path: path } }),
        live.run({ tool: 'ls', args: { path } }),
        live.run({ tool: 'search', args: { mode: 'grep', query: 'id', path } }),
        live.run({ tool: 'write', args: { file_path: path, content: 'mine' } }),
        live.run({ tool: 'edit', args: { file_path: path, old_string: 'a', new_string: 'b' } }),
      ])
      for (const result of results) {
        expect(result, path).toMatchObject({ status: 'denied', layer: 'guard' })
        expect(result).toMatchObject({ matchedRule: 'builtin:control_plane' })
      }
    }
    expect(names.some((name) => name.endsWith('.lock'))).toBe(true)
    expect(ground.text(join(ground.ledger, 'ledger.json'))).toBe(before)
    expect(ground.text(file)).toContain('accept_all')
  })

  it('[H-02] is skipped by whatever walks over it', async () => {
    const ground = aGround()
    const one = onDisk(
      { policy: { ...OPEN, sandbox: { readable: [ground.base] } }, tools: TOOLS },
      ground,
    )
    const live = await one.session()

    const result = await live.run({
      tool: 'search',
      args: { mode: 'grep', query: 'policy_revision', path: ground.base },
    })

    expect(result.status).toBe('ok')
    expect(JSON.stringify(result)).not.toContain('run_open')
  })

  it('[H-02] is not there inside the sandbox, readable and open as it may be', async () => {
    const ground = aGround()
    const file = join(ground.workspace, 'rules.json')
    writeFileSync(file, JSON.stringify({ version: 1, rules: ['deny read(never)'] }))
    const one = onDisk(
      {
        policy: [
          definePolicy({ ...OPEN, sandbox: { mode: 'open', readable: [ground.base] } }),
          await loadPolicy(file),
        ],
        tools: TOOLS,
        sandbox: createNativeSandbox(),
      },
      ground,
    )
    const live = await one.session()
    const before = ground.text(file)
    // In a script, which no analysis reads: what it names is judged by the boundary alone.
    writeFileSync(
      join(ground.workspace, 'look.sh'),
      `cat ${ground.ledger}/ledger.json ${ground.ledger}/runs/*/*; echo x >> ${ground.ledger}/x; echo x >> rules.json; cat rules.json; echo done`,
    )

    const result = await live.run<{ stdout: string }>({
      tool: 'bash',
      args: { command: 'bash look.sh' },
    })

    expect(result).toMatchObject({ status: 'ok' })
    expect(result.status === 'ok' ? result.value.stdout : '').not.toMatch(/run_open|"id"|never/)
    expect(result.status === 'ok' ? result.value.stdout : '').toContain('done')
    expect(ground.text(file)).toBe(before)
    expect(ground.text(join(ground.ledger, 'x'))).toBeNull()
  })

  it('[H-02] takes in the file of a policy that replaces another', async () => {
    const ground = aGround()
    const file = join(ground.outside, 'next.json')
    writeFileSync(
      file,
      JSON.stringify({
        version: 1,
        workMode: 'full',
        toolApproval: 'accept_all',
        sandbox: { readable: [ground.outside] },
      }),
    )
    const one = onDisk({ policy: OPEN, tools: TOOLS }, ground)
    const live = await one.session()

    await one.sixgate.replacePolicy(live, await loadPolicy(file))

    expect(await live.run({ tool: 'read', args: { file_path: file } })).toMatchObject({
      status: 'denied',
      matchedRule: 'builtin:control_plane',
    })
  })

  it('[H-02] a policy file in a folder that a session writes speaks as the workspace does', async () => {
    const ground = aGround()
    mkdirSync(join(ground.outside, 'deep'))
    const file = join(ground.outside, 'deep', 'policy.json')
    writeFileSync(
      file,
      JSON.stringify({ version: 1, rules: ['allow read(a.txt)', 'deny write(b.txt)'] }),
    )
    const one = onDisk(
      {
        policy: [
          definePolicy({
            workMode: 'full',
            toolApproval: 'deny_unlisted',
            sandbox: { writable: [ground.outside] },
          }),
          await loadPolicy(file),
        ],
        tools: TOOLS,
      },
      ground,
    )
    const live = await one.session()

    const allowed = await live.run({ tool: 'read', args: { file_path: 'a.txt' } })
    const refused = await live.run({ tool: 'write', args: { file_path: 'b.txt', content: '' } })

    expect(allowed).toMatchObject({ status: 'denied', matchedRule: 'default:deny_unlisted' })
    expect(refused).toMatchObject({ status: 'denied', matchedRule: 'deny write(b.txt)' })
  })
})
