/** Type-checks every `ts` snippet of the README and of docs against the source, as one program. */

import { posix, resolve } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { fences, pages, readPage, type Fence } from './markdown.js'

/** Where a sub-path's names are declared. */
const PATHS = {
  sixgate: ['./src/index.ts'],
  'sixgate/sandbox': ['./src/sandbox/entry.ts'],
  'sixgate/tools': ['./src/tools/entry.ts'],
  'sixgate/shell': ['./src/shell/entry.ts'],
  'sixgate/testing': ['./src/testing/entry.ts'],
  'sixgate/audit': ['./src/audit/entry.ts'],
}

/** Names for the same language under which a snippet would go unchecked. */
const ALIASES = /^(?:typescript|tsx|mts|cts|js|jsx|mjs|cjs|javascript)\b/i

const found = pages().flatMap((file) => fences(file, readPage(file)))
const snippets = found.filter(({ info }) => info === 'ts')

describe('snippets of the documentation', () => {
  it('are all checked: no other language name, no mark that exempts one', () => {
    expect(found.filter(evades).map(nameOf)).toEqual([])
  })

  it('type-check, each on its own', () => {
    expect(check(snippets)).toEqual([])
  })
})

describe('the check of snippets', () => {
  it('finds a snippet by its line', () => {
    const page = 'text\n\n```ts\nconst a = 1\n```\n'

    expect(fences('page.md', page)).toEqual([
      { file: 'page.md', line: 3, info: 'ts', code: 'const a = 1' },
    ])
  })

  it('reports a wrong type at its line of the page', () => {
    const wrong = { file: 'page.md', line: 3, info: 'ts', code: "\nexport const a: number = 'b'" }

    expect(check([wrong])).toEqual(["page.md:5 Type 'string' is not assignable to type 'number'."])
  })

  it('reports a name that the package does not export', () => {
    const wrong = {
      file: 'page.md',
      line: 1,
      info: 'ts',
      code: "import { noSuchName } from 'sixgate'\nnoSuchName()",
    }

    expect(check([wrong])).toHaveLength(1)
  })

  it.each(['ts no-check', 'typescript', 'js', 'mjs', 'ts title="x"'])('refuses `%s`', (info) => {
    expect(evades({ file: 'page.md', line: 1, info, code: '' })).toBe(true)
  })

  it.each(['ts', '', 'sh', 'json', 'jsonc', 'text', 'mermaid'])('lets `%s` be', (info) => {
    expect(evades({ file: 'page.md', line: 1, info, code: '' })).toBe(false)
  })
})

function evades({ info }: Fence): boolean {
  return info !== 'ts' && (/^ts\b/i.test(info) || ALIASES.test(info))
}

function nameOf({ file, line, info }: Fence): string {
  return `${file}:${line} \`${info}\``
}

/** One sentence an error, at the line of the page. Snippets exist in memory only. */
function check(given: readonly Fence[]): readonly string[] {
  const texts = new Map(
    given.map((snippet, index) => [posix.join(ROOT, `snippet-${index}.mts`), snippet]),
  )
  const host = ts.createCompilerHost(OPTIONS)
  const { fileExists, readFile } = host
  host.fileExists = (file) => texts.has(file) || fileExists(file)
  host.readFile = (file) => texts.get(file)?.code ?? readFile(file)
  host.getSourceFile = (file, options) => {
    const text = host.readFile(file)
    return text === undefined ? undefined : ts.createSourceFile(file, text, options, true)
  }
  const program = ts.createProgram([...texts.keys()], OPTIONS, host)
  return [...texts].flatMap(([file, snippet]) => {
    const source = program.getSourceFile(file)
    return ts.getPreEmitDiagnostics(program, source).map(({ start, messageText }) => {
      const line = source?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0
      const text = ts.flattenDiagnosticMessageText(messageText, ' ')
      return `${snippet.file}:${snippet.line + 1 + line} ${text}`
    })
  })
}

const ROOT = resolve('.').replaceAll('\\', '/')

const OPTIONS: ts.CompilerOptions = {
  ...ts.convertCompilerOptionsFromJson(
    (ts.readConfigFile('tsconfig.json', ts.sys.readFile).config as { compilerOptions: object })
      .compilerOptions,
    ROOT,
  ).options,
  // A reader's project need not spell out what ours does, and a snippet may show a name without using it.
  isolatedDeclarations: false,
  declaration: false,
  noUnusedLocals: false,
  noUnusedParameters: false,
  moduleDetection: ts.ModuleDetectionKind.Force,
  noEmit: true,
  baseUrl: ROOT,
  paths: PATHS,
}
