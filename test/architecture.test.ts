/** Holds the source to its architecture: who may import whom, how long files get, and what they are called. */

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { violations } from './architecture/check.js'
import type { Architecture, Sources } from './architecture/table.js'

const ENTRY_POINTS = [
  'index.ts',
  'sandbox/entry.ts',
  'tools/entry.ts',
  'testing/entry.ts',
  'shell/entry.ts',
  'audit/entry.ts',
]
const BUILT_ON_TOP = {
  imports: ENTRY_POINTS,
  reason: 'what is built on top uses the public entry points, as any host would',
}

const ARCHITECTURE: Architecture = {
  folders: {
    core: { imports: [], reason: 'core is the vocabulary and imports nothing' },
    lists: { imports: [], reason: 'lists are data only' },
    contract: {
      imports: [],
      types: [
        'core',
        'policy/effective-policy.ts',
        'trace/records.ts',
        'trace/ledger.ts',
        'delegation/snapshots.ts',
        'words/language.ts',
      ],
      reason: 'contract holds types only, made of core and of what records and policies say',
    },
    platform: { imports: ['core'], reason: 'platform is the rim: it knows words and no rules' },
    encoding: { imports: ['core'], reason: 'encoding turns values into bytes and knows no policy' },
    policy: {
      imports: ['core', 'encoding', 'lists'],
      reason: 'a policy is data that no pipeline, trace or driver may bend',
    },
    words: { imports: ['core'], reason: 'a language says what it is told and knows no policy' },
    shell: {
      imports: ['core', 'lists'],
      reason: 'shell text is analysed without knowing policies',
    },
    pipeline: {
      imports: ['core', 'policy'],
      reason: 'the fold is pure: text became needs before it, and it writes nothing',
    },
    delegation: {
      imports: ['core', 'policy', 'encoding'],
      reason: 'a child is derived from data alone, never by judging calls',
    },
    trace: {
      imports: ['core', 'encoding', 'platform'],
      reason: 'records outlive the code that decides',
    },
    store: {
      imports: ['core', 'encoding', 'trace', 'platform'],
      types: ['delegation/snapshots.ts'],
      reason: 'a store keeps lines and enforces nothing',
    },
    sandbox: {
      imports: ['core', 'lists', 'platform'],
      types: ['policy'],
      reason: 'a driver enforces a profile and decides nothing',
    },
    responders: {
      imports: ['core', 'encoding', 'policy', 'pipeline', 'delegation', 'trace', 'words'],
      types: ['store', 'sandbox', 'platform'],
      reason: 'a responder is handed its ports; the composition root wires them',
    },
    enforce: {
      imports: [
        ...['core', 'encoding', 'policy', 'pipeline', 'delegation', 'trace'],
        ...['responders', 'words'],
      ],
      types: ['store', 'sandbox', 'platform'],
      reason: 'the enforcer is handed its ports; the composition root wires them',
    },
    audit: {
      imports: [
        ...['core', 'encoding', 'trace', 'policy', 'pipeline', 'delegation', 'platform'],
        // Wired at the root, named by the entry: a reader of folders and stores, and what a person
        // decides about a policy file, which no session can.
        ...['open-trace.ts', 'default-policy-file.ts', 'trust-policy.ts'],
      ],
      reason: 'a reader cannot act',
    },
    tools: {
      // What a model may say of a child is read in one place, by the tool that hands it on.
      imports: [
        'core',
        'encoding',
        'shell',
        'lists',
        'platform',
        'delegation/narrowing-from-model.ts',
      ],
      reason: 'a tool states its needs and never judges them',
    },
    hosts: BUILT_ON_TOP,
    import: BUILT_ON_TOP,
    cli: BUILT_ON_TOP,
  },
  openFolders: {
    testing: { except: ['cli'], reason: 'what tests need is no command' },
  },
  openTypes: ['contract'],
  packages: [
    {
      name: 'zod',
      only: [
        ...['policy/axes', 'policy/axis.ts', 'policy/load.ts', 'policy/schema'],
        'tools/builtin',
      ],
      reason: 'schemas stand where text enters: the axes, their reader, the built-in tools',
    },
    { name: 'picomatch', only: ['policy/rules/paths.ts'], reason: 'one file knows glob syntax' },
    { name: 'jsonc-parser', only: ['policy/load.ts'], reason: 'one file knows policy syntax' },
    { name: 'unbash', only: ['shell/parse.ts'], reason: 'one file knows the shell parser' },
    { name: 'canonicalize', only: ['encoding'], reason: 'one folder makes canonical bytes' },
    { name: '@noble/hashes', only: ['encoding'], reason: 'one folder makes digests' },
    { name: 'ulid', only: ['platform/ids.ts'], reason: 'one file makes ids' },
    { name: 'node:crypto', only: ['platform', 'encoding'], reason: 'only encoding makes digests' },
    {
      name: 'node:util',
      only: ['platform', 'encoding', 'cli'],
      reason: 'only encoding looks at the nature of foreign values',
    },
    {
      name: 'node:*',
      only: ['platform', 'cli', 'hosts'],
      reason: 'effects live in platform and arrive as arguments',
    },
  ],
  typeCycles: ['contract'],
  limits: { codeLines: 300, filesInFolder: 15 },
}

it('the source keeps its architecture', () => {
  expect(violations(realSources(), ARCHITECTURE)).toEqual([])
})

