/** Budgets of the package: how much of our own code `.` brings, and what it never loads. */

import { gzipSync } from 'node:zlib'
import { build, type Metafile } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { manifest } from './built.js'

/** Why it is not the 40 KB that was planned: docs/decisions.md, "The size of `.`". */
const BUDGET = 94 * 1024

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
  let size: number

  beforeAll(async () => {
    const result = await build({
      entryPoints: ['src/index.ts'],
      bundle: true,
      write: false,
      metafile: true,
      // What is imported only when it is asked for, such as another language, stands in files of its own.
      splitting: true,
      outdir: 'out',
      minify: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
    })
    metafile = result.metafile
    const eager = eagerFiles(metafile, 'out/index.js')
    const texts = result.outputFiles.filter(({ path }) => eager.some((file) => path.endsWith(file)))
    size = texts.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0)
  })

  it('brings at most 94 KB of our own code, minified and compressed', () => {
    console.log(`own code of \`.\`: ${(size / 1024).toFixed(1)} KB of 94 KB`)
    expect(size).toBeLessThanOrEqual(BUDGET)
  })

  it('loads no driver, no shell parser, no adapter and no store but memory and JSONL', () => {
    const inputs = Object.keys(metafile.inputs)

    expect(inputs.filter((file) => ELSEWHERE.some((place) => place.test(file)))).toEqual([])
  })

  it('imports no package but those that it may load', () => {
    const packages = Object.values(metafile.outputs)
      .flatMap(({ imports }) => imports)
      .flatMap(({ path, external }) => (external === true ? [path] : []))
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

/** The file and everything that it imports at once. */
function eagerFiles({ outputs }: Metafile, file: string, seen: string[] = []): readonly string[] {
  if (seen.includes(file) || outputs[file] === undefined) return seen
  seen.push(file)
  for (const { path, kind } of outputs[file].imports) {
    if (kind === 'import-statement') eagerFiles({ outputs, inputs: {} }, path, seen)
  }
  return seen
}
