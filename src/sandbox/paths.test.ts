import { describe, expect, it } from 'vitest'
import { absolutePath, isInside } from './paths.js'

describe('a path as text', () => {
  it.each([
    ['a/../b', '/ws', '/ws/b'],
    ['/a/./b/', '/ws', '/a/b'],
    ['../../..', '/ws', '/'],
    ['C:\\x', '/ws', '/ws/C:\\x'],
    ['.', 'C:/ws', 'C:/ws'],
    ['sub\\a', 'C:/ws', 'C:/ws/sub/a'],
    ['..\\..\\..', 'C:/ws', 'C:/'],
    ['d:\\a\\..\\b', 'C:/ws', 'd:/b'],
    ['\\a', 'C:/ws', 'C:/a'],
    ['//server/share', 'C:/ws', 'C:/server/share'],
  ])('%s from %s is %s', (path, base, whole) => {
    expect(absolutePath(path, base)).toBe(whole)
  })

  it.each([
    ['/ws/a', '/ws', true],
    ['/WS/a', '/ws', false],
    ['/wsx', '/ws', false],
    ['C:/ws/a', 'C:/WS', true],
    ['c:/WS/a', 'c:/ws', true],
    ['C:/wsx', 'C:/ws', false],
    ['D:/ws/a', 'C:/ws', false],
  ])('%s in %s: %s', (path, root, answer) => {
    expect(isInside(path, root)).toBe(answer)
  })
})
