import { spawnSync } from 'node:child_process'
import { chmodSync, linkSync, mkdirSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nodePathResolver } from './node-path-resolver.js'

const resolver = nodePathResolver()
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'resolver-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

/** Both ways of asking must agree; `{}` stands for the folder of the test. */
async function resolve(path: string): Promise<unknown> {
  const full = path.replace('{}', folder)
  const answer = await resolver.resolve(full)
  expect(resolver.resolveNow(full)).toEqual(answer)
  return answer.status === 'resolved'
    ? { ...answer, real: answer.real.replace(folder, '{}') }
    : answer
}

describe('nodePathResolver', () => {
  it('follows links in every component, relative and absolute', async () => {
    mkdirSync(join(folder, 'a/b'), { recursive: true })
    writeFileSync(join(folder, 'a/b/file'), '')
    symlinkSync('a', join(folder, 'relative'))
    symlinkSync(join(folder, 'relative/b'), join(folder, 'absolute'))

    const answer = await resolve('{}/./absolute//file')

    expect(answer).toEqual({ status: 'resolved', real: '{}/a/b/file', links: 1 })
  })

  it('takes `..` after a link for the parent of where the link led', async () => {
    mkdirSync(join(folder, 'a/b'), { recursive: true })
    mkdirSync(join(folder, 'c'))
    symlinkSync('../a/b', join(folder, 'c/link'))

    expect(await resolve('{}/c/link/../x')).toMatchObject({ real: '{}/a/x' })
    expect(await resolve('/../..')).toMatchObject({ real: '/' })
  })

  it('follows a link whose target does not exist', async () => {
    symlinkSync('nowhere/deep', join(folder, 'dangling'))

    const answer = await resolve('{}/dangling/more')

    expect(answer).toEqual({ status: 'resolved', real: '{}/nowhere/deep/more', links: 1 })
  })

  it('resolves names below a file as absent ones', async () => {
    writeFileSync(join(folder, 'file'), '')

    expect(await resolve('{}/file/x')).toMatchObject({ status: 'resolved', real: '{}/file/x' })
  })

  it('tells how many names the final file has', async () => {
    writeFileSync(join(folder, 'file'), '')
    linkSync(join(folder, 'file'), join(folder, 'alias'))
    symlinkSync('alias', join(folder, 'link'))

    const alias = resolver.resolveNow(join(folder, 'link'))
    const file = resolver.resolveNow(join(folder, 'file'))

    expect(alias).toEqual({
      status: 'resolved',
      real: join(folder, 'alias'),
      links: 2,
      identity: expect.stringMatching(/^\d+:\d+$/),
    })
    expect(file).toMatchObject({ identity: (alias as { identity?: string }).identity })
    expect(await resolve('{}')).toEqual({ status: 'resolved', real: '{}', links: 1 })
  })

  it('lists the names in a folder, and none of what cannot be listed', () => {
    writeFileSync(join(folder, 'file'), '')
    mkdirSync(join(folder, 'sub'))
    symlinkSync('sub', join(folder, 'link'))

    const names = [...(resolver.namesIn?.(folder) ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1))

    expect(names).toEqual([
      { name: 'file', kind: 'other' },
      { name: 'link', kind: 'link' },
      { name: 'sub', kind: 'folder' },
    ])
    expect(resolver.namesIn?.(join(folder, 'nowhere'))).toEqual([])
  })

  it('follows 40 links and not one more', async () => {
    writeFileSync(join(folder, '0'), '')
    for (let n = 1; n <= 41; n += 1) symlinkSync(String(n - 1), join(folder, String(n)))

    expect(await resolve('{}/40')).toMatchObject({ status: 'resolved', real: '{}/0' })
    expect(await resolve('{}/41')).toMatchObject({ status: 'unresolvable' })
  })

  it('does not resolve a loop', async () => {
    symlinkSync('two', join(folder, 'one'))
    symlinkSync('one', join(folder, 'two'))

    expect(await resolve('{}/one')).toMatchObject({ status: 'unresolvable' })
  })

  it.each(['relative/path', '', 'a\0b', '/a\0b'])('does not resolve %j', async (path) => {
    expect(await resolve(path)).toMatchObject({ status: 'unresolvable' })
  })

  it('does not resolve a name that is too long to be looked up', async () => {
    expect(await resolve(`{}/${'x'.repeat(300)}`)).toMatchObject({ cause: 'ENAMETOOLONG' })
  })

  it('does not resolve a path that is longer than the system takes', async () => {
    expect(await resolve(`/${'tmp/../'.repeat(1000)}`)).toMatchObject({ status: 'unresolvable' })
  })

  it('does not resolve the links that only the kernel can follow', async () => {
    if (process.platform !== 'linux') return expect(process.platform).not.toBe('linux')

    expect(await resolve('/proc/self/root/etc')).toMatchObject({ status: 'unresolvable' })
  })

  it('does not resolve what lies in a folder that it may not look into', () => {
    chmodSync(folder, 0o755)
    mkdirSync(join(folder, 'closed'))
    writeFileSync(join(folder, 'closed/file'), '')
    chmodSync(join(folder, 'closed'), 0)

    const answer = resolveAsNobody(join(folder, 'closed/file'))

    expect(JSON.parse(answer)).toEqual({ status: 'unresolvable', cause: 'EACCES' })
  })
})

/** Root may look anywhere, so the module runs in a child of another user. */
function resolveAsNobody(path: string): string {
  const source = readFileSync(new URL('node-path-resolver.ts', import.meta.url), 'utf8')
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 }
  const script = join(folder, 'child.mjs')
  writeFileSync(
    script,
    `${ts.transpileModule(source, { compilerOptions }).outputText}
console.log(JSON.stringify(nodePathResolver().resolveNow(process.argv[2])))`,
  )
  const command = [process.execPath, script, path]
  const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', ...command]
  const [file = '', ...args] = process.getuid?.() === 0 ? asNobody : command
  const { stdout, stderr } = spawnSync(file, args, { encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout
}
