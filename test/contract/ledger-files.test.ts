/** What files add to the ledger contract (trace.md §4, H-20): crashes, other processes, bad disks. */

import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { RunId } from '../../src/core/ids.js'
import { ownIdentity } from '../../src/platform/process/process-identity.js'
import { jsonlStore } from '../../src/store/jsonl.js'
import type { Ledger, RunLog } from '../../src/trace/ledger.js'
import { killStore } from '../soak/kill-store-cases.js'
import { expectFault, ids, line, textOf } from './ledger.js'
import { bundleChild, startChild, type LedgerProcess } from './ledger-process.js'

let base: string
let folder: string
let ledger: Ledger
let child: string
const started: LedgerProcess[] = []

beforeAll(async () => {
  child = await bundleChild()
})
afterAll(() => rm(dirname(child), { recursive: true }))

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'sixgate-files-'))
  folder = join(base, 'ledger')
  ledger = await jsonlStore(folder).open('workspace')
})
afterEach(async () => {
  for (const one of started.splice(0)) one.process.kill('SIGKILL')
  await ledger.close()
  await rm(base, { recursive: true })
})

function fileOf(run: RunId, ending = 'jsonl'): string {
  return join(folder, 'runs', run.slice(0, 6), `${run}.${ending}`)
}

async function closedRun(lines: readonly string[]): Promise<RunId> {
  const run = ids.run()
  const log = await ledger.createRun(run)
  await log.append(lines.map(line), 'durable')
  await log.close()
  return run
}

async function openRun(lines: readonly string[]): Promise<readonly [RunId, RunLog]> {
  const run = await closedRun(lines)
  return [run, (await ledger.reopenRun(run)).log]
}

async function other(run: RunId, prefix: readonly string[] = []): Promise<LedgerProcess> {
  const process = await startChild(child, [folder, run], prefix)
  started.push(process)
  return process
}

/** The pid of a process that is no more. */
function deadPid(): number {
  return spawnSync(process.execPath, ['--version']).pid
}

function lockText(owner: object): string {
  return JSON.stringify({ ...ownIdentity(), ...owner })
}

describe('a torn last line', () => {
  it('[H-20] loses no accepted line at any cut, and is kept aside', async () => {
    const bytes = Buffer.from('{"n":1}\n{"n":2,"text":"é"}\n{"n":3}\n')

    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const run = await closedRun([])
      const left = bytes.subarray(0, cut)
      await writeFile(fileOf(run), left)
      const end = left.lastIndexOf(0x0a) + 1
      const tail = left.subarray(end)

      const { log, torn } = await ledger.reopenRun(run)
      await log.append([line('recovery')], 'durable')
      await log.close()

      const digest = createHash('sha256').update(tail).digest('hex')
      expect(torn).toEqual(tail.length === 0 ? null : { bytes: tail.length, digest })
      if (torn !== null) expect(await readFile(fileOf(run, 'torn.1'))).toEqual(tail)
      expect(await readFile(fileOf(run), 'utf8')).toBe(`${left.toString('utf8', 0, end)}recovery\n`)
    }
  })

  it('is not yielded by a reader', async () => {
    const run = await closedRun(['first'])
    appendFileSync(fileOf(run), '{"whole":"but not accepted"}')

    expect(await textOf(ledger, run)).toEqual(['first'])
  })

  it('is found over many chunks, and each one gets a file of its own', async () => {
    const run = await closedRun(['first'])

    for (const [n, text] of [
      [1, 'a'.repeat(200_000)],
      [2, 'b'],
    ] as const) {
      appendFileSync(fileOf(run), text)
      const { log, torn } = await ledger.reopenRun(run)
      await log.close()
      expect(torn?.bytes).toBe(text.length)
      expect(await readFile(fileOf(run, `torn.${n}`), 'utf8')).toBe(text)
    }

    expect(await textOf(ledger, run)).toEqual(['first'])
  })
})

