/** The broker's C# on this machine: it compiles, its structures fit, its lists and its journal hold. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BROKER_SOURCE } from '../../src/sandbox/appcontainer/broker/source.js'
import { compilerWords, compileTrials, MONO_MISSING, type Trials } from './csharp.js'
import { LAYOUT } from './layout.js'

const HELD = [
  'C:\\ws read+write',
  'C:\\ws\\a.txt read+write+delete',
  'C:\\ws\\.env nothing',
  'C:\\ws\\.git read',
  'C:\\ws\\.git\\config read',
  'C:\\ws\\.git\\hooks read',
  'C:\\ws\\.git\\hooks\\x read',
  'C:\\ws\\sub read+write',
  'C:\\ws\\sub\\b.txt read+write+delete',
  'C:\\ws\\sub\\.git read',
  'C:\\ws\\link nothing',
  'C:\\ws\\link\\theirs nothing',
  'C:\\out nothing',
  'C:\\out\\c.txt nothing',
  'C:\\tools read',
  'C:\\tools\\t.exe read',
]

const RESTORED = ['as before', 'profiles 0', 'noted 0']

it('the source is plain ASCII, which no code page changes', () => {
  expect(BROKER_SOURCE).toMatch(/^[\n\x20-\x7e]*$/)
})

describe('the broker of Windows, compiled by Mono', () => {
  let trials: Trials | undefined
  beforeAll(() => {
    if (MONO_MISSING === null) trials = compileTrials()
  }, 60_000)
  beforeEach((context) => context.skip(MONO_MISSING !== null, MONO_MISSING ?? ''))
  afterAll(() => trials?.remove())
  const lists = (trial: string): readonly string[] =>
    trials!.lines('lists', trials!.folder(), trial)

  it('[S1-16] compiles without a warning', () => {
    expect(compilerWords()).toEqual({ status: 0, text: '' })
  })

  it('[S1-16] lays its structures out as 64-bit Windows does', () => {
    const found = trials!.lines('sizes').map((line) => line.split(' '))

    expect(Object.fromEntries(found.map(([name, size]) => [name, Number(size)]))).toEqual(LAYOUT)
  })

  it('[S1-24] [S1-25] [S1-27] gives a container its paths, and takes all of them back', () => {
    expect(lists('one')).toEqual([
      ...HELD,
      'C:\\ws\\sub\\new.txt read+write+delete',
      'scratch read+write',
      ...RESTORED,
    ])
  })

  it('gives every path of 400 random trees what the nearest wish says, to two commands at once', () => {
    expect(trials!.lines('random', trials!.folder(), '400')).toEqual(['compared'])
  })

  it('keeps an entry until its last holder is gone', () => {
    expect(lists('two')).toEqual(['the second keeps', ...HELD, ...RESTORED])
  })

  it('takes back what a broker left that died after any one write', () => {
    expect(lists('crash')).toEqual(['every crash was mended', ...RESTORED])
  })

  it('keeps sessions apart whose workspaces lie in each other', () => {
    expect(lists('nested')).toEqual([
      'outer read+write+delete read',
      'inner read+write+delete nothing nothing',
      'outer gone nothing inner nothing',
      ...RESTORED,
    ])
  })

  it('closes what an entry for all packages would open', () => {
    expect(lists('everybody')).toEqual(['C:\\ws\\.env nothing', 'C:\\ws\\.git read', ...RESTORED])
  })

  it('gives nothing when a path is gone, is a link or belongs to somebody else', () => {
    expect(lists('refused')).toEqual([
      'moved C:\\ws\\gone',
      'moved C:\\ws\\link',
      'access_refused C:\\ws',
      ...RESTORED,
    ])
  })

  it.each(['garbage', '', 'sixgate-access 1\nQQ==\tQQ==', 'sixgate-access 1\n!\t!\ta|b|c|d'])(
    'gives nothing over the journal %j',
    (text) => {
      expect(lists(text)).toEqual(['journal_malformed', 'as before'])
    },
  )
})
