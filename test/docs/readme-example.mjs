/** Runs the README's first example as it stands, in an empty workspace of its own. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const FENCE = /^```ts\n(?<code>[\s\S]*?)^```$/m

const code = FENCE.exec(readFileSync('README.md', 'utf8'))?.groups?.code
if (code === undefined) {
  console.error('README.md has no ts example')
  process.exit(1)
}

// Below the package's own folder the name `sixgate` leads to the built files, as it does for users.
mkdirSync('.cache', { recursive: true })
const program = resolve(mkdtempSync('.cache/readme-'), 'example.mjs')
writeFileSync(program, code)

const home = mkdtempSync(join(tmpdir(), 'sixgate-readme-'))
const workspace = join(home, 'workspace')
mkdirSync(workspace)
writeFileSync(
  join(workspace, 'package.json'),
  JSON.stringify({ name: 'example', version: '1.0.0', scripts: { test: 'echo tests passed' } }),
)

const { status, error } = spawnSync(process.execPath, [program], {
  cwd: workspace,
  stdio: ['ignore', 'inherit', 'inherit'],
  timeout: 120_000,
  env: { ...process.env, HOME: home, XDG_STATE_HOME: join(home, 'state') },
})
rmSync(resolve(program, '..'), { recursive: true, force: true })
rmSync(home, { recursive: true, force: true })
if (error !== undefined) console.error(String(error))
process.exit(status ?? 1)
