/** The Git write profile: commits work, and nothing that git starts or trusts changes (sandbox.md §3). */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { ExecResult } from '../../../src/contract/sandbox.js'
import { openSandbox } from '../../../src/sandbox/entry.js'
import { wait, type EscapeCase } from '../ground.js'

/** Longer than placeholders stay after the last command. */
const CLEARED_MS = 1200

const WRITE = { git: 'write' } as const

export const gitWrite: readonly EscapeCase[] = [
  {
    id: 'git-write-works',
    title: 'commits, which only the Git write profile lets it do',
    async run({ workspace, sh, under }) {
      repository(workspace)
      const refused = await sh('git add -A && git commit -qm no')
      assert.notEqual(refused.exitCode, 0)
      assert.match(refused.stderr, /Read-only file system/)
      const write = await under(WRITE)
      const run = await write(
        [
          'git add -A && git commit -qm one && git tag t',
          'git checkout -q -b side && echo more >> src/a.txt && git commit -qam two',
          'echo again >> src/a.txt && git stash -q && git stash pop -q && git checkout -q -- .',
          'git checkout -q - && git merge -q side && git rebase -q side && git gc -q',
          'git fsck --no-dangling && git log --format=%s && git status --short',
        ].join(' && '),
      )
      assert.equal(run.stderr, '')
      assert.equal(run.stdout, 'two\none\nbase\n')
      assert.equal(git(workspace, 'log', '--format=%s'), 'two\none\nbase\n')
    },
  },
  {
    id: 'git-write-controls',
    title: 'changes a control file of a repository that it can write, existing or absent',
    async run({ workspace, under }) {
      repository(workspace)
      const before = readFileSync(join(workspace, '.git/config'))
      rmSync(join(workspace, '.git/info'), { recursive: true })
      const write = await under(WRITE)
      const run = await write(
        `for name in ${CONTROLS.join(' ')}; do
          echo evil > .git/$name; echo evil > .git/t; mv -f .git/t .git/$name; rm -rf .git/$name
          ln -sfn /tmp .git/$name; mkdir -p .git/$name/x; echo evil > .git/$name/x/y
          mv .git/$name .git/moved-away
        done 2> /dev/null
        mv .git .git2; mv .git/info .git/info2; rm -rf .git/hooks
        git config core.fsmonitor evil; git config --worktree a.b c; git worktree add ../wt
        echo twin > new && git add new && git commit -qm twin && git log -1 --format=%s`,
      )
      assert.equal(run.stdout.split('\n').at(-2), 'twin')
      assert.deepEqual(readFileSync(join(workspace, '.git/config')), before)
      await wait(CLEARED_MS)
      for (const name of CONTROLS.filter((one) => one !== 'config')) {
        const path = join(workspace, '.git', name)
        const found = lstatSync(path, { throwIfNoEntry: false })
        assert.ok(found === undefined || name === 'hooks', `${name} is left`)
      }
      assert.deepEqual(
        readdirSync(join(workspace, '.git/hooks')).filter((name) => !name.endsWith('.sample')),
        [],
      )
      assert.equal(git(workspace, 'status', '--short', '-uno'), '')
    },
  },
  {
    id: 'git-write-host',
    title: 'keeps the git of a person from working while it holds the repository',
    async run({ workspace, under }) {
      repository(workspace)
      const write = await under(WRITE)
      const held = write('sleep 0.8; git rev-parse HEAD')
      await wait(400)
      assert.ok(existsSync(join(workspace, '.git/commondir')), 'a stand-in is there')
      assert.equal(git(workspace, 'log', '--format=%s'), 'base\n')
      git(workspace, 'commit', '-q', '--allow-empty', '-m', 'outside')
      assert.match((await held).stdout, /^[0-9a-f]{40}\n$/)
      await wait(CLEARED_MS)
      assert.ok(!existsSync(join(workspace, '.git/commondir')))
      assert.equal(git(workspace, 'log', '--format=%s'), 'outside\nbase\n')
    },
  },
  {
    id: 'git-write-nested',
    title: 'writes to a repository below that of the workspace',
    async run({ workspace, under }) {
      repository(workspace)
      mkdirSync(join(workspace, 'sub'), { recursive: true })
      repository(join(workspace, 'sub'))
      const write = await under(WRITE)
      const run = await write(
        'echo x > sub/.git/hooks/pre-commit; echo x > sub/.git/x; git -C sub add -A; git add src && echo twin',
      )
      assert.equal(run.stdout, 'twin\n')
      assert.ok(!existsSync(join(workspace, 'sub/.git/x')))
      assert.ok(!existsSync(join(workspace, 'sub/.git/hooks/pre-commit')))
    },
  },
  {
    id: 'git-write-worktree',
    title:
      'reaches from a worktree into the control files of its repository or of another worktree',
    async run({ workspace, outside }) {
      const main = join(outside, 'main')
      mkdirSync(main)
      repository(main)
      const tree = join(outside, 'tree')
      git(main, 'worktree', 'add', '-q', tree)
      git(main, 'worktree', 'add', '-q', join(outside, 'other'))
      const folder = join(main, '.git')
      const handle = await openSandbox({
        workspace: tree,
        profile: { ...WRITE, writable: [folder] },
      })
      const run = await handle.exec({
        command: `
          for name in hooks/pre-commit config config.worktree modules/x commondir \
            worktrees/other/commondir worktrees/other/HEAD worktrees/other/gitdir \
            worktrees/tree/commondir worktrees/tree/gitdir worktrees/tree/config.worktree; do
            echo evil > ${folder}/$name; echo evil > ${folder}/t; mv -f ${folder}/t ${folder}/$name
          done 2> /dev/null
          rm -f .git; echo evil > .git
          echo x > new; git add new && git commit -qm inside && git log -1 --format=%s`,
      })
      assert.equal(run.stdout, 'inside\n')
      await wait(CLEARED_MS)
      for (const name of ['config.worktree', 'modules', 'commondir', 'hooks/pre-commit']) {
        assert.ok(!existsSync(join(folder, name)), name)
      }
      assert.ok(!existsSync(join(folder, 'worktrees/tree/config.worktree')))
      for (const name of ['config', 'worktrees/other/HEAD', 'worktrees/tree/commondir']) {
        assert.ok(!readFileSync(join(folder, name), 'utf8').includes('evil'), name)
      }
      assert.equal(git(tree, 'log', '-1', '--format=%s'), 'inside\n')
      assert.ok(!existsSync(join(workspace, '.git')))
    },
  },
  {
    id: 'git-write-shared',
    title: 'changes another repository through objects that both share',
    async run({ workspace, outside, under }) {
      const source = join(outside, 'source')
      mkdirSync(source)
      repository(source)
      execFileSync('git', ['clone', '-q', '--local', source, join(workspace, 'clone')])
      const handle = await openSandbox({ workspace: join(workspace, 'clone'), profile: WRITE })
      const run = await handle.exec({ command: 'echo x > .git/objects/x; git add -A; echo twin' })
      assert.equal(run.stdout, 'twin\n')
      assert.ok(!existsSync(join(workspace, 'clone/.git/objects/x')))
      const { readOnlyStores } = run as { readonly readOnlyStores?: readonly string[] }
      assert.deepEqual(readOnlyStores, [join(workspace, 'clone/.git')])
      execFileSync('git', ['clone', '-q', '--no-hardlinks', source, join(workspace, 'copy')])
      const copy = await openSandbox({ workspace: join(workspace, 'copy'), profile: WRITE })
      const twin = await copy.exec({ command: 'echo x > new && git add new && echo twin' })
      assert.equal(twin.stdout, 'twin\n')
      await under(WRITE)
    },
  },
  {
    id: 'git-write-rebase',
    title: 'adds a command to the rebase that a person stopped in',
    async run({ workspace, under }) {
      repository(workspace)
      stopInRebase(workspace)
      const steps = join(workspace, '.git/rebase-merge/git-rebase-todo')
      const before = readFileSync(steps, 'utf8')
      const write = await under(WRITE)
      const run = await write(
        `echo 'exec touch ran' >> .git/rebase-merge/git-rebase-todo
        echo 'exec touch ran' > .git/t; mv -f .git/t .git/rebase-merge/git-rebase-todo
        mv .git/rebase-merge .git/r2; rm -rf .git/rebase-merge
        git add -A && git commit -qm solved && git log -1 --format=%s`,
      )
      assert.equal(run.stdout, 'solved\n')
      assert.equal(readFileSync(steps, 'utf8'), before)
      git(workspace, '-c', 'core.editor=true', 'rebase', '--continue')
      assert.ok(!existsSync(join(workspace, 'ran')))
      assert.ok(!existsSync(join(workspace, '.git/rebase-merge')))
    },
  },
  {
    id: 'git-write-rebase-left',
    title: 'leaves a rebase for a person to continue, and nothing says so',
    async run({ workspace, under }) {
      repository(workspace)
      const write = await under(WRITE)
      const twin = await write(
        `git checkout -q -b side; echo x > new; git add new; git commit -qm new
        git rebase -q HEAD~1 && git log -1 --format=%s`,
      )
      assert.equal(twin.stdout, 'new\n')
      assert.deepEqual(left(twin), [])
      const run = await write(
        'GIT_SEQUENCE_EDITOR="sed -i 1ibreak" git rebase -qi HEAD~1; echo "exec touch ran" >> .git/rebase-merge/git-rebase-todo',
      )
      assert.deepEqual(left(run), [join(workspace, '.git/rebase-merge')])
      const later = await write('rm -rf .git/rebase-merge; git tag t && echo twin')
      assert.equal(later.stdout, 'twin\n')
      assert.ok(existsSync(join(workspace, '.git/rebase-merge/git-rebase-todo')))
      assert.deepEqual(left(later), [])
    },
  },
  {
    id: 'git-bare',
    title: 'changes a repository without a working tree',
    async run({ workspace, sh, under }) {
      const bare = join(workspace, 'mirrors/project.git')
      execFileSync('git', ['init', '-q', '--bare', bare])
      const before = readFileSync(join(bare, 'config'))
      const attack = `
        cd mirrors/project.git
        echo x > hooks/post-receive; echo '[core] fsmonitor = evil' >> config; echo x > config.worktree
        echo /tmp > commondir; git config core.pager evil; rm -rf hooks; mv config c2
        cd .. && mv project.git p2; cd .. && mv mirrors m2 && mkdir -p mirrors/project.git/hooks
        echo twin > mirrors/twin; git -C mirrors/project.git rev-parse --is-bare-repository`
      for (const run of [await sh(attack), await (await under(WRITE))(attack)]) {
        assert.equal(run.stdout, 'true\n')
        assert.deepEqual(readFileSync(join(bare, 'config')), before)
        for (const name of ['hooks/post-receive', 'config.worktree', 'commondir', 'c2']) {
          assert.ok(!existsSync(join(bare, name)), name)
        }
        assert.ok(existsSync(join(workspace, 'mirrors/twin')))
      }
    },
  },
  {
    id: 'git-bare-root',
    title: 'plants a hook in a repository that is the workspace itself',
    async run({ workspace, under }) {
      execFileSync('git', ['init', '-q', '--bare', workspace])
      const before = readFileSync(join(workspace, 'config'))
      const run = await (
        await under({})
      )(
        `for name in hooks/pre-push hooks/post-receive config config.worktree commondir modules/x info/attributes; do
          echo evil > $name; echo evil > t; mv -f t $name; rm -f $name
        done 2> /dev/null
        mv hooks h2; rm -f t
        git rev-parse --is-bare-repository; echo x | git hash-object -w --stdin`,
      )
      assert.equal(run.stdout, 'true\n587be6b4c3f93f93c489c0111bba5596147a26cb\n')
      await wait(CLEARED_MS)
      assert.deepEqual(readFileSync(join(workspace, 'config')), before)
      for (const name of ['hooks/pre-push', 'hooks/post-receive', 'config.worktree', 'commondir']) {
        assert.ok(!existsSync(join(workspace, name)), name)
      }
      assert.ok(!existsSync(join(workspace, 'modules')))
    },
  },
  {
    id: 'git-bare-new',
    title: 'makes a repository without a working tree, and nothing says so',
    async run({ workspace, sh }) {
      const whole = await sh(
        'git init -q --bare mirror.git && echo x > mirror.git/hooks/post-update',
      )
      assert.ok(left(whole).includes(join(workspace, 'mirror.git/hooks/post-update')))
      const split = await sh(
        `mkdir -p a b/objects b/refs b/hooks && echo ../b > a/commondir && cp mirror.git/HEAD a/HEAD
        cp mirror.git/config b/config && cd a && git rev-parse --git-dir`,
      )
      assert.equal(split.stdout, '.\n')
      assert.deepEqual(left(split), [join(workspace, 'a/HEAD'), join(workspace, 'a/commondir')])
      const later = await sh('echo x > a/config; echo x > b/hooks/post-update; echo twin')
      assert.equal(later.stdout, 'twin\n')
      assert.ok(!existsSync(join(workspace, 'a/config')))
      assert.ok(!existsSync(join(workspace, 'b/hooks/post-update')))
    },
  },
  {
    id: 'git-write-alias',
    title: 'finds a link or a second name at a control file of a repository that it can write',
    async run({ workspace, under }) {
      repository(workspace)
      const write = await under(WRITE)
      const hook = join(workspace, '.git/hooks/pre-commit')
      const plants: readonly (readonly [string, () => void])[] = [
        [hook, () => symlinkSync('../../src/a.txt', hook)],
        [hook, () => linkSync(join(workspace, 'src/a.txt'), hook)],
        [gitPath('config.worktree'), () => symlinkSync('x', gitPath('config.worktree'))],
        [gitPath('info'), () => symlinkSync('../src', gitPath('info'))],
      ]
      function gitPath(name: string): string {
        return join(workspace, '.git', name)
      }
      rmSync(gitPath('info'), { recursive: true })
      for (const [path, plant] of plants) {
        plant()
        await assert.rejects(write('touch ran'), { code: 'workspace_refused' }, path)
        rmSync(path)
      }
      symlinkSync('/bin/true', hook)
      assert.equal((await write('echo twin')).stdout, 'twin\n')
      assert.ok(!existsSync(join(workspace, 'ran')))
    },
  },
]

