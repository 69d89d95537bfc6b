/** Whatever the real bash runs, the analysis has told, or it has refused the text. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { analyse } from '../../src/shell/analyse.js'
import { cases } from '../builders/cases.js'
import { shellPrograms } from '../builders/shell-programs.js'

const { numRuns: COUNT, seed: SEED } = cases(20_000)

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'shell-fuzz-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

it(
  `tells every program that bash would start, in ${COUNT} random programs`,
  () => {
    const missed: unknown[] = []
    let proved = 0
    let executed = 0

    for (const program of shellPrograms(SEED, COUNT)) {
      const { commands, refusals } = analyse(program)
      if (refusals.length > 0) continue
      proved += 1
      const names = new Set(commands.map(({ argv }) => argv[0]))
      const argvs = new Set(commands.map(({ argv }) => JSON.stringify(argv)))
      const ran = run(program)
      executed += ran.length
      const isFixed = !/[$`*?[{~]|[<>]\(/.test(program)
      for (const argv of ran) {
        if (!names.has(argv[0])) missed.push({ program, argv })
        else if (isFixed && !argvs.has(JSON.stringify(argv))) missed.push({ program, argv, argvs })
      }
    }

    process.stdout.write(`shell fuzz: ${proved} texts proved, ${executed} commands run\n`)
    expect(missed).toEqual([])
    expect(proved).toBeGreaterThan(COUNT / 10)
    expect(executed).toBeGreaterThan(proved / 4)
  },
  COUNT * 60,
)

let runsSoFar = 0

/** Every argv that bash looked for. Only refusal is silent: what is not proved is not run here. */
function run(program: string): readonly (readonly string[])[] {
  // A place of its own: what runs in the background may end after its shell.
  const place = join(folder, `${(runsSoFar += 1)}`)
  const cwd = join(place, 'here')
  mkdirSync(cwd, { recursive: true })
  // What a glob finds here would be run if one stood for a program.
  for (const name of ['g1', 'g2']) writeFileSync(join(cwd, name), '')
  const log = join(place, 'log')
  writeFileSync(log, '')
  // One write a command, and a line end would make it two: those of a pipeline write at the same time.
  const handler = `() { builtin printf -v told '%s\\1' "$@"; told="\${told//$'\\n'/$'\\3'}"; builtin printf '%s\\2' "$told" >>'${log}'; return 1; }`
  spawnSync('/usr/bin/bash', ['--norc', '--noprofile', '-c', program], {
    cwd,
    env: {
      PATH: '/nonexistent',
      LC_ALL: 'C.UTF-8',
      'BASH_FUNC_command_not_found_handle%%': handler,
    },
    input: '',
    timeout: 2_000,
  })
  return split(readFileSync(log, 'utf8'))
}

/** Words end in \u0001, commands in \u0002, \u0003 is a line end; no program holds them. What is cut off is left out. */
function split(output: string): readonly (readonly string[])[] {
  return output
    .split('\u0002')
    .slice(0, -1)
    .map((command) => command.replaceAll('\u0003', '\n').split('\u0001').slice(0, -1))
}
