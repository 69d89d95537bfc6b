/** Hard links on a real disk (rules.md §4): a second name does not make another file. */

import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nodePathResolver } from '../../src/platform/node-path-resolver.js'
import { read, search } from '../../src/tools/entry.js'
import { aGround, aHost, OPEN, type Ground } from '../builders/session.js'

let ground: Ground
let home = ''

beforeEach(() => {
  ground = aGround()
  home = join(ground.base, 'home')
  mkdirSync(join(home, '.ssh'), { recursive: true })
  writeFileSync(join(home, '.ssh/id_ed25519'), 'a key')
})
afterEach(() => {
  ground.clear()
})

async function check(path: string): Promise<unknown> {
  const policy = { ...OPEN, rules: ['allow read(**)'] }
  const host = aHost({ policy, tools: [read], ports: { home } }, ground)
  await using session = await host.session()
  return await session.check({ tool: 'read', args: { file_path: path } })
}

describe('reading by a second name', () => {
  it('is denied where the first one is a credential', async () => {
    linkSync(join(home, '.ssh/id_ed25519'), join(ground.workspace, 'notes.txt'))

    expect(await check('notes.txt')).toMatchObject({ decision: 'deny' })
  })

  it('is denied where the store of the first one is kept elsewhere and linked to', async () => {
    mkdirSync(join(ground.base, 'dotfiles'))
    writeFileSync(join(ground.base, 'dotfiles/config'), 'a token')
    symlinkSync(join(ground.base, 'dotfiles'), join(home, '.aws'))
    symlinkSync('.', join(ground.workspace, '.env'))
    linkSync(join(ground.base, 'dotfiles/config'), join(ground.workspace, 'notes.txt'))

    expect(await check('notes.txt')).toMatchObject({ decision: 'deny' })
  })

  it('is denied where the first one is a secret deep in the workspace', async () => {
    mkdirSync(join(ground.workspace, 'packages/app'), { recursive: true })
    writeFileSync(join(ground.workspace, 'packages/app/.env'), 'TOKEN=1')
    linkSync(join(ground.workspace, 'packages/app/.env'), join(ground.workspace, 'b.txt'))

    expect(await check('b.txt')).toMatchObject({ decision: 'deny' })
  })

  it('is allowed where both are plain', async () => {
    linkSync(join(ground.workspace, 'a.txt'), join(ground.workspace, 'b.txt'))

    expect(await check('b.txt')).toMatchObject({ decision: 'allow' })
  })

  it('is left out of a search, as the first one is', async () => {
    mkdirSync(join(ground.workspace, 'docs'))
    writeFileSync(join(ground.workspace, 'docs/plain.txt'), 'a key to nothing')
    linkSync(join(home, '.ssh/id_ed25519'), join(ground.workspace, 'docs/notes.txt'))
    const host = aHost({ tools: [search], ports: { home } }, ground)
    await using session = await host.session()

    const result = await session.run({
      tool: 'search',
      args: { mode: 'grep', query: 'a key', path: 'docs' },
    })

    expect(result).toMatchObject({
      status: 'ok',
      value: { matches: [{ path: 'docs/plain.txt', line: 1, text: 'a key to nothing' }] },
    })
  })

  it('proves nothing where there is too much to look through', async () => {
    linkSync(join(ground.workspace, 'a.txt'), join(ground.workspace, 'b.txt'))
    const many = Array.from({ length: 50_001 }, (_, index) => ({
      name: `n${index}`,
      kind: 'other' as const,
    }))
    const crowded = aHost(
      {
        policy: { ...OPEN, rules: ['allow read(**)'] },
        tools: [read],
        ports: { home, paths: { ...nodePathResolver(), namesIn: () => many } },
      },
      ground,
    )
    await using session = await crowded.session()

    expect(await session.check({ tool: 'read', args: { file_path: 'b.txt' } })).not.toMatchObject({
      decision: 'allow',
    })
  })
})
