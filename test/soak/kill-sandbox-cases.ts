/** Hosts and sandboxes killed at random moments: no survivor, no ghost of a placeholder, no file of a user lost. */

import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSandbox } from '../../src/sandbox/entry.js'

/** What the judge is given. */
export interface KillSandbox {
  readonly cases: number
  readonly seed: number
  /** The program that is killed. */
  readonly child: string
}

/** How long the kernel and the watchdog may take. */
const SETTLED_MS = 150

/** Longer than placeholders stay after the last command. */
const CLEARED_MS = 1200

/** One line a failure; empty when everything held. */
export async function killSandbox({ cases, seed, child }: KillSandbox): Promise<readonly string[]> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'sixgate-kills-')))
  const workspace = join(base, 'ws')
  layWorkspace(workspace)
  const random = generator(seed)
  const failures: string[] = []
  try {
    for (let at = 0; at < cases; at += 1) {
      const mark = `9${process.hrtime.bigint() % 1_000_000_000n}.5`
      const found = await killOnce([child, workspace, mark], random)
      for (const one of found) failures.push(`kill ${at}: ${one}`)
      // Ghosts are looked for after the next start, which is the next case for all but some.
      if (at % 10 === 9 || at === cases - 1) {
        for (const one of await afterNextStart(workspace)) failures.push(`kill ${at}: ${one}`)
      }
    }
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
  return failures
}

async function killOnce(
  [child = '', ...args]: readonly string[],
  random: () => number,
): Promise<readonly string[]> {
  const [workspace = '', mark = ''] = args
  const host = spawn(process.execPath, [child, workspace, mark], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(host, 'close')
  const isEarly = random() < 0.2
  if (!isEarly) await Promise.race([once(host.stdout, 'data'), ended])
  await wait(random() * (isEarly ? 800 : 500))
  const kinds = ['host', 'launchers', 'both', 'launchers first'] as const
  await kill(kinds[Math.floor(random() * kinds.length)] ?? 'host', host, mark)
  host.kill('SIGKILL')
  await ended
  await wait(SETTLED_MS)
  const left = withMark(mark)
  for (const pid of left) endQuietly(pid)
  return left.map((pid) => `process ${pid} survived`)
}

async function kill(
  kind: 'host' | 'launchers' | 'both' | 'launchers first',
  host: ChildProcess,
  mark: string,
): Promise<void> {
  if (kind === 'host') return
  for (const pid of withMark(mark).filter((one) => one !== host.pid)) endQuietly(pid)
  if (kind === 'launchers first') await wait(20)
}

/** What a person finds once the workspace was used again and left alone. */
async function afterNextStart(workspace: string): Promise<readonly string[]> {
  const sandbox = await openSandbox({ workspace })
  const { stdout } = await sandbox.exec({ command: 'echo twin' })
  await wait(CLEARED_MS)
  const lost = Object.entries(MINE).filter(
    ([name, text]) =>
      !existsSync(join(workspace, name)) || readFileSync(join(workspace, name), 'utf8') !== text,
  )
  const ghosts = [
    ...readdirSync(workspace).filter((name) => !TOP.includes(name)),
    ...GIT_ABSENT.filter((name) => existsSync(join(workspace, '.git', name))),
  ]
  const status = execFileSync('git', ['-C', workspace, 'status', '--short', '-uno'], {
    encoding: 'utf8',
  })
  return [
    ...(stdout === 'twin\n' ? [] : ['the next command did not run']),
    ...lost.map(([name]) => `${name} of the user is lost or changed`),
    ...ghosts.map((name) => `the placeholder ${name} is left`),
    ...(existsSync(join(workspace, '.zed')) ? [] : ['an empty folder of the user is lost']),
    ...(status === '' ? [] : [`git sees ${status}`]),
  ]
}

const MINE: Readonly<Record<string, string>> = {
  '.envrc': 'mine',
  '.idea/a.xml': 'mine',
  'src/a.txt': 'mine',
}
const TOP = ['.git', '.envrc', '.idea', '.zed', 'src']
const GIT_ABSENT = ['commondir', 'gitdir', 'config.worktree', 'modules', 'worktrees', 'remotes']

function layWorkspace(workspace: string): void {
  mkdirSync(join(workspace, '.idea'), { recursive: true })
  mkdirSync(join(workspace, 'src'))
  mkdirSync(join(workspace, '.zed'))
  for (const [name, text] of Object.entries(MINE)) writeFileSync(join(workspace, name), text)
  const git = (...args: readonly string[]): Buffer =>
    execFileSync('git', ['-C', workspace, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args])
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'first')
}

/** Every process that belongs to one case: its host, launchers and sleepers. */
function withMark(mark: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(mark)
      } catch {
        return false
      }
    })
}

function endQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** A small deterministic generator of numbers in [0, 1): a failing seed can be tried again. */
function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
