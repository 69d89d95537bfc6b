import { expect, it } from 'vitest'
import { canonicalPath, spellings } from './spellings.js'

it.each([
  ['/private/var/x', '/private/var/x'],
  ['/var/x', '/private/var/x'],
  ['/tmp', '/private/tmp'],
  ['/etc/hosts', '/private/etc/hosts'],
  ['/variable', '/variable'],
  ['/Users/me', '/Users/me'],
  ['/System/Volumes/Data/Users/me', '/Users/me'],
  ['/System/Volumes/Data/private/tmp/x', '/private/tmp/x'],
  ['/System/Volumes/Data', '/'],
  ['/System/Volumes/Database', '/System/Volumes/Database'],
  ['/System/Volumes/Data/System/x', '/System/Volumes/Data/System/x'],
  ['/', '/'],
])('takes %s for %s', (path, canonical) => {
  expect(canonicalPath(path)).toBe(canonical)
})

it.each([
  ['/tmp/x', ['/private/tmp/x', '/tmp/x', '/System/Volumes/Data/private/tmp/x']],
  ['/Users/me', ['/Users/me', '/System/Volumes/Data/Users/me']],
  ['/', ['/', '/System/Volumes/Data']],
  ['/System/Library', ['/System/Library']],
])('spells %s in every way that names it', (path, all) => {
  expect(spellings(path)).toEqual(all)
  for (const one of all) expect(spellings(one)).toEqual(all)
})
