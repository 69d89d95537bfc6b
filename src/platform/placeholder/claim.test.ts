import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claimWorkspace } from './claim.js'
import type { Placeholder } from './placeholder.js'

let base = ''
let workspace = ''
const state = process.env['XDG_STATE_HOME']
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-claim-')))
  workspace = join(base, 'ws')
  mkdirSync(workspace)
  process.env['XDG_STATE_HOME'] = join(base, 'state')
})
afterEach(() => {
  if (state === undefined) delete process.env['XDG_STATE_HOME']
  else process.env['XDG_STATE_HOME'] = state
  rmSync(base, { recursive: true, force: true })
})

const WANTED: readonly Placeholder[] = [
  { name: '.vscode', kind: 'closed' },
  { name: '.github', kind: 'open' },
  { name: '.github/workflows', kind: 'closed' },
  { name: '.yarnrc.yml', kind: 'file' },
]

describe('a claim', () => {
  it('makes what is absent and takes it away', async () => {
    const claim = await claimWorkspace(workspace)

    expect(claim.make(WANTED)).toHaveLength(4)
    expect(claim.standing().map(({ name }) => name)).toEqual(WANTED.map(({ name }) => name))

    claim.release()
    expect(readdirSync(workspace)).toEqual([])
    expect(readdirSync(claim.folder)).toEqual([])
  })

  it.skipIf(process.platform !== 'linux')(
    'takes its placeholders away from a workspace that was moved, and from what stands there now',
    async () => {
      const claim = await claimWorkspace(workspace)
      claim.make(WANTED)
      const moved = join(base, 'moved')
      renameSync(workspace, moved)
      mkdirSync(join(moved, '.vscode/own'))
      mkdirSync(workspace)
      expect(claim.standing()).toEqual([])
      claim.make(WANTED)
      mkdirSync(join(workspace, 'src'))

      claim.release()

      expect(readdirSync(moved)).toEqual(['.vscode'])
      expect(readdirSync(workspace)).toEqual(['src'])
    },
  )

  it('leaves what was there before', async () => {
    mkdirSync(join(workspace, '.vscode'))
    writeFileSync(join(workspace, '.yarnrc.yml'), '')
    const claim = await claimWorkspace(workspace)
    expect(claim.make(WANTED).map(({ name }) => name)).toEqual(['.github', '.github/workflows'])

    claim.release()

    expect(readdirSync(workspace).sort()).toEqual(['.vscode', '.yarnrc.yml'])
  })

  it('leaves what somebody put into a placeholder or in its place', async () => {
    const claim = await claimWorkspace(workspace)
    claim.make(WANTED)
    writeFileSync(join(workspace, '.yarnrc.yml'), 'mine')
    writeFileSync(join(workspace, '.github/workflows/ci.yml'), 'mine')
    rmSync(join(workspace, '.vscode'), { recursive: true })
    mkdirSync(join(workspace, '.vscode'), { mode: 0o755 })
    expect(claim.standing().map(({ name }) => name)).toEqual(['.github'])

    claim.release()

    expect(readdirSync(workspace).sort()).toEqual(['.github', '.vscode', '.yarnrc.yml'])
    expect(existsSync(join(workspace, '.github/workflows/ci.yml'))).toBe(true)
  })

  it('leaves its placeholders to another claim, and the last one removes all', async () => {
    const first = await claimWorkspace(workspace)
    first.make(WANTED)
    const second = await claimWorkspace(workspace)

    first.release()
    expect(existsSync(join(workspace, '.vscode'))).toBe(true)

    second.release()
    expect(readdirSync(workspace)).toEqual([])
    expect(readdirSync(second.folder)).toEqual([])
  })

  it.each(['claim', 'removing', 'left'])(
    'clears away what a dead process left in the state %s',
    async (kind) => {
      const { folder } = await crashed(kind, (text) => text)

      const next = await claimWorkspace(workspace)
      expect(readdirSync(workspace)).toEqual([])
      next.release()
      expect(readdirSync(folder)).toEqual([])
    },
  )

  it('clears away what a process made right before it died, without a note of it', async () => {
    await crashed('claim', (text) => text.split('\n').slice(0, 2).join('\n'))

    const next = await claimWorkspace(workspace)

    expect(readdirSync(workspace)).toEqual([])
    next.release()
  })

  it('never removes by a note what is not empty, not ours, or outside of the workspace', async () => {
    const { folder } = await crashed('claim', (text) => text)
    mkdirSync(join(base, 'other'))
    const stats = lstatSync(join(base, 'other'))
    const id = `${stats.dev}:${stats.ino}:${stats.mode & 0o7777}`
    const made = [
      { name: '../other', kind: 'closed', id, changedMs: 0 },
      { name: '/etc', kind: 'closed', id, changedMs: 0 },
    ]
    appendFileSync(
      join(folder, readdirSync(folder)[0] ?? ''),
      `${JSON.stringify({ made })}\n{"torn`,
    )

    const next = await claimWorkspace(workspace)

    expect(existsSync(join(base, 'other'))).toBe(true)
    next.release()
  })

  /** Notes and placeholders as a process leaves them that dies; its identity is of a process that is gone. */
  async function crashed(
    kind: string,
    cut: (text: string) => string,
  ): Promise<{ readonly folder: string }> {
    const claim = await claimWorkspace(workspace)
    claim.make(WANTED)
    const [file = ''] = readdirSync(claim.folder)
    const path = join(claim.folder, file)
    const { readFileSync } = await import('node:fs')
    const text = readFileSync(path, 'utf8').replace(/"started":"[^"]*"/, '"started":"gone"')
    writeFileSync(path, cut(text))
    renameSync(path, join(claim.folder, file.replace('claim', kind)))
    return { folder: claim.folder }
  }
})
