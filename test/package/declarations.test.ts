/** Compiles a small project against the built declarations: lib es2022, no Node types, nothing skipped. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { skipUnlessBuilt, specifiers } from './built.js'

const USES = [
  ...specifiers.map((specifier, index) => `import * as part${index} from '${specifier}'`),
  "import type { Session } from 'sixgate'",
  `export const parts: readonly object[] = [${specifiers.map((_, index) => `part${index}`).join(', ')}]`,
  'export async function use(open: () => Promise<Session>): Promise<string> {',
  '  await using session = await open()',
  '  return session.id',
  '}',
].join('\n')

describe('the built declarations', () => {
  beforeEach(skipUnlessBuilt)

  let folder: string

  beforeAll(() => {
    // Below the package's own folder the name `sixgate` leads through `exports`, as it does for users.
    mkdirSync('.cache', { recursive: true })
    folder = mkdtempSync('.cache/consumer-')
  })
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  it('each file opens with the library that it needs', () => {
    const files = readdirSync('dist').filter((file) => /\.d\.c?ts$/.test(file))

    const closed = files.filter((file) => {
      const [first] = readFileSync(join('dist', file), 'utf8').split('\n')
      return first !== '/// <reference lib="esnext.disposable" />'
    })

    expect(files.length).toBeGreaterThan(0)
    expect(closed).toEqual([])
  })

  it.each([
    ['an ES module', 'consumer.mts'],
    ['a CommonJS module', 'consumer.cts'],
  ])('compile in %s without Node types and without a DOM', (_, name) => {
    expect(compile(name, { lib: ['lib.es2022.d.ts'], types: [] })).toEqual([])
  })

  it('compile beside Node types', () => {
    expect(compile('node.mts', { lib: ['lib.es2022.d.ts'], types: ['node'] })).toEqual([])
  })

  it('compile beside a DOM', () => {
    const lib = ['lib.es2022.d.ts', 'lib.dom.d.ts']

    expect(compile('browser.mts', { lib, types: [] })).toEqual([])
  })

  function compile(name: string, surroundings: ts.CompilerOptions): readonly string[] {
    const file = join(folder, name)
    writeFileSync(file, USES)
    const program = ts.createProgram([file], {
      ...surroundings,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
    })
    return ts
      .getPreEmitDiagnostics(program)
      .map(
        ({ file: at, messageText }) =>
          `${at?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
      )
  }
})
