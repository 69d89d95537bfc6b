import { describe, expect, it } from 'vitest'
import { bound, ROOTS } from '../../test/property/policy-builders.js'
import { includesTool } from './axes/tools.js'
import { leadingFolders } from './bind.js'
import { definePolicy } from './define.js'
import { unite } from './unite.js'

describe('binding a policy', () => {
  it('lists the folders whose links matter to suspicion', () => {
    const axes = unite([
      definePolicy({
        rules: [
          'deny read(/etc/app/**)',
          'ask write(src/*.ts)',
          'deny read(~/x/y)',
          'deny read(**/.env)',
          'deny read({a,b}/*)',
          'deny bash(rm:*)',
          'allow read(/opt/**)',
          { effect: 'allow', match: 'read(/srv/**)', except: ['read(/srv/key/*)'] },
        ],
      }),
    ])

    expect(leadingFolders(axes, ROOTS)).toEqual([
      '/etc/app',
      '/home/u/x/y',
      '/srv/key',
      '/ws/a',
      '/ws/b',
      '/ws/src',
    ])
  })

  it('keeps revision and axes, whatever the folders', () => {
    const here = bound({ rules: ['deny read(a)'] })
    const there = bound({ rules: ['deny read(a)'] }, { ...ROOTS, workspace: '/other' })

    expect(there.revision).toBe(here.revision)
    expect(there.axes).toEqual(here.axes)
  })

  it('binds whitelists', () => {
    const policy = { policy: 'whitelist_accept', whitelist: ['read(src/**)'] } as const

    expect(bound({ toolApproval: policy }).toolApproval[0]?.whitelist[0]?.text).toBe('read(src/**)')
  })

  it.each([
    [{ only: null, exclude: [] }, 'anything', true],
    [{ only: [], exclude: [] }, 'read', false],
    [{ only: ['READ', 'mcp__a'], exclude: ['mcp__a__x'] }, 'Read', true],
    [{ only: ['read', 'mcp__a'], exclude: ['mcp__a__x'] }, 'mcp__a__x', false],
    [{ only: ['read', 'mcp__a'], exclude: ['mcp__a__x'] }, 'mcp__a__y', true],
  ])('the scope %j has %s: %s', (scope, tool, expected) => {
    expect(includesTool(scope, tool)).toBe(expected)
  })
})
