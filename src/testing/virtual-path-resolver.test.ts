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
