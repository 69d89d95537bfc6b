/** The build: one entry a sub-path, ESM and CJS, shared chunks so that each format has one instance of everything. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import type { Options } from 'tsup'
import { policySchema } from './src/policy/schema/policy-schema.js'

const SUB_PATHS = {
  index: 'src/index.ts',
  sandbox: 'src/sandbox/entry.ts',
  tools: 'src/tools/entry.ts',
  shell: 'src/shell/entry.ts',
  testing: 'src/testing/entry.ts',
  audit: 'src/audit/entry.ts',
}
const COMMAND = { cli: 'src/cli/main.ts' }

/**
 * What every declaration file opens with. `AsyncDisposable` comes with a library that a project with
 * lib es2022 does not load; `AbortSignal` is global in Node and in browsers alike, but a project with
 * neither types has no such name, and an interface that says less merges with the one that is there.
 */
const DECLARATIONS_OPEN_WITH = [
  '/// <reference lib="esnext.disposable" />',
  'declare global { interface AbortSignal { readonly aborted: boolean } }',
].join('\n')

/** Where the tests find what went into which file of the build. */
const METAFILES = '.cache/build'

rmSync('dist', { recursive: true, force: true })
rmSync(METAFILES, { recursive: true, force: true })
mkdirSync(METAFILES, { recursive: true })
// What editors complete policies by, as `sixgate/schema.json`.
mkdirSync('dist')
writeFileSync('dist/schema.json', `${JSON.stringify(policySchema(), null, 2)}\n`)

const config: Options[] = [
  { ...build('esm'), entry: { ...SUB_PATHS, ...COMMAND } },
  { ...build('cjs'), entry: SUB_PATHS },
]

export default config

function build(format: 'esm' | 'cjs'): Options {
  return {
    format,
    target: 'node20.19',
    platform: 'node',
    splitting: true,
    dts: { entry: SUB_PATHS, banner: DECLARATIONS_OPEN_WITH },
    external: ['vitest', 'fast-check'],
    // This dependency is closed to `require`, which therefore gets it inside our own files.
    noExternal: format === 'cjs' ? ['canonicalize'] : [],
    // Some built-in modules exist only under their full name.
    removeNodeProtocol: false,
    clean: false,
    esbuildPlugins: [
      {
        name: 'metafile',
        setup(esbuild) {
          esbuild.onEnd(({ metafile }) => {
            writeFileSync(`${METAFILES}/${format}.json`, JSON.stringify(metafile))
          })
        },
      },
    ],
  }
}