describe('a writer that is killed', () => {
  it('loses no acknowledged record at ten random points', async () => {
    const seed = Date.now() % 2 ** 32

    const failures = await killStore({ cases: 10, seed, child })

    expect(failures, `seed ${seed}`).toEqual([])
  }, 30_000)

  it('[H-20] leaves a run that the next process takes over', async () => {
    const run = ids.run()
    const owner = await other(run)
    await owner.tell('create')
    await owner.tell('kept')

    owner.process.kill('SIGKILL')
    await new Promise((resolve) => owner.process.once('exit', resolve))
    const { log } = await ledger.reopenRun(run)
    await log.append([line('recovery')], 'durable')

    expect(await textOf(ledger, run)).toEqual(['kept', 'recovery'])
  })
})

describe('two processes', () => {
  it('[H-20] cannot own one run', async () => {
    const run = ids.run()
    const owner = await other(run)

    expect(await owner.tell('create')).toBe('ok')

    await expectFault(ledger.reopenRun(run), 'locked')
    await expectFault(ledger.createRun(run), 'run_exists')
    expect(await owner.tell('line')).toBe('ok')
    expect(await owner.tell('close')).toBe('ok')
    await ledger.reopenRun(run)
    expect(await owner.tell('reopen')).toBe('locked')
  })

  it('[H-20] an owner that was taken over writes nothing and frees nothing', async () => {
    const run = ids.run()
    const owner = await other(run)
    await owner.tell('create')
    await owner.tell('before')
    await writeFile(fileOf(run, 'lock'), lockText({ pid: deadPid() }))

    const { log } = await ledger.reopenRun(run)
    const late = await owner.tell('late')
    const later = await owner.tell('later')
    await owner.tell('close')
    await log.append([line('after')], 'durable')

    expect([late, later]).toEqual(['fenced', 'writer_poisoned'])
    expect(await textOf(ledger, run)).toEqual(['before', 'after'])
    await expectFault(ledger.reopenRun(run), 'locked')
  })

  it('[H-20] bytes from another hand end the writing', async () => {
    const [run, log] = await openRun(['first'])
    appendFileSync(fileOf(run), 'foreign\n')

    await expectFault(log.append([line('second')], 'durable'), 'fenced')
    await expectFault(log.append([line('third')], 'durable'), 'writer_poisoned')

    expect(await readFile(fileOf(run), 'utf8')).toBe('first\nforeign\n')
  })

  it('give a new ledger one id', async () => {
    const fresh = join(base, 'fresh')

    const opened = await Promise.all(
      Array.from({ length: 8 }, () => jsonlStore(fresh).open('workspace')),
    )

    expect(new Set(opened.map((one) => one.id)).size).toBe(1)
    expect(readdirSync(fresh).sort()).toEqual(['key', 'ledger.json'])
  })
})

