/** Loads every sub-path of the built package in both formats, as a user's program would. */

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { manifest, skipUnlessBuilt, specifiers } from './built.js'

describe('the built package', () => {
  beforeEach(skipUnlessBuilt)

  it.each(specifiers)('%s exports the same names to import and to require', (specifier) => {
    const imported = exportsOf(`await import('${specifier}')`, 'module')
    const required = exportsOf(`require('${specifier}')`, 'commonjs')

    expect(imported.length).toBeGreaterThan(0)
    expect(imported).not.toContain('default')
    expect(required).toEqual(imported)
  })

  it.each(['esm', 'cjs'])(
    'holds every source once in %s, so sub-paths share instances',
    (format) => {
      const places = new Map<string, string[]>()
      for (const [output, { inputs }] of Object.entries(metafileOf(format).outputs)) {
        for (const input of Object.keys(inputs)) {
          places.set(input, [...(places.get(input) ?? []), output])
        }
      }

      expect(places.size).toBeGreaterThan(0)
      expect([...places].filter(([, outputs]) => outputs.length > 1)).toEqual([])
    },
  )

  it.each(Object.entries(manifest.bin))('the command %s starts with node', (_, file) => {
    expect(existsSync(file)).toBe(true)
    expect(readFileSync(file, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
    expect(statSync(file).mode & 0o111).not.toBe(0)
  })
})

/** The names that a program sees, which must load without printing anything on standard output. */
function exportsOf(expression: string, type: 'module' | 'commonjs'): readonly string[] {
  const program = `console.log(JSON.stringify(Object.keys(${expression}).sort()))`
  const output = execFileSync(process.execPath, [`--input-type=${type}`, '--eval', program], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return (JSON.parse(output) as string[]).filter((name) => !MARKERS.includes(name))
}

/** What the module systems add of themselves. */
const MARKERS = ['__esModule', 'module.exports']

interface Outputs {
  readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>>
}

function metafileOf(format: string): Outputs {
  return JSON.parse(readFileSync(`.cache/build/${format}.json`, 'utf8')) as Outputs
}
