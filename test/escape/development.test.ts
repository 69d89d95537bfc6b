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
let reason: string | null = null

beforeAll(async () => {
  layProject()
  sandbox = await openSandbox({ workspace: project, profile: { readable: [typescript] } })
  reason = sandbox.report.status === 'ready' ? null : (sandbox.report.cause ?? 'no sandbox')
  if (reason !== null) console.warn(`the development session is skipped: ${reason}`)
}, 60_000)
afterAll(() => rmSync(project, { recursive: true, force: true }))

const WORKS: readonly (readonly [string, string | RegExp])[] = [
  ['npm ci --offline --no-audit --no-fund', /added 1 package/],
  ['npm test 2>&1', /# pass 1\n/],
  ['npm run -s build', 'built\n'],
  ['npm install --offline --no-audit --no-fund ./other', /added 1 package/],
  [`node ${typescript}/bin/tsc -p . && node out/a.js`, '42\n'],
  ['git status --short -uno', ' M package-lock.json\n M package.json\n'],
  ['git diff --stat -- package.json', /1 file changed/],
  ['git log --format=%s && git show HEAD:Makefile && git blame -s Makefile', /first/],
  ['make && cat made.txt', 'made\n'],
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
    Makefile: 'all:\n\t@echo made > made.txt\n',
    '.gitignore': 'node_modules\n',
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(project, name, '..'), { recursive: true })
    writeFileSync(join(project, name), text)
  }
  const npm = ['install', '--offline', '--package-lock-only', '--no-audit', '--no-fund']
  execFileSync('npm', npm, { cwd: project, stdio: 'ignore' })
  const git = (...args: readonly string[]): Buffer =>
    execFileSync('git', ['-C', project, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args])
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'first')
}
