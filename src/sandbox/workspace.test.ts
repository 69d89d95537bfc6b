import { describe, expect, it } from 'vitest'
import { refusedWorkspace } from './workspace.js'

describe('refusedWorkspace', () => {
  it.each([
    ['/', 'the root'],
    ['/home/me', 'the home'],
    ['/home/me/', 'the home with a slash'],
    ['/home', 'the parent of homes'],
    ['/home/other', 'the home of somebody else'],
    ['/root', 'the home of root'],
    ['/Users/me', 'a home on macOS'],
    ['/Volumes/Disk', 'a volume'],
    ['/etc', 'settings'],
    ['/usr', 'programs'],
    ['/tmp', 'temporary files of everybody'],
    ['/proc/self/cwd', 'the kernel'],
    ['/dev/shm', 'devices'],
    ['C:\\', 'a drive'],
    ['c:/', 'a drive with the other separator'],
    ['\\\\server\\share', 'a share'],
    ['relative', 'a relative path'],
    ['/home/me/a\0b', 'a NUL'],
    ['/home/me/x/../..', 'a path that folds to the parent of homes'],
  ])('refuses %s, %s', (path) => {
    expect(refusedWorkspace(path, '/home/me')).not.toBeNull()
  })

  it.each(['/home/me/project', '/projects/x', '/tmp/x', '/srv', '/mnt/disk', '/homely', '/opt/x'])(
    'accepts %s',
    (path) => {
      expect(refusedWorkspace(path, '/home/me')).toBeNull()
    },
  )

  it('refuses every parent of an unusual home', () => {
    expect(refusedWorkspace('/data', '/data/users/me')).not.toBeNull()
    expect(refusedWorkspace('/data/users/you', '/data/users/me')).toBeNull()
  })

  it('compares drive paths without case and by both separators', () => {
    expect(refusedWorkspace('c:/users/ME', 'C:\\Users\\me')).not.toBeNull()
    expect(refusedWorkspace('C:\\Users', 'C:\\Users\\me')).not.toBeNull()
    expect(refusedWorkspace('C:\\Users\\me\\p', 'C:\\Users\\me')).toBeNull()
  })
})
