/** Patches against the tools that made them, and the reader of patches against whatever comes. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ToolError } from '../../src/core/errors.js'
import { applyHunks } from '../../src/tools/builtin/patch/apply.js'
import { parsePatch } from '../../src/tools/builtin/patch/parse.js'
import { cases } from '../builders/cases.js'
import { fuzz } from '../soak/fuzz.js'
import { mutate, randomOf, type Random } from '../soak/mutate.js'

const { seed: SEED } = cases(1)
const hasDiff = spawnSync('diff', ['--version']).status === 0
if (!hasDiff) console.log('skipped: `diff` makes the patches')

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'patch-fuzz-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const WORDS = [
  'a',
  'b',
  'c',
  '',
  '-- x',
  '++ y',
  '@@ -1 +1 @@',
  '\\ x',
  ' ',
  '*** End Patch',
] as const

function aText(random: Random): string {
  const lines = Array.from({ length: random.below(14) }, () => random.pick(WORDS))
  const end = random.below(4) === 0 ? '' : '\n'
  return lines.length === 0 ? '' : lines.join('\n') + end
}

it.runIf(hasDiff)('makes of a file what `diff -u` says, at the lines that it says', () => {
  const random = randomOf(SEED)
  let compared = 0
  for (let index = 0; index < 300; index += 1) {
    const [before, after] = [aText(random), aText(random)]
    const [old, next] = [join(folder, 'old'), join(folder, 'next')]
    writeFileSync(old, before)
    writeFileSync(next, after)
    const labels = ['--label', 'a/f', '--label', 'b/f']
    const { stdout, status } = spawnSync('diff', ['-u', ...labels, old, next], { encoding: 'utf8' })
    if (status !== 1) continue
    compared += 1

    const [change] = parsePatch(stdout)

    expect(change).toMatchObject({ kind: 'update', path: 'f', moveTo: null })
    const hunks = change?.kind === 'update' ? change.hunks : []
    expect(applyHunks(before, hunks)).toBe(after)
  }
  expect(compared).toBeGreaterThan(200)
})

const PATCHES = [
  'diff --git a/x b/x\nindex 1234..5678 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n',
  '--- /dev/null\n+++ b/n\n@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file\n',
  'diff --git a/o b/n\nsimilarity index 90%\nrename from o\nrename to n\n--- a/o\n+++ b/n\n@@ -1 +1 @@\n-a\n+b\n',
  '--- "a/\\303\\274"\t2024-01-01 00:00:00\n+++ "b/\\303\\274"\n@@ -3 +3,0 @@\n-a\n',
  '*** Begin Patch\n*** Update File: x\n@@ f\n a\n-b\n+c\n\n@@\n-d\n*** End of File\n*** End Patch\n',
  '*** Begin Patch\n*** Add File: n\n+a\n+b\n*** Delete File: o\n*** Update File: p\n*** Move to: q\n*** End Patch',
] as const
const TOKENS = [
  ...['--- ', '+++ ', '@@ -1 +1 @@', '@@', '\n', '\r\n', '\t', '"', '\\', '/dev/null', 'a/', 'b/'],
  ...['*** Begin Patch\n', '*** End Patch\n', '*** End of File\n', '*** Move to: y\n', '\\012'],
  ...['rename from ', 'new file mode 120000\n', '..', '\u202e', '\ud800', '@@ -0,999999999 +1 @@'],
] as const
const FILE = 'a\nb\nf\na\nb\nd\n'

it('reads or refuses 100,000 hostile patches, soon, and applies or refuses what it read', () => {
  const { failures, refused } = fuzz({
    cases: 100_000,
    seed: SEED,
    input: (random) => {
      const text = mutate(random.pick(PATCHES), random, TOKENS)
      return random.below(2000) === 0 ? text.repeat(1 + random.below(3000)) : text
    },
    read: (text) => {
      for (const change of parsePatch(text)) {
        if (change.kind === 'update') applyHunks(FILE, change.hunks)
      }
    },
    isRefusal: (error) => error instanceof ToolError,
  })

  expect(failures).toEqual([])
  expect(refused).toBeGreaterThan(10_000)
  expect(refused).toBeLessThan(99_000)
}, 120_000)

it.each<[string, string, string]>([
  ['blank lines', `*** Begin Patch\n*** Update File: x\n@@\n-a\n${'\n'.repeat(900_000)}`, 'a\n'],
  ['anchors', `*** Begin Patch\n*** Update File: x\n${'@@ a\n'.repeat(150_000)}-a\n`, 'a\n'],
  [
    'lines that repeat',
    `--- x\n+++ x\n@@ -9,200001 +9,200000 @@\n${' \n'.repeat(200_000)}-a\n`,
    '\n'.repeat(4_000_000),
  ],
  [
    'hunks over many lines',
    `--- x\n+++ x\n${'@@ -9 +9 @@\n-a\n+b\n'.repeat(2000)}`,
    '\n'.repeat(4_000_000),
  ],
])('%s do not make it slow', (_, text, file) => {
  const began = performance.now()
  try {
    for (const change of parsePatch(text)) {
      if (change.kind === 'update') applyHunks(file, change.hunks)
    }
  } catch (error) {
    expect(error).toBeInstanceOf(ToolError)
  }
  expect(performance.now() - began).toBeLessThan(3000)
})
