/** Control files, secrets and aliases inside the workspace (E-08 to E-31, E-83, H-27). */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { openSandbox } from '../../../src/sandbox/entry.js'
import { wait, type EscapeCase, type Ground } from '../ground.js'

/** Longer than placeholders stay after the last command. */
const CLEARED_MS = 1200

export const protectedNames: readonly EscapeCase[] = [
  {
    id: 'E-08',
    title: 'plants a hook',
    async run(ground) {
      const { sh, workspace } = repositories(ground)
      await sh('echo x > .git/hooks/post-checkout; echo twin > src/twin')
      assert.ok(!existsSync(join(workspace, '.git/hooks/post-checkout')))
      assert.equal(readFileSync(join(workspace, 'src/twin'), 'utf8'), 'twin\n')
    },
  },
  {
    id: 'E-09',
    title: 'names a program in the configuration of the repository',
    async run(ground) {
      const { sh, workspace } = repositories(ground)
      const before = readFileSync(join(workspace, '.git/config'))
      const run = await sh(
        "git config core.fsmonitor 'touch /tmp/p'; git rev-parse --is-inside-work-tree",
      )
      assert.deepEqual(readFileSync(join(workspace, '.git/config')), before)
      assert.equal(run.stdout, 'true\n')
    },
  },
  {
    id: 'E-10',
    title: 'moves the repository away and makes another',
    async run(ground) {
      const { sh, workspace } = repositories(ground)
      const before = lstatSync(join(workspace, '.git')).ino
      await sh('mv .git .git2 && mkdir -p .git/hooks && echo x > .git/hooks/pre-commit; mv src s2')
      assert.equal(lstatSync(join(workspace, '.git')).ino, before)
      assert.ok(!existsSync(join(workspace, '.git/hooks/pre-commit')))
      assert.ok(existsSync(join(workspace, 's2/a.txt')))
    },
  },
  {
    id: 'E-12',
    title: 'makes a worktree of its own',
    async run(ground) {
      const { sh, workspace } = repositories(ground)
      await sh('mkdir -p .git/worktrees/x .git/modules/y')
      assert.ok(!existsSync(join(workspace, '.git/worktrees')))
      assert.ok(!existsSync(join(workspace, '.git/modules')))
    },
  },
  {
    id: 'E-14',
    title: 'replaces a gitfile, or changes what it leads to',
    async run({ sh, workspace }) {
      execFileSync('git', ['init', '-q', join(workspace, 'elsewhere/main')])
      writeFileSync(join(workspace, '.git'), 'gitdir: elsewhere/main/.git\n')
      await sh(
        'rm .git; mkdir .git; echo x > .git/config; echo x > elsewhere/main/.git/hooks/pre-commit; mv elsewhere e2; echo twin > elsewhere/main/twin',
      )
      assert.equal(readFileSync(join(workspace, '.git'), 'utf8'), 'gitdir: elsewhere/main/.git\n')
      assert.ok(!existsSync(join(workspace, 'elsewhere/main/.git/hooks/pre-commit')))
      assert.ok(existsSync(join(workspace, 'elsewhere/main/twin')))
    },
  },
  {
    id: 'E-14-worktree',
    title: 'changes the common folder of a worktree',
    async run({ sh, workspace }) {
      const main = join(workspace, 'main')
      execFileSync('git', ['init', '-q', main])
      execFileSync('git', [...AUTHOR, '-C', main, 'commit', '-q', '--allow-empty', '-m', 'x'])
      execFileSync('git', ['-C', main, 'worktree', 'add', '-q', join(workspace, 'tree')])
      const run = await sh(
        'echo x > main/.git/hooks/pre-commit; echo x > main/.git/worktrees/tree/config.worktree; echo x > tree/.git; git -C tree status --short && echo twin',
      )
      assert.ok(!existsSync(join(main, '.git/hooks/pre-commit')))
      assert.ok(!existsSync(join(main, '.git/worktrees/tree/config.worktree')))
      assert.match(readFileSync(join(workspace, 'tree/.git'), 'utf8'), /^gitdir: /)
      assert.equal(run.stdout, 'twin\n')
    },
  },
  {
    id: 'E-15',
    title: 'plants a hook in a nested repository',
    async run(ground) {
      const { sh, workspace } = repositories(ground)
      await sh('echo x > sub/nested/.git/hooks/pre-commit; echo twin > sub/nested/twin')
      assert.ok(!existsSync(join(workspace, 'sub/nested/.git/hooks/pre-commit')))
      assert.ok(existsSync(join(workspace, 'sub/nested/twin')))
    },
  },
  {
    id: 'E-16',
    title: 'renames a folder above a nested repository and builds the way anew',
    async run(ground) {
      const { sh, workspace } = repositories(ground)
      await sh(
        'mv sub sub2 && mkdir -p sub/nested/.git/hooks && echo x > sub/nested/.git/hooks/pre-commit; mv sub/free sub/freed',
      )
      assert.ok(!existsSync(join(workspace, 'sub/nested/.git/hooks/pre-commit')))
      assert.ok(existsSync(join(workspace, 'sub/nested/.git/HEAD')))
      assert.ok(existsSync(join(workspace, 'sub/freed')))
    },
  },
  {
    id: 'E-17',
    title: 'renames a nested repository',
    async run(ground) {
      const { sh, workspace } = repositories(ground)
      await sh('mv sub/nested sub/n2; rm -rf sub/nested')
      assert.ok(existsSync(join(workspace, 'sub/nested/.git/HEAD')))
    },
  },
  {
    id: 'E-19',
    title: 'makes a protected folder that is absent',
    async run({ sh, workspace }) {
      const run = await sh(
        'for d in .vscode .claude .github/workflows .husky; do mkdir $d; echo x > $d/t; ls -A $d; done; mkdir -p vscode && echo twin > vscode/t && cat vscode/t',
      )
      assert.equal(run.stdout, 'twin\n')
      await wait(CLEARED_MS)
      for (const name of ['.vscode', '.claude', '.github', '.husky', '.git']) {
        assert.ok(!existsSync(join(workspace, name)), name)
      }
    },
  },
  {
    id: 'E-20',
    title: 'removes the placeholder of a protected folder and makes its own',
    async run({ sh, workspace }) {
      await sh(
        'chmod 777 .vscode; rmdir .vscode && mkdir .vscode; mv .vscode v2; mv .github g2 && mkdir -p .github/workflows; echo x > .github/workflows/ci.yml; echo x > .vscode/tasks.json',
      )
      await wait(CLEARED_MS)
      for (const name of ['.vscode', '.github', 'v2', 'g2']) {
        assert.ok(!existsSync(join(workspace, name)), name)
      }
    },
  },
  {
    id: 'E-21',
    title: 'moves a file to a protected name that is absent',
    async run({ sh, workspace }) {
      writeFileSync(join(workspace, 'package.json'), '{}')
      await sh(
        'for f in .mcp.json .envrc .bashrc Jenkinsfile .yarnrc.yml .pnpmfile.cjs .gitmodules policy.jsonc; do echo {} > t; mv -f t $f; echo x > $f; cp t $f; done; echo {} > t; mv -f t mcp.json',
      )
      assert.equal(readFileSync(join(workspace, 'mcp.json'), 'utf8'), '{}\n')
      await wait(CLEARED_MS)
      for (const name of [
        '.mcp.json',
        '.envrc',
        '.bashrc',
        'Jenkinsfile',
        '.yarnrc.yml',
        '.pnpmfile.cjs',
        'policy.jsonc',
      ]) {
        assert.ok(!existsSync(join(workspace, name)), name)
      }
    },
  },
  {
    id: 'E-22',
    title: 'puts a link at a protected name that is absent',
    async run({ sh, workspace }) {
      await sh(
        'ln -sfn /tmp/x .mcp.json; ln -sfn /tmp/x .vscode; ln -sfT /tmp .git; ln -s /tmp/x free',
      )
      assert.ok(lstatSync(join(workspace, 'free')).isSymbolicLink())
      await wait(CLEARED_MS)
      for (const name of ['.mcp.json', '.vscode', '.git']) {
        assert.equal(lstatSync(join(workspace, name), { throwIfNoEntry: false }), undefined)
      }
    },
  },
  {
    id: 'E-24',
    title: 'writes to a protected folder that is spelled in another case',
    async run({ sh, workspace }) {
      mkdirSync(join(workspace, '.VSCode'))
      mkdirSync(join(workspace, 'sub/.GIT/hooks'), { recursive: true })
      writeFileSync(join(workspace, '.ENV'), 'SECRET_CASE')
      const run = await sh(
        'echo x > .VSCode/tasks.json; echo x > sub/.GIT/hooks/x; cat .ENV; echo twin',
      )
      assert.equal(run.stdout, 'twin\n')
      assert.ok(!existsSync(join(workspace, '.VSCode/tasks.json')))
      assert.ok(!existsSync(join(workspace, 'sub/.GIT/hooks/x')))
    },
  },
  {
    id: 'E-25',
    title: 'reads the secrets of the workspace',
    async run(ground) {
      const { sh, workspace } = repositories(ground)
      for (const mode of ['read_only', 'workspace_write', 'open'] as const) {
        const inMode = await ground.under({ mode })
        const run = await inMode(
          'cat .env sub/.env sub/.env.local sub/deep/.npmrc; cat .env.example',
        )
        assert.equal(run.stdout, 'EXAMPLE', mode)
      }
      await sh('echo OVERWRITTEN > .env; echo x > sub/.env')
      assert.equal(readFileSync(join(workspace, '.env'), 'utf8'), 'SECRET_ENV')
      assert.equal(readFileSync(join(workspace, 'sub/.env'), 'utf8'), 'SECRET_SUB')
    },
  },
  {
    id: 'E-25-unseen',
    title: 'opens a folder that could be listed and not entered, or one whose name is no text',
    async run({ sh, workspace }) {
      const unnamed = Buffer.concat([Buffer.from(`${workspace}/`), Buffer.from('u\xff', 'latin1')])
      const read = async (): Promise<string> =>
        sh('chmod 700 closed; cat closed/inner/.env u*/.env; echo twin').then(
          ({ stdout }) => stdout,
          (error: unknown) => (error as { code: string }).code,
        )
      mkdirSync(join(workspace, 'closed/inner'), { recursive: true })
      writeFileSync(join(workspace, 'closed/inner/.env'), 'SECRET')
      chmodSync(join(workspace, 'closed'), 0o600)
      // Root looks through it; what it finds is covered.
      assert.equal(await read(), process.getuid?.() === 0 ? 'twin\n' : 'workspace_refused')
      chmodSync(join(workspace, 'closed'), 0o700)
      assert.equal(await read(), 'twin\n')
      mkdirSync(unnamed)
      writeFileSync(Buffer.concat([unnamed, Buffer.from('/.env')]), 'SECRET')
      assert.equal(await read(), 'workspace_refused')
    },
  },
  {
    id: 'E-26',
    title: 'gives a secret a second name, or moves it',
    async run(ground) {
      const { sh, workspace } = repositories(ground)
      const run = await sh(
        'ln .env leak; cat leak; mv .env e2; cat e2; rm -f .env; ln src/a.txt alias; cat alias',
      )
      assert.equal(run.stdout, 'text')
      assert.equal(readFileSync(join(workspace, '.env'), 'utf8'), 'SECRET_ENV')
    },
  },
  {
    id: 'E-28',
    title: 'copies a folder by links to get at its secret',
    async run(ground) {
      const { sh, workspace } = repositories(ground)
      const run = await sh(
        'cp -al sub sub3; cat sub3/.env sub3/.env.local; cp -a src src3; cat src3/a.txt; mv sub/deep d2; cat d2/.npmrc',
      )
      assert.equal(run.stdout, 'text')
      assert.equal(readFileSync(join(workspace, 'sub/deep/.npmrc'), 'utf8'), 'SECRET_NPM')
    },
  },
  {
    id: 'E-31',
    title: 'finds a link or a second name at a secret or protected path',
    async run({ sh, workspace, outside }) {
      const plants: readonly (() => string)[] = [
        () => link('.env', join(outside, 'file')),
        () => link('sub/.env.local', 'src/a.txt'),
        () => link('.git', outside),
        () => link('.vscode', outside),
        () => link('.github', outside),
        () => link('sub/.git', outside),
        () => second('.env'),
        () => second('.envrc'),
        () => second('.gitmodules'),
      ]
      function link(name: string, target: string): string {
        mkdirSync(join(workspace, 'sub'), { recursive: true })
        symlinkSync(target, join(workspace, name))
        return name
      }
      function second(name: string): string {
        linkSync(join(outside, 'file'), join(workspace, name))
        return name
      }
      for (const plant of plants) {
        const name = plant()
        await assert.rejects(sh('touch ran'), { code: 'workspace_refused' }, name)
        rmSync(join(workspace, name))
      }
      assert.ok(!existsSync(join(workspace, 'ran')))
      assert.equal((await sh('echo twin')).stdout, 'twin\n')
    },
  },
  {
    id: 'E-31-inside',
    title: 'changes a hook through a link or a second name of it',
    async run(ground) {
      const { sh, workspace } = repositories(ground)
      const hook = join(workspace, '.git/hooks/pre-commit')
      symlinkSync('../../src/a.txt', hook)
      await assert.rejects(sh('echo x > src/a.txt'), { code: 'workspace_refused' })
      rmSync(hook)
      linkSync(join(workspace, 'src/a.txt'), hook)
      await assert.rejects(sh('echo x > src/a.txt'), { code: 'workspace_refused' })
      rmSync(hook)
      assert.equal(readFileSync(join(workspace, 'src/a.txt'), 'utf8'), 'text')
      symlinkSync('/bin/true', hook)
      assert.equal((await sh('echo twin')).stdout, 'twin\n')
    },
  },
  {
    id: 'E-27',
    title: 'reads a store of credentials through a readable root or a variable that moved it',
    async run({ under, home, workspace }) {
      const moved = join(workspace, 'moved-kube')
      writeFileSync(moved, 'SECRET_KUBE')
      writeFileSync(join(home, 'plain'), 'twin')
      process.env['KUBECONFIG'] = moved
      try {
        const sh = await under({ readable: [home] })
        const run = await sh(`cat ${home}/.ssh/id_rsa moved-kube; cat ${home}/plain`)
        assert.equal(run.stdout, 'twin')
      } finally {
        delete process.env['KUBECONFIG']
      }
    },
  },
  {
    id: 'H-27',
    title: 'changes a package store outside through a file shared with it',
    async run({ sh, workspace, outside }) {
      mkdirSync(join(workspace, 'node_modules/a'), { recursive: true })
      mkdirSync(join(workspace, 'other/node_modules/b'), { recursive: true })
      writeFileSync(join(workspace, 'other/node_modules/b/i.js'), 'own')
      linkSync(
        join(workspace, 'other/node_modules/b/i.js'),
        join(workspace, 'other/node_modules/b/j.js'),
      )
      linkSync(join(outside, 'file'), join(workspace, 'node_modules/a/i.js'))
      await sh(
        'echo x > node_modules/a/i.js; echo x > other/node_modules/b/i.js; mv node_modules nm',
      )
      assert.equal(readFileSync(join(outside, 'file'), 'utf8'), 'untouched')
      assert.equal(readFileSync(join(workspace, 'other/node_modules/b/j.js'), 'utf8'), 'x\n')
    },
  },
  {
    id: 'E-83',
    title: 'writes through a link that leads to a new file outside',
    async run({ sh, workspace, outside }) {
      symlinkSync(join(outside, 'new'), join(workspace, 'dangling'))
      symlinkSync('src/new', join(workspace, 'inside'))
      await sh('echo x > dangling; echo twin > inside')
      assert.ok(!existsSync(join(outside, 'new')))
      assert.equal(readFileSync(join(workspace, 'src/new'), 'utf8'), 'twin\n')
    },
  },
  {
    id: 'E-84',
    title: 'follows forty-one links',
    async run({ sh, workspace }) {
      writeFileSync(join(workspace, 'a'), 'kept')
      for (let at = 0; at < 41; at++) {
        symlinkSync(at === 0 ? 'a' : `l${at - 1}`, join(workspace, `l${at}`))
      }
      const run = await sh('echo x > l40; cat l40; cat l5')
      assert.equal(run.stdout, 'kept')
      assert.equal(readFileSync(join(workspace, 'a'), 'utf8'), 'kept')
    },
  },
  {
    id: 'new-repository',
    title: 'makes a whole new repository with a hook, unseen',
    async run({ workspace }) {
      const handle = await openSandbox({ workspace })
      const run = await handle.exec({
        command:
          'git init -q made && echo x > made/.git/hooks/pre-commit; git init -q --bare bare.git',
      })
      const seen = (run as { newControlFiles?: readonly string[] }).newControlFiles ?? []
      assert.ok(seen.includes(join(workspace, 'made/.git/hooks/pre-commit')))
      assert.ok(seen.includes(join(workspace, 'made/.git/config')))
      assert.ok(seen.includes(join(workspace, 'bare.git/config')))
      const twin = await handle.exec({ command: 'echo x > made/.git/hooks/post-commit' })
      assert.deepEqual((twin as { newControlFiles?: readonly string[] }).newControlFiles, [])
      assert.ok(!existsSync(join(workspace, 'made/.git/hooks/post-commit')))
    },
  },
]

const AUTHOR = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'] as const

/** The ground of the table: a repository with a nested one and secrets at two depths. */
function repositories(ground: Ground): Ground {
  const { workspace } = ground
  for (const folder of ['.', 'sub/nested']) {
    execFileSync('git', ['init', '-q', join(workspace, folder)])
  }
  mkdirSync(join(workspace, 'sub/deep'))
  mkdirSync(join(workspace, 'sub/free'))
  writeFileSync(join(workspace, '.env'), 'SECRET_ENV')
  writeFileSync(join(workspace, '.env.example'), 'EXAMPLE')
  writeFileSync(join(workspace, 'sub/.env'), 'SECRET_SUB')
  writeFileSync(join(workspace, 'sub/.env.local'), 'SECRET_LOCAL')
  writeFileSync(join(workspace, 'sub/deep/.npmrc'), 'SECRET_NPM')
  return ground
}
