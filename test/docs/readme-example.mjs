/** Runs the README's first two programs as they stand, in a workspace of their own, and holds the first to its output. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const PROGRAMS = /^```ts\n(?<code>[\s\S]*?)^```$/gm
const PRINTED = /^```text\n(?<text>[\s\S]*?)^```$/m

const readme = readFileSync('README.md', 'utf8')
const [start, example] = [...readme.matchAll(PROGRAMS)].map(({ groups }) => groups.code)
const printed = PRINTED.exec(readme)?.groups.text
if (start === undefined || example === undefined || printed === undefined) {
  console.error(
    'README.md lacks one of its first two ts examples, or the text that the first prints',
  )
  process.exit(1)
}

// Below the package's own folder the name `sixgate` leads to the built files, as it does for users.
mkdirSync('.cache', { recursive: true })
const programs = resolve(mkdtempSync('.cache/readme-'))
const home = mkdtempSync(join(tmpdir(), 'sixgate-readme-'))
const workspace = join(home, 'workspace')
mkdirSync(workspace)
writeFileSync(
  join(workspace, 'package.json'),
  JSON.stringify({ name: 'example', version: '1.0.0', scripts: { test: 'echo tests passed' } }),
)

const status = startStatus() || run('example.mjs', example).status
rmSync(programs, { recursive: true, force: true })
rmSync(home, { recursive: true, force: true })
process.exit(status)

/** 0 when the program denies with exactly the reason that the README shows. */
function startStatus() {
  const { status: ended, output } = run('first.mjs', start)
  if (ended !== 0 || output === printed) return ended
  console.error(`README.md shows another output of its first program:\n${printed}`)
  return 1
}

function run(name, code) {
  const program = join(programs, name)
  writeFileSync(program, code)
  const {
    status: ended,
    stdout,
    error,
  } = spawnSync(process.execPath, [program], {
    cwd: workspace,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    timeout: 120_000,
    env: { ...process.env, HOME: home, XDG_STATE_HOME: join(home, 'state') },
  })
  process.stdout.write(stdout ?? '')
  if (error !== undefined) console.error(String(error))
  return { status: ended ?? 1, output: stdout }
}
