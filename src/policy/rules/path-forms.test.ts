import { describe, expect, it } from 'vitest'
import { lexicalForms, type Place } from './path-forms.js'

const POSIX: Place = {
  cwd: '/ws/sub',
  workspace: '/ws',
  home: '/home/u',
  temporary: ['/tmp'],
  platform: 'linux',
}
const WINDOWS: Place = {
  cwd: 'C:\\ws',
  workspace: 'C:\\ws',
  home: 'C:\\Users\\u',
  temporary: ['C:\\Temp'],
  platform: 'win32',
}

describe('the spellings of a path', () => {
  it.each([
    ['a', ['/ws/sub/a']],
    ['', ['/ws/sub']],
    ['../a', ['/ws/a']],
    ['/a//b/./c/', ['/a/b/c']],
    ['//a', ['/a']],
    ['/../..', ['/']],
    ['~', ['/home/u']],
    ['~/a', ['/home/u/a']],
    ['~x/a', ['/ws/sub/~x/a']],
    ['$HOME/a', ['/home/u/a']],
    ['$HOMER/a', ['/ws/sub/$HOMER/a']],
    ['${TMPDIR}/a', ['/tmp/a']],
    ['$PWD/a', ['/ws/sub/a']],
    ['a\\b', ['/ws/sub/a\\b', '/ws/sub/a/b']],
    ['..\\..\\etc', ['/ws/sub/..\\..\\etc', '/etc']],
  ])('on POSIX `%s` folds to %j', (given, folded) => {
    expect(lexicalForms(given, POSIX).folded).toEqual(folded)
  })

  it.each([
    ['a\\b', ['C:/ws/a/b']],
    ['c:\\A', ['C:/A']],
    ['/C:/A', ['C:/A']],
    ['\\\\?\\c:\\A', ['C:/A']],
    ['\\\\?\\UNC\\srv\\share\\a', ['//srv/share/a']],
    ['\\\\srv\\share\\..\\..\\a', ['//srv/share/a']],
    ['\\a', ['C:/a']],
    ['d:a', ['D:/a']],
    ['C:a', ['C:/ws/a']],
    ['C:\\..\\..', ['C:/']],
    ['~\\a', ['C:/Users/u/a']],
  ])('on Windows `%s` folds to %j', (given, folded) => {
    expect(lexicalForms(given, WINDOWS).folded).toEqual(folded)
  })

  it('keeps `..` for whoever follows links', () => {
    expect(lexicalForms('link/../a', POSIX).unfolded).toEqual(['/ws/sub/link/../a'])
  })

  it('adds the readings of another environment', () => {
    const place = { ...POSIX, environment: { HOME: '/root' } }

    expect(lexicalForms('~/a', place).folded).toEqual(['/home/u/a', '/root/a'])
  })
})
