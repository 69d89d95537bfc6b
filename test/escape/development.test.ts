/** An ordinary development session inside the sandbox: what protects must not be in the way. */

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SandboxHandle } from '../../src/contract/sandbox.js'
import { openSandbox } from '../../src/sandbox/entry.js'

const project = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-project-')))
const typescript = realpathSync('node_modules/typescript')
let sandbox: SandboxHandle
let committing: SandboxHandle
let reason: string | null = null

beforeAll(async () => {
  layProject()
  sandbox = await openSandbox({ workspace: project, profile: { readable: [typescript] } })
  committing = await openSandbox({ workspace: project, profile: { git: 'write' } })
  reason = sandbox.report.status === 'ready' ? null : (sandbox.report.cause ?? 'no sandbox')
  if (reason !== null) console.warn(`the development session is skipped: ${reason}`)
}, 60_000)
afterAll(() => rmSync(project, { recursive: true, force: true }))

const WORKS: readonly (readonly [string, string | RegExp])[] = [
  ['npm ci --offline --no-audit --no-fund', /added 1 package/],
  [
    `cd cached && npm ci --offline --cache ../.cache/npm --no-audit --no-fund && node -p "require('packed')"`,
    /added 1 package[\s\S]*\npacked\n$/,
  ],
  ['npm test 2>&1', /# pass 1\n/],
  ['npm run -s build', 'built\n'],
  ['npm install --offline --no-audit --no-fund ./other', /added 1 package/],
  [`node ${typescript}/bin/tsc -p . && node out/a.js`, '42\n'],
  ['git status --short -uno', ' M package-lock.json\n M package.json\n'],
  ['git diff -- package.json | grep -c "^[-+]{" && git diff --cached --quiet', '2\n'],
  ['git diff --stat -- package.json', /1 file changed/],
  ['git log --format=%s && git show HEAD:Makefile && git blame -s Makefile', /first/],
  ['make && cat made.txt', 'made\n'],
  ['make -j4 -s many | sort', '1\n2\n3\n'],
  [
    'sleep 0.2 & job=$!; jobs | grep -c Running; kill $job; wait $job; echo ended $?',
    /ended 143\n$/,
  ],
  ['set -o pipefail; false | cat; echo $?; set +o pipefail; yes | head -1', '1\ny\n'],
  ['coproc cat; echo hello >&${COPROC[1]}; read -r line <&${COPROC[0]}; echo $line', 'hello\n'],
  [
    `python3 - <<< 'import sqlite3; d = sqlite3.connect("d.db"); print(d.execute("select 1").fetchone()[0])'`,
    '1\n',
  ],
  ['flock lock -c "echo locked"', 'locked\n'],
  ['test -z "$(find . -newer package.json -name .vscode -type f)" && echo clean', 'clean\n'],
  ['python3 -c "print(6 * 7)" && python3 -m venv v && v/bin/python -c "print(3)"', '42\n3\n'],
  ['python3 -c "import multiprocessing as m; print(m.Pool(2).map(abs, [-1, -2]))"', '[1, 2]\n'],
  ['seq 9 | sort -r | head -2 | tac', '8\n9\n'],
  ['seq 3 | xargs -P2 -I{} echo {} | sort', '1\n2\n3\n'],
  ['(sleep 0.1; echo late) & echo early; wait', 'early\nlate\n'],
  ['cat <(echo substituted) - <<< here', 'substituted\nhere\n'],
  ['f=$(mktemp) && echo kept > $f && cat $f', 'kept\n'],
  ['mkfifo p && (echo through > p &) ; cat p && rm p', 'through\n'],
  ['cp -r src copy && mv copy moved && ln src/a.ts moved/b.ts && rm -r moved && echo ok', 'ok\n'],
  ['tar cf - src | tar tf - | head -1', 'src/\n'],
  ['timeout 0.1 sleep 5; echo $?', '124\n'],
  [`node -e "new (require('worker_threads').Worker)('console.log(1)', { eval: true })"`, '1\n'],
  [
    `node -e "require('child_process').fork('src/child.cjs').on('message', (m) => console.log(m))"`,
    'hi\n',
  ],
  [`node -e "fetch('data:,x').then(async (r) => console.log(await r.text()))"`, 'x\n'],
  ['find . -name "*.ts" -not -path "./node_modules/*" | wc -l', '1\n'],
  ['id -u; test -w . && test -r package.json && echo yes', /yes\n$/],
]

/** The same project under the Git write profile. */
const COMMITS: readonly (readonly [string, string | RegExp])[] = [
  ['git add -A src && git commit -q --allow-empty -m inside && git log -1 --format=%s', 'inside\n'],
  ['git switch -q -c side && git branch --show-current && git switch -q -', 'side\n'],
  [
    'echo "// more" >> src/a.ts && git stash -q && git stash pop -q && git checkout -q src/a.ts && echo back',
    'back\n',
  ],
  [
    'git tag inside && git tag -d inside > /dev/null && git gc -q && git fsck --no-dangling && echo sound',
    'sound\n',
  ],
]

/** Each is in docs/sandbox.md among what does not work. */
const DOES_NOT: readonly (readonly [string, RegExp])[] = [
  ['git add -A', /Read-only file system/],
  ['git init -q .', /(?:Read-only|denied)/],
  [`node -e "require('http').createServer().listen(0)"`, /EAFNOSUPPORT/],
  ['python3 -c "import multiprocessing as m; m.Manager()"', /not supported|not permitted/],
  ['echo x | tee /dev/stderr', /No such device/],
]

describe('a development session inside', () => {
  it.for(WORKS)('works: %s', async ([command, expected], context) => {
    if (reason !== null) return context.skip(reason)
    const run = await sandbox.exec({ command })

    expect(run.stderr.slice(0, 300)).not.toMatch(/denied|not permitted|Read-only/)
    expect(run.exitCode).toBe(0)
    if (typeof expected === 'string') expect(run.stdout).toBe(expected)
    else expect(run.stdout).toMatch(expected)
  })

  it.for(COMMITS)('works under the Git write profile: %s', async ([command, expected], context) => {
    if (reason !== null) return context.skip(reason)
    const run = await committing.exec({ command })

    expect(run.stderr).toBe('')
    expect(run.stdout).toBe(expected)
  })

  it.for(DOES_NOT)('does not work, and says why: %s', async ([command, why], context) => {
    if (reason !== null) return context.skip(reason)
    const run = await sandbox.exec({ command })

    expect(run.exitCode).not.toBe(0)
    expect(run.stderr).toMatch(why)
  })
})

function layProject(): void {
  const files: Readonly<Record<string, string>> = {
    'package.json': JSON.stringify({
      name: 'sample',
      version: '1.0.0',
      private: true,
      scripts: { test: 'node --test src/', build: 'echo built' },
      dependencies: { part: 'file:./part' },
    }),
    'part/package.json': JSON.stringify({ name: 'part', version: '1.0.0' }),
    'other/package.json': JSON.stringify({ name: 'other', version: '1.0.0' }),
    'src/a.ts': 'const answer: number = 42\nconsole.log(answer)\n',
    'src/a.test.mjs': "import { test } from 'node:test'\ntest('one', () => {})\n",
    'src/child.cjs': "process.send('hi', () => process.disconnect())\n",
    'tsconfig.json': JSON.stringify({
      compilerOptions: { outDir: 'out', rootDir: 'src', types: [], lib: ['es2022', 'dom'] },
      include: ['src/a.ts'],
    }),
    Makefile: 'all:\n\t@echo made > made.txt\nmany: 1 2 3\n1 2 3:\n\t@echo $@\n',
    'packed/package.json': JSON.stringify({ name: 'packed', version: '1.0.0', main: 'm.js' }),
    'packed/m.js': "module.exports = 'packed'\n",
    'cached/package.json': JSON.stringify({
      name: 'cached',
      version: '1.0.0',
      dependencies: { packed: '1.0.0' },
    }),
    '.gitignore': 'node_modules\n.cache\n*.tgz\n',
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(project, name, '..'), { recursive: true })
    writeFileSync(join(project, name), text)
  }
  fillCache()
  const npm = ['install', '--offline', '--package-lock-only', '--no-audit', '--no-fund']
  execFileSync('npm', npm, { cwd: project, stdio: 'ignore' })
  const git = (...args: readonly string[]): Buffer =>
    execFileSync('git', ['-C', project, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args])
  git('init', '-q')
  git('config', 'user.name', 'a')
  git('config', 'user.email', 'a@b.c')
  git('add', '-A')
  git('commit', '-qm', 'first')
}

/** A package that only the cache has, and a lock that asks a registry for it. */
function fillCache(): void {
  const npm = (...args: readonly string[]): string =>
    execFileSync('npm', [...args, '--cache', '.cache/npm'], { cwd: project, encoding: 'utf8' })
  const [packed] = JSON.parse(npm('pack', './packed', '--json')) as [{ readonly integrity: string }]
  npm('cache', 'add', './packed-1.0.0.tgz')
  const resolved = 'https://registry.npmjs.org/packed/-/packed-1.0.0.tgz'
  const { integrity } = packed
  const packages = {
    '': { name: 'cached', version: '1.0.0', dependencies: { packed: '1.0.0' } },
    'node_modules/packed': { version: '1.0.0', resolved, integrity },
  }
  const lock = { name: 'cached', version: '1.0.0', lockfileVersion: 3, requires: true, packages }
  writeFileSync(join(project, 'cached/package-lock.json'), JSON.stringify(lock))
}
