import { describe, expect, it } from 'vitest'
import { controlDirectory, type Surroundings } from './control-directory.js'

function around(platform: NodeJS.Platform, env: Surroundings['env'] = {}): Surroundings {
  return { platform, env, home: '/home/user' }
}

describe('the control directory', () => {
  const places: readonly (readonly [NodeJS.Platform, Surroundings['env'], string])[] = [
    ['linux', {}, '/home/user/.local/state/sixgate/w'],
    ['linux', { XDG_STATE_HOME: '/state' }, '/state/sixgate/w'],
    ['linux', { XDG_STATE_HOME: 'relative' }, '/home/user/.local/state/sixgate/w'],
    ['linux', { XDG_STATE_HOME: '' }, '/home/user/.local/state/sixgate/w'],
    ['freebsd', { XDG_STATE_HOME: '/state' }, '/state/sixgate/w'],
    ['darwin', { XDG_STATE_HOME: '/state' }, '/home/user/Library/Application Support/sixgate/w'],
    ['win32', { LOCALAPPDATA: '/local' }, '/local/sixgate/w'],
    ['win32', {}, '/home/user/AppData/Local/sixgate/w'],
  ]
  it.each(places)('on %s with %j is %s', (platform, env, expected) => {
    expect(controlDirectory('w', around(platform, env))).toBe(expected)
  })

  it('is asked of the running process when nothing else is given', () => {
    expect(controlDirectory('abc')).toMatch(/[\\/]sixgate[\\/]abc$/)
  })

  it('does not exist for a home that is not absolute', () => {
    const homeless = { platform: 'linux', env: {}, home: '' } as const

    expect(() => controlDirectory('w', homeless)).toThrow(
      expect.objectContaining({ code: 'store_failed' }),
    )
  })

  it.each(['', '.', '..', '../x', 'a/b', 'a\\b', 'a\0', 'c:', '-flag', 'a'.repeat(129)])(
    'refuses the workspace id %j',
    (id) => {
      expect(() => controlDirectory(id, around('linux'))).toThrow(
        expect.objectContaining({ code: 'store_failed' }),
      )
    },
  )
})
