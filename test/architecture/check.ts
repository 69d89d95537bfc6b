/** Judges a set of sources by the architecture: one sentence a violation, with the rule's reason. */

import { posix } from 'node:path'
import { readSource, type Import, type SourceFacts } from './imports.js'
import { lies, type Architecture, type Sources } from './table.js'

type Parsed = ReadonlyMap<string, SourceFacts>

/** Every violation, sorted; empty when the sources keep the architecture. Tests among them are left out. */
export function violations(sources: Sources, architecture: Architecture): readonly string[] {
  const parsed = new Map<string, SourceFacts>()
  for (const [file, text] of sources) {
    if (!file.startsWith('src/') || !file.endsWith('.ts') || file.endsWith('.test.ts')) continue
    parsed.set(file.slice('src/'.length), readSource(file, text))
  }
  return [
    ...forbiddenImports(parsed, architecture),
    ...cycles(parsed, architecture),
    ...oversized(parsed, architecture),
    ...misshapen(parsed),
  ].sort()
}

function forbiddenImports(parsed: Parsed, architecture: Architecture): readonly string[] {
  return [...parsed].flatMap(([file, facts]) =>
    facts.imports.flatMap((found) => {
      const reason = found.specifier.startsWith('.')
        ? whyNotFile(file, found, architecture)
        : whyNotPackage(file, found.specifier, architecture)
      if (reason === null) return []
      const verb = found.typeOnly ? 'imports types of' : 'imports'
      return [`src/${file}:${found.line} ${verb} ${found.specifier}: ${reason}`]
    }),
  )
}

function whyNotFile(file: string, found: Import, architecture: Architecture): string | null {
  const target = targetOf(file, found.specifier)
  if (target.startsWith('../')) return 'nothing in src imports what lies outside of src'
  const from = folderOf(file)
  const to = folderOf(target)
  if (from === null || from === to) return null
  const open = architecture.openFolders[from]
  if (open !== undefined) {
    return open.except.some((place) => lies(target, place)) ? open.reason : null
  }
  const rule = architecture.folders[from]
  if (rule === undefined)
    return `the folder ${from} has no row in the table of architecture.test.ts`
  if (rule.imports.some((place) => lies(target, place))) return null
  if (found.typeOnly) {
    const opensNothing = rule.imports.length === 0 && (rule.types ?? []).length === 0
    const types = [...(rule.types ?? []), ...(opensNothing ? [] : architecture.openTypes)]
    if (types.some((place) => lies(target, place))) return null
  }
  return rule.reason
}

function whyNotPackage(file: string, specifier: string, architecture: Architecture): string | null {
  const from = folderOf(file)
  if (from === null || architecture.openFolders[from] !== undefined) return null
  const rules = architecture.packages.filter(({ name }) =>
    name.endsWith('*')
      ? specifier.startsWith(name.slice(0, -1))
      : specifier === name || specifier.startsWith(`${name}/`),
  )
  const [first] = rules
  if (first === undefined) return 'the package has no row in the table of architecture.test.ts'
  return rules.some(({ only }) => only.some((place) => lies(file, place))) ? null : first.reason
}

/** One sentence a knot of files that import each other, naming one way round. */
function cycles(parsed: Parsed, architecture: Architecture): readonly string[] {
  const edges = new Map<string, readonly string[]>()
  for (const [file, { imports }] of parsed) {
    const targets = imports
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map((found) => ({ target: targetOf(file, found.specifier), typeOnly: found.typeOnly }))
      .filter(({ target }) => parsed.has(target))
      .filter(
        ({ target, typeOnly }) =>
          !typeOnly ||
          !architecture.typeCycles.some((place) => lies(file, place) && lies(target, place)),
      )
    edges.set(file, [...new Set(targets.map(({ target }) => target))])
  }
  return waysRound(edges).map(
    (way) =>
      `src/${way[0] ?? ''} is part of a cycle (${[...way, way[0]].join(' -> ')}): ` +
      'a file must be readable without the files that import it',
  )
}

/** Depth first; each back edge closes one way round, and each file belongs to at most one report. */
function waysRound(edges: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const found: string[][] = []
  const done = new Set<string>()
  const reported = new Set<string>()
  const walk = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file)
    if (start !== -1) {
      const way = path.slice(start)
      if (way.some((member) => reported.has(member))) return
      for (const member of way) reported.add(member)
      found.push(way)
      return
    }
    if (done.has(file)) return
    for (const target of edges.get(file) ?? []) walk(target, [...path, file])
    done.add(file)
  }
  for (const file of [...edges.keys()].sort()) walk(file, [])
  return found
}

function oversized(parsed: Parsed, { limits }: Architecture): readonly string[] {
  const inFolder = new Map<string, number>()
  for (const file of parsed.keys()) {
    const folder = posix.dirname(file)
    inFolder.set(folder, (inFolder.get(folder) ?? 0) + 1)
  }
  const long = [...parsed]
    .filter(([, { codeLines }]) => codeLines > limits.codeLines)
    .map(
      ([file, { codeLines }]) =>
        `src/${file} has ${codeLines} code lines: past ${limits.codeLines} a file has more than one job`,
    )
  const full = [...inFolder]
    .filter(([, count]) => count > limits.filesInFolder)
    .map(
      ([folder, count]) =>
        `src/${folder} has ${count} files: past ${limits.filesInFolder} a folder hides a second noun`,
    )
  return [...long, ...full]
}

function misshapen(parsed: Parsed): readonly string[] {
  return [...parsed].flatMap(([file, facts]) => {
    const found: string[] = []
    if (VAGUE.test(file)) {
      found.push(`src/${file} is named after no noun: whoever wants helpers misses a word`)
    }
    if (facts.hasDefaultExport) {
      found.push(`src/${file} exports a default: an export has one name, everywhere`)
    }
    const isEntry = file === 'index.ts' || /^[^/]+\/entry\.ts$/.test(file)
    const isBarrel = posix.basename(file) === 'index.ts' || facts.onlyReExports
    if (facts.hasStarExport || (isBarrel && !isEntry)) {
      found.push(`src/${file} is a barrel: only entry files export, by name`)
    }
    return found
  })
}

const VAGUE = /(?:^|[/-])(?:utils?|utilities|helpers?)(?:[/.-]|$)/

function targetOf(file: string, specifier: string): string {
  return posix.join(posix.dirname(file), specifier).replace(/\.js$/, '.ts')
}

/** The first folder below src; `null` for the composition root. */
function folderOf(file: string): string | null {
  const slash = file.indexOf('/')
  return slash === -1 ? null : file.slice(0, slash)
}
