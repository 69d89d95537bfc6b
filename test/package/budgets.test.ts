/** Budgets of the package: how much of our own code `.` brings, and what it never loads. */

import { gzipSync } from 'node:zlib'
import { build, type Metafile } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { manifest } from './built.js'

/** Why it is not the 40 KB that was planned: docs/decisions.md, "The size of `.`". */
const BUDGET = 88 * 1024

/** Of the packages that a user installs anyway, those that `.` may load. */
const RUN_TIME = ['zod', 'ulid', '@noble/hashes', 'canonicalize', 'jsonc-parser']

/** What `.` leaves to sub-paths: drivers, the shell parser, adapters, importers, commands, tools. */
const ELSEWHERE = [
  /^src\/sandbox\/(?:bubblewrap|seatbelt|appcontainer)\//,
  /^src\/(?:shell|hosts|import|cli|testing|audit)\//,
  /^src\/tools\/builtin\//,
  /^src\/store\/(?!memory|jsonl)(?:[^/]+\/|(?:sqlite|postgres)[^/]*$)/,
]

describe('the entry `.`', () => {
  let metafile: Metafile
  let bytes: Uint8Array

  beforeAll(async () => {
    const result = await build({
      entryPoints: ['src/index.ts'],
      bundle: true,
      write: false,
      metafile: true,
      minify: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
    })
    metafile = result.metafile
    bytes = result.outputFiles[0]!.contents
  })

  it('brings at most 88 KB of our own code, minified and compressed', () => {
    const size = gzipSync(bytes).length

    console.log(`own code of \`.\`: ${(size / 1024).toFixed(1)} KB of 88 KB`)
    expect(size).toBeLessThanOrEqual(BUDGET)
  })

  it('loads no driver, no shell parser, no adapter and no store but memory and JSONL', () => {
    const inputs = Object.keys(metafile.inputs)

    expect(inputs.filter((file) => ELSEWHERE.some((place) => place.test(file)))).toEqual([])
  })

  it('imports no package but those that it may load', () => {
    const packages = Object.values(metafile.outputs)
      .flatMap(({ imports }) => imports)
      .map(({ path }) => path)
      .filter((path) => !path.startsWith('node:'))

    const strangers = packages.filter(
      (path) => !RUN_TIME.some((name) => path === name || path.startsWith(`${name}/`)),
    )
    expect(strangers).toEqual([])
  })
})

describe('the manifest', () => {
  it('keeps the package checks in `npm run check`', () => {
    expect(manifest.scripts['check']).toContain('check:package')
    expect(manifest.scripts['check:package']).toContain('publint --strict')
    expect(manifest.scripts['check:package']).toContain('attw --pack')
  })

  it.each(['preinstall', 'install', 'postinstall', 'prepare'])('runs nothing on %s', (script) => {
    expect(manifest.scripts).not.toHaveProperty(script)
  })

  it('promises that loading a module does nothing', () => {
    expect(manifest.sideEffects).toBe(false)
  })
})
