import { describe, expect, test } from 'vitest'
import { virtualPathResolver } from './virtual-path-resolver.js'

const resolver = virtualPathResolver({
  '/ws/link': '/etc',
  '/ws/relative': '../home/u',
  '/ws/chain': 'link/passwd',
  '/ws/loop': '/ws/loop',
  '/ws/dangling': '/nowhere/x',
})

describe('the virtual file system', () => {
  test.each([
    ['/ws/a.txt', '/ws/a.txt'],
    ['/ws/./a//b/', '/ws/a/b'],
    ['/ws/link', '/etc'],
    ['/ws/link/x', '/etc/x'],
    ['/ws/link/../x', '/x'],
    ['/ws/relative/f', '/home/u/f'],
    ['/ws/chain', '/etc/passwd'],
    ['/ws/dangling', '/nowhere/x'],
    ['/../..', '/'],
  ])('leads %s to %s', async (path, real) => {
    expect(await resolver.resolve(path)).toEqual({ status: 'resolved', real, links: 1 })
    expect(resolver.resolveNow(path)).toEqual(await resolver.resolve(path))
  })

  test.each(['/ws/loop', 'relative', '/a\0b'])('resolves %j to nothing', (path) => {
    expect(resolver.resolveNow(path)).toMatchObject({ status: 'unresolvable' })
  })
})

describe('the virtual file system of Windows', () => {
  const windows = virtualPathResolver(
    { 'C:\\ws\\Link': 'd:\\other', 'c:/ws/up': '..\\x', '\\\\srv\\share\\a': 'b' },
    { platform: 'win32' },
  )

  test.each([
    ['C:\\ws\\a', 'C:\\ws\\a'],
    ['c:/WS/LINK/f', 'D:\\other\\f'],
    ['C:/ws/up/f', 'C:\\x\\f'],
    ['\\\\?\\C:\\ws\\link', 'D:\\other'],
    ['//SRV/share/a/f', '\\\\SRV\\share\\b\\f'],
    ['//srv/share/../../x', '\\\\srv\\share\\x'],
    ['/ws/x', 'C:\\ws\\x'],
    ['C:/', 'C:\\'],
  ])('leads %s to %s', (path, real) => {
    expect(windows.resolveNow(path)).toEqual({ status: 'resolved', real, links: 1 })
  })

  test.each(['ws', 'C:x', ''])('resolves %j to nothing', (path) => {
    expect(windows.resolveNow(path)).toMatchObject({ status: 'unresolvable' })
  })
})

describe('hard links of the virtual file system', () => {
  const disk = virtualPathResolver({}, { hardlinks: { '/a/x': '/b/y', '/c/z/w': '/a/x' } })

  test('are names of one file', () => {
    const [x, y, w] = ['/a/x', '/b/y', '/c/z/w'].map((path) => disk.resolveNow(path))

    expect(x).toMatchObject({ links: 3, identity: expect.any(String) })
    expect([y, w]).toMatchObject([{ identity: identityOf(x) }, { identity: identityOf(x) }])
    expect(disk.resolveNow('/a/other')).toEqual({ status: 'resolved', real: '/a/other', links: 1 })
  })

  test('are listed with the folders that they need', () => {
    expect(disk.namesIn?.('/')).toEqual([
      { name: 'a', kind: 'folder' },
      { name: 'b', kind: 'folder' },
      { name: 'c', kind: 'folder' },
    ])
    expect(disk.namesIn?.('/a')).toEqual([{ name: 'x', kind: 'other' }])
  })

  function identityOf(resolution: unknown): unknown {
    return Reflect.get(Object(resolution) as object, 'identity')
  }
})