describe('a lock', () => {
  it('[H-20] names pid, start and a random instance, and is gone after close', async () => {
    const [run, log] = await openRun([])

    const lock = JSON.parse(await readFile(fileOf(run, 'lock'), 'utf8')) as object
    await log.close()

    const { pid, started } = ownIdentity()
    expect(lock).toEqual({ pid, started, instance: expect.stringMatching(/^[0-9a-f]{32}$/) })
    expect(readdirSync(dirname(fileOf(run)))).not.toContain(`${run}.lock`)
  })

  const dead: readonly (readonly [string, () => string])[] = [
    ['whose process is gone', () => lockText({ pid: deadPid() })],
    ['whose pid belongs to a later process', () => lockText({ started: 'boot/1' })],
    ['that a power failure emptied', () => ''],
    ['that is not JSON', () => '{"pid":'],
    ['that names no process', () => lockText({ pid: 0 })],
    ['that names a group of processes', () => lockText({ pid: -1 })],
  ]
  it.each(dead)('[H-20] %s is taken over', async (_, text) => {
    const run = await closedRun(['first'])
    await writeFile(fileOf(run, 'lock'), text())

    const { log } = await ledger.reopenRun(run)
    await log.append([line('second')], 'durable')
    await log.close()

    expect(await textOf(ledger, run)).toEqual(['first', 'second'])
  })

  it('[H-20] of a dead owner goes to one of many heirs, however they meet', async () => {
    const pid = deadPid()
    for (let round = 0; round < 20; round += 1) {
      const run = await closedRun([])
      await writeFile(fileOf(run, 'lock'), lockText({ pid }))

      const heirs = await Promise.allSettled(Array.from({ length: 8 }, () => ledger.reopenRun(run)))

      const winners = heirs.flatMap((one) => (one.status === 'fulfilled' ? [one.value.log] : []))
      expect(winners).toHaveLength(1)
      await winners[0]?.append([line('mine')], 'durable')
    }
  })

  it('[H-20] is taken over when an earlier heir died while it took over', async () => {
    const run = await closedRun(['first'])
    const pid = deadPid()
    const [owner, heir] = ['a'.repeat(32), 'b'.repeat(32)]
    await writeFile(fileOf(run, 'lock'), lockText({ pid, instance: owner }))
    await writeFile(fileOf(run, `lock.${owner}`), lockText({ pid, instance: heir }))

    const { log } = await ledger.reopenRun(run)
    await log.close()

    const names = readdirSync(dirname(fileOf(run))).filter((name) => name.startsWith(run))
    expect(names).toEqual([`${run}.jsonl`])
  })

  it('[H-20] is not taken over while an heir takes over', async () => {
    const run = await closedRun([])
    const owner = 'a'.repeat(32)
    await writeFile(fileOf(run, 'lock'), lockText({ pid: deadPid(), instance: owner }))
    await writeFile(fileOf(run, `lock.${owner}`), lockText({}))

    await expectFault(ledger.reopenRun(run), 'locked')
  })
})

describe('what lies at a path', () => {
  it('is private to its owner', async () => {
    const [run] = await openRun(['first'])

    const mode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777
    expect(await mode(folder)).toBe(0o700)
    expect(await mode(dirname(fileOf(run)))).toBe(0o700)
    expect(await mode(fileOf(run))).toBe(0o600)
    expect(await mode(fileOf(run, 'lock'))).toBe(0o600)
    expect(await mode(join(folder, 'ledger.json'))).toBe(0o600)
  })

  it('is not followed when it is a link', async () => {
    const [real] = await openRun(['private'])
    const run = ids.run()
    symlinkSync(fileOf(real), fileOf(run))

    await expectFault(textOf(ledger, run), 'store_failed')
    await expectFault(ledger.reopenRun(run), 'store_failed')
    await expectFault(ledger.createRun(run), 'run_exists')
  })

  it('is refused without waiting when it is a pipe', async () => {
    const run = await closedRun([])
    await rm(fileOf(run))
    execFileSync('mkfifo', [fileOf(run)])

    await expectFault(textOf(ledger, run), 'store_failed')
    await expectFault(ledger.reopenRun(run), 'store_failed')
  })

  it('is not read past a line of 1 MiB', async () => {
    const run = await closedRun(['first'])
    appendFileSync(fileOf(run), Buffer.alloc(3 * 1024 * 1024, 'x'))

    await expectFault(textOf(ledger, run), 'malformed_record')
  })

  it('is not listed as a run under another name', async () => {
    const run = await closedRun([])
    const names = ['x.jsonl', `${run}.jsonl.bak`, `${ids.run().toLowerCase()}.jsonl`]
    for (const name of names) await writeFile(join(dirname(fileOf(run)), name), '')
    mkdirSync(join(folder, 'runs', 'ZZZZZZ'))
    await writeFile(join(folder, 'runs', 'ZZZZZZ', `${run}.jsonl`), '')

    expect(await ledger.runs()).toEqual([run])
  })

  const broken = [
    '',
    '{"id":',
    '[]',
    '{"id":"../x","version":1}',
    `{"id":"${ids.run()}","version":2}`,
  ]
  it.each(broken)('is no ledger when `ledger.json` holds %j', async (text) => {
    await writeFile(join(folder, 'ledger.json'), text)

    await expectFault(jsonlStore(folder).open('workspace'), 'malformed_record')
  })
})

