import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callTool, validated } from '../../../test/builders/tool-call.js'
import { search } from './search.js'

let workspace = ''

function put(name: string, content: string): void {
  const path = join(workspace, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

beforeEach(() => {
  workspace = mkdtempSync(join(realpathSync(tmpdir()), 'search-'))
  put('a.ts', 'one\ntwo needle\r\nthree\n')
  put('src/b.ts', 'needle needle\n')
  put('src/c.js', 'nothing')
})
afterEach(() => {
  rmSync(workspace, { recursive: true })
})

describe('search', () => {
  it('[S1-77] is judged by mode, query and path as one text, and by the path', () => {
    expect(search.needs({ mode: 'grep', query: 'a b', path: 'src' })).toEqual([
      { kind: 'text', text: 'grep a b src' },
      { kind: 'path', access: 'read', path: 'src' },
    ])
    expect(search.needs({ mode: 'glob', query: '*' })).toEqual([
      { kind: 'text', text: 'glob *' },
      { kind: 'path', access: 'read', path: '.' },
    ])
  })

  it.each([
    {},
    { mode: 'grep' },
    { query: 'x' },
    { mode: 'bm25', query: 'x' },
    { mode: 'grep', query: 7 },
  ])('does not accept %j', async (args) => {
    expect(await validated(search, args)).toBeUndefined()
  })

  it('finds literal text by line, below the folder of the call', async () => {
    const result = await callTool(search, { mode: 'grep', query: 'needle' }, { workspace })

    expect(result).toEqual({
      matches: [
        { path: './a.ts', line: 2, text: 'two needle' },
        { path: './src/b.ts', line: 1, text: 'needle needle' },
      ],
      skipped: 0,
      truncated: false,
    })
  })

  it('takes a query for text, never for a regular expression', async () => {
    put('d', 'x (a+)+$ y')

    const result = await callTool(search, { mode: 'grep', query: '(a+)+$' }, { workspace })

    expect(result.matches).toMatchObject([{ path: './d' }])
  })

  it('searches one file that is named', async () => {
    const args = { mode: 'grep', query: 'needle', path: 'src/b.ts' }

    expect((await callTool(search, args, { workspace })).matches).toMatchObject([
      { path: 'src/b.ts', line: 1 },
    ])
  })

  it.each([
    ['*.ts', ['./a.ts']],
    ['**/*.ts', ['./a.ts', './src/b.ts']],
    ['src/?.js', ['./src/c.js']],
    ['src', []],
  ])('finds paths for the pattern %s', async (query, paths) => {
    const { matches } = await callTool(search, { mode: 'glob', query }, { workspace })

    expect(matches.map(({ path }) => path)).toEqual(paths)
  })

  it('[S1-44] leaves out credential files and says how many', async () => {
    for (const name of ['.env', 'src/.ENV.local', '.ssh/config', 'deploy.pem', '.npmrc']) {
      put(name, 'needle')
    }
    put('.env.example', 'needle')

    const { matches, skipped } = await callTool(
      search,
      { mode: 'grep', query: 'needle' },
      { workspace },
    )

    expect(matches.map(({ path }) => path)).toEqual(['./.env.example', './a.ts', './src/b.ts'])
    expect(skipped).toBe(5)
  })

  it('skips binary files, links, packages and repositories', async () => {
    rmSync(join(workspace, 'a.ts'))
    rmSync(join(workspace, 'src'), { recursive: true })
    put('binary', 'needle\0')
    put('node_modules/x/index.js', 'needle')
    put('.git/config', 'needle')
    symlinkSync('node_modules/x/index.js', join(workspace, 'link'))

    const result = await callTool(search, { mode: 'grep', query: 'needle' }, { workspace })

    expect(result.matches).toEqual([])
  })

  it('bounds what it returns and says so', async () => {
    for (let n = 0; n < 8; n += 1) put(`many/${n}`, 'needle\n'.repeat(300))

    const result = await callTool(search, { mode: 'grep', query: 'needle' }, { workspace })

    expect(result.matches.length).toBe(1000)
    expect(result.truncated).toBe(true)
  })

  it('ends with the call', async () => {
    const signal = AbortSignal.abort()

    const answer = callTool(search, { mode: 'grep', query: 'needle' }, { workspace, signal })

    await expect(answer).rejects.toBe(signal.reason)
  })

  it('rejects when the folder is missing', async () => {
    const answer = callTool(search, { mode: 'glob', query: '*', path: 'nowhere' }, { workspace })

    await expect(answer).rejects.toMatchObject({ code: 'not_found' })
  })
})
