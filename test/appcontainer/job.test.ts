/** The broker's numbers against the headers of Windows, and its job calls under Wine. */

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NATIVE } from '../../src/sandbox/appcontainer/broker/native.js'
import { missing } from './csharp.js'
import { LAYOUT } from './layout.js'

const COMPILER = '/usr/bin/x86_64-w64-mingw32-gcc'
const WINE = '/usr/lib/wine/wine64'
const WINE_SERVER = '/usr/lib/wine/wineserver'

const NO_COMPILER = missing(
  [COMPILER],
  'apt-get install -y --no-install-recommends gcc-mingw-w64-x86-64',
)
const NO_WINE =
  NO_COMPILER ?? missing([WINE, WINE_SERVER], 'apt-get install -y --no-install-recommends wine64')

/** The constants of the C# source as the C programs know them. */
const NUMBERS: readonly string[] = [
  ...NATIVE.matchAll(/internal const u?int (?<name>\w+) = (?<value>0x[0-9A-Fa-f]+|\d+);/g),
].map(({ groups }) => `-DOUR_${groups?.['name']}=${groups?.['value']}`)

const PLACES = Object.entries(LAYOUT).map(([name, at]) => `-DOUR_${name.replace('.', '_')}=${at}`)

describe('the numbers of the broker', () => {
  it('are read from its source', () => {
    expect(NUMBERS).toHaveLength(14)
    expect(NUMBERS).toContain('-DOUR_LimitKillOnClose=0x2000')
  })

  it('[S1-16] are those of the headers of Windows', (context) => {
    context.skip(NO_COMPILER !== null, NO_COMPILER ?? '')
    const source = join(import.meta.dirname, 'layout.c')
    const words = ['-fsyntax-only', ...NUMBERS, ...PLACES, source]

    expect(() => execFileSync(COMPILER, words)).not.toThrow()
    const wrong = words.map((word) =>
      word.replace('-DOUR_ExtendedLimits=144', '-DOUR_ExtendedLimits=136'),
    )
    expect(() => execFileSync(COMPILER, wrong, { stdio: 'pipe' })).toThrow()
  })
})

describe('the job of the broker, under Wine', () => {
  it('[S1-16] holds a suspended child, runs it, and ends it with the job', (context) => {
    context.skip(NO_WINE !== null, NO_WINE ?? '')
    const folder = mkdtempSync(join(tmpdir(), 'sixgate-wine-'))
    const program = join(folder, 'job.exe')
    const source = join(import.meta.dirname, 'job.c')
    execFileSync(COMPILER, ['-Werror', '-o', program, ...NUMBERS, source])

    const prefix = { HOME: folder, WINEPREFIX: join(folder, 'prefix') }
    const env = { PATH: '/usr/bin:/bin', WINEDEBUG: '-all', ...prefix }
    let text: string
    try {
      text = execFileSync(WINE, [program], {
        env,
        encoding: 'utf8',
        timeout: 100_000,
        stdio: ['ignore', 'pipe', 'ignore'],
      })
    } finally {
      spawnSync(WINE_SERVER, ['-k', '-w'], { env, timeout: 15_000 })
      rmSync(folder, { recursive: true, force: true })
    }

    const start = ['limits set 1', 'list set 1', 'made 1', 'assigned 1']
    expect(text.split(/\r?\n/).filter((line) => line !== '')).toEqual([
      ...start.map((fact) => `reads ${fact}`),
      'reads silent while suspended 1',
      'reads resumed 1',
      'reads says alive',
      'reads exit code 7',
      ...start.map((fact) => `waits ${fact}`),
      'waits terminated 1',
      'waits ended 1',
      ...start.map((fact) => `waits ${fact}`),
      'waits ended with its job 1',
    ])
  }, 120_000)
})