describe('a folder', () => {
  it('is refused when others may write it', async () => {
    await chmod(folder, 0o777)

    await expectFault(jsonlStore(folder).open('workspace'), 'store_failed')
  })

  it('is refused when it belongs to somebody else', async () => {
    const isRoot = process.geteuid?.() === 0
    if (isRoot) await chown(folder, 65534, 65534)

    await expectFault(jsonlStore(isRoot ? folder : '/etc').open('workspace'), 'store_failed')
  })

  it('is refused when it is a file, or below one', async () => {
    const file = join(base, 'file')
    await writeFile(file, '')

    await expectFault(jsonlStore(file).open('workspace'), 'store_failed')
    await expectFault(jsonlStore(join(file, 'below')).open('workspace'), 'store_failed')
  })

  it('that cannot be written makes no run and leaves the others readable', async () => {
    const isRoot = process.geteuid?.() === 0
    const prefix = isRoot ? ['setpriv', '--reuid=65534', '--clear-groups', '--'] : []
    const run = await closedRun(['first'])
    const theirs = ids.run()
    if (isRoot) execFileSync('chown', ['-R', '65534', base])
    await chmod(dirname(fileOf(run)), 0o500)
    const owner = await other(theirs, prefix)

    const answer = await owner.tell('create')

    await chmod(dirname(fileOf(run)), 0o700)
    expect(answer).toBe('store_failed')
    expect(await ledger.runs()).toEqual([run])
    expect(await textOf(ledger, run)).toEqual(['first'])
    if (isRoot) await chown(base, 0, 0)
  })
})

describe('a disk without space', () => {
  it('takes back a short write and poisons the writer', async () => {
    const run = ids.run()
    const limit = ['bash', '-c', 'ulimit -f 150 && exec "$@"', 'limited']
    const owner = await other(run, limit)
    await owner.tell('create')

    const answers: string[] = []
    const text = 'x'.repeat(60_000)
    for (let n = 0; n < 4; n += 1) answers.push(await owner.tell(text))

    expect(answers).toEqual(['ok', 'ok', 'store_failed', 'writer_poisoned'])
    expect(await readFile(fileOf(run), 'utf8')).toBe(`${text}\n`.repeat(2))
  })

  it('keeps every accepted line, and room for the records that close the run', async (context) => {
    const mount = join(base, 'small')
    await mkdir(mount, { mode: 0o700 })
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k,mode=700', 'tmpfs', mount])
    if (mounted.status !== 0) {
      const reason = 'mounting a small disk needs root'
      console.log(`skipped: ${reason}`)
      context.skip(reason)
    }
    try {
      const small = await jsonlStore(mount).open('workspace')
      const run = ids.run()
      const accepted = await fill(await small.createRun(run))
      // Whatever closing freed is taken by somebody else.
      const rest = Buffer.alloc(256 * 1024)
      await expect(writeFile(join(mount, 'rest'), rest)).rejects.toMatchObject({ code: 'ENOSPC' })

      await expectFault(small.createRun(ids.run()), 'store_failed')
      const { log } = await small.reopenRun(run)
      await log.append([line('recovery')], 'durable')
      await log.append([line('run_end')], 'durable')
      await log.close()

      expect(accepted.length).toBeGreaterThan(10)
      expect(await textOf(small, run)).toEqual([...accepted, 'recovery', 'run_end'])
      expect(await small.runs()).toEqual([run])
      expect(readdirSync(join(mount, 'runs', run.slice(0, 6)))).toEqual([`${run}.jsonl`])
    } finally {
      execFileSync('umount', [mount])
    }
  })
})

/** Appends until the disk is full; gives the lines that were accepted. */
async function fill(log: RunLog): Promise<readonly string[]> {
  const accepted: string[] = []
  for (;;) {
    const text = `${accepted.length} ${'x'.repeat(3000)}`
    try {
      await log.append([line(text)], 'durable')
    } catch {
      await expectFault(log.append([line('late')], 'written'), 'writer_poisoned')
      await log.close()
      return accepted
    }
    accepted.push(text)
  }
}