/** Everything that the profile keeps, as names below `.git`. */
const CONTROLS = [
  ...['hooks', 'modules', 'remotes', 'branches', 'worktrees'],
  ...['config', 'config.worktree', 'commondir', 'gitdir', 'info/attributes'],
] as const

/** A repository with one commit and an author of its own. */
function repository(folder: string): void {
  execFileSync('git', ['init', '-q', folder])
  // Some systems make this folder, some do not.
  rmSync(join(folder, '.git/branches'), { recursive: true, force: true })
  git(folder, 'config', 'user.name', 'a')
  git(folder, 'config', 'user.email', 'a@example.com')
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'base')
  chmodSync(join(folder, '.git'), 0o755)
}

/** Two branches that changed the same line, and the rebase of one stopped there. */
function stopInRebase(folder: string): void {
  const file = join(folder, 'line')
  const commit = (text: string): void => {
    writeFileSync(file, text)
    git(folder, 'add', 'line')
    git(folder, 'commit', '-q', '-m', text)
  }
  git(folder, 'checkout', '-q', '-b', 'side')
  commit('one')
  git(folder, 'checkout', '-q', '-b', 'other', 'HEAD~1')
  commit('two')
  assert.throws(() => execFileSync('git', ['-C', folder, 'rebase', 'side'], { stdio: 'ignore' }))
}

/** What the run says appeared; the handle's type keeps it to itself. */
function left(run: ExecResult): readonly string[] {
  return (run as { readonly newControlFiles?: readonly string[] }).newControlFiles ?? []
}

function git(folder: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' })
}