it('every folder of the source has a row', () => {
  const folders = readdirSync('src', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)

  const rows = [...Object.keys(ARCHITECTURE.folders), ...Object.keys(ARCHITECTURE.openFolders)]

  expect(folders.filter((folder) => !rows.includes(folder))).toEqual([])
})

describe('a planted violation is reported', () => {
  it.each([
    ['a folder that may not be imported', 'pipeline/x.ts', "import { a } from '../trace/chain.js'"],
    ['a type of such a folder', 'policy/x.ts', "import type { A } from '../trace/chain.js'"],
    ['a type import written inline', 'core/x.ts', "export let a: import('../policy/a.js').A"],
    ['a dynamic import', 'pipeline/x.ts', "export const a = () => import('../platform/ids.js')"],
    ['a required file', 'enforce/x.ts', "export const a = require('../store/memory.js')"],
    ['a re-export', 'core/x.ts', "export { a } from '../lists/a.js'\nexport const b = 1"],
    ['code where types are open', 'enforce/x.ts', "import { a } from '../store/memory.js'"],
    ['code of the contract', 'policy/x.ts', "import { A } from '../contract/policy.js'"],
    ['core importing a contract type', 'core/x.ts', "import type { A } from '../contract/tool.js'"],
    ['an internal of a command', 'cli/x.ts', "import { a } from '../enforce/session.js'"],
    ['the composition root', 'enforce/x.ts', "import { a } from '../sixgate.js'"],
    ['a file outside of src', 'core/x.ts', "import { a } from '../../test/a.js'"],
    ['a package elsewhere', 'policy/x.ts', "import picomatch from 'picomatch'"],
    ['a part of a package elsewhere', 'trace/x.ts', "import { a } from '@noble/hashes/sha2.js'"],
    ['an unknown package', 'platform/x.ts', "import a from 'left-pad'"],
    ['a built-in module', 'pipeline/x.ts', "import { join } from 'node:path'"],
    ['a folder without a row', 'novelty/x.ts', "import { a } from '../core/a.js'"],
    ['a default export', 'core/x.ts', 'export default 1'],
    ['a default export by name', 'core/x.ts', 'const a = 1\nexport { a as default }'],
    ['a star export', 'core/x.ts', "export * from './a.js'"],
    ['a barrel', 'core/index.ts', 'export const a = 1'],
    ['a barrel by another name', 'core/all.ts', "export { a } from './a.js'"],
    ['a file of helpers', 'core/path-helpers.ts', 'export const a = 1'],
    ['a folder of utilities', 'core/utils/x.ts', 'export const a = 1'],
    ['a file that is too long', 'core/x.ts', 'export const a = 1\n'.repeat(301)],
  ])('%s', (_, file, text) => {
    const found = violations(plant({ [file]: text }), ARCHITECTURE)

    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(
      new RegExp(String.raw`^src/${file.replaceAll('.', String.raw`\.`)}.*: .{10,}`),
    )
  })

  it('a full folder', () => {
    const files = Array.from({ length: 16 }, (_, index) => [`core/f${index}.ts`, 'export let a: 1'])

    expect(violations(plant(Object.fromEntries(files)), ARCHITECTURE)).toEqual([
      'src/core has 16 files: past 15 a folder hides a second noun',
    ])
  })

  it('a cycle, types or not', () => {
    const found = violations(
      plant({
        'core/a.ts': "import type { B } from './b.js'",
        'core/b.ts': "import { c } from './c.js'",
        'core/c.ts': "import { a } from './a.js'",
      }),
      ARCHITECTURE,
    )

    expect(found).toHaveLength(1)
    expect(found[0]).toContain('core/a.ts -> core/b.ts -> core/c.ts -> core/a.ts')
  })

  it('a cycle of code inside the contract', () => {
    const found = violations(
      plant({
        'contract/a.ts': "import { B } from './b.js'",
        'contract/b.ts': "import type { A } from './a.js'\nimport { A as a } from './a.js'",
      }),
      ARCHITECTURE,
    )

    expect(found).toHaveLength(1)
  })
})

describe('what the architecture allows is not reported', () => {
  it.each([
    ['types of the contract', 'policy/x.ts', "import type { A } from '../contract/policy.js'"],
    ['a port type', 'enforce/x.ts', "import type { A } from '../platform/clock.js'"],
    ['a package in its file', 'policy/rules/paths.ts', "import picomatch from 'picomatch'"],
    ['anything in the composition root', 'sixgate.ts', "import { a } from './enforce/session.js'"],
    ['an entry file of names', 'tools/entry.ts', "export { a } from './builtin/a.js'"],
    ['a public entry point', 'cli/main.ts', "import { a } from '../index.js'"],
    ['comments and blank lines', 'core/x.ts', `${'// why\n\n'.repeat(400)}export const a = 1`],
    ['a unit test', 'core/x.test.ts', "import { a } from '../enforce/session.js'"],
  ])('%s', (_, file, text) => {
    expect(violations(plant({ [file]: text }), ARCHITECTURE)).toEqual([])
  })

  it('a cycle of types inside the contract', () => {
    const found = violations(
      plant({
        'contract/a.ts': "import type { B } from './b.js'",
        'contract/b.ts': "import type { A } from './a.js'",
      }),
      ARCHITECTURE,
    )

    expect(found).toEqual([])
  })
})

function realSources(): Sources {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.ts'))
  return new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
}

function plant(files: Readonly<Record<string, string>>): Sources {
  return new Map(Object.entries(files).map(([file, text]) => [`src/${file}`, text]))
}
