import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { ConfinedCommand } from '../../contract/sandbox.js'
import { runConfined, type RunOptions } from './spawn.js'

const folder = mkdtempSync(join(tmpdir(), 'sixgate-spawn-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const LIMITS: RunOptions = { timeoutMs: 10_000, outputBytes: 4096, launcherStatus: 'none' }

function bash(text: string, pipes: ConfinedCommand['pipes'] = []): ConfinedCommand {
  return {
    file: '/bin/bash',
    args: ['-c', text],
    environment: { PATH: '/usr/bin:/bin' },
    cwd: folder,
    pipes,
  }
}

/** A launcher whose words on the status descriptor are `says`. */
function launcher(says: string, then = ''): ConfinedCommand {
  return bash(`printf '${says}' >&4; ${then}`, [
    { descriptor: 4, direction: 'read', purpose: 'status' },
  ])
}

const BUBBLEWRAP: RunOptions = { ...LIMITS, launcherStatus: 'bubblewrap_json' }

describe('bounds', () => {
  it('keeps exactly the limit over both streams and kills the command', async () => {
    const run = await runConfined(bash('yes AAAA & yes BBBB >&2; wait'), LIMITS)

    expect(run.stdout.length + run.stderr.length).toBe(4096)
    expect(run).toMatchObject({ truncated: true, killedBy: 'output_limit', exitCode: null })
  })

  it('calls output that just fits complete', async () => {
    const run = await runConfined(bash('head -c 4096 /dev/zero'), LIMITS)

    expect(run.stdout.length).toBe(4096)
    expect(run).toMatchObject({ truncated: false, exitCode: 0 })
  })

  it('loses no output while the host is busy', async () => {
    const busy = setInterval(() => {
      const until = performance.now() + 60
      while (performance.now() < until);
    }, 1)
    const commands = Array.from({ length: 60 }, (_, at) => bash(`sleep 0.${at % 10}; echo ${at}`))

    const runs = await Promise.all(commands.map((command) => runConfined(command, LIMITS)))
    clearInterval(busy)

    expect(runs.map(({ stdout }) => stdout)).toEqual(commands.map((_, at) => `${at}\n`))
  })

  it('leaves out a character that the cut split', async () => {
    const run = await runConfined(bash("printf 'aé'; sleep 5"), { ...LIMITS, outputBytes: 2 })

    expect(run.stdout).toBe('a')
    expect(run.truncated).toBe(true)
  })

  it('joins a character that arrived in two chunks', async () => {
    const run = await runConfined(bash("printf '\\xc3'; sleep 0.05; printf '\\xa9'"), LIMITS)

    expect(run.stdout).toBe('é')
  })

  it.each([0, -1, Number.NaN, Infinity, 1.5, 2 ** 31])(
    'refuses the time limit %s before anything starts',
    async (timeoutMs) => {
      const mark = join(folder, `mark-${timeoutMs}`)

      await expect(
        runConfined(bash(`touch ${mark}`), { ...LIMITS, timeoutMs }),
      ).rejects.toMatchObject({ name: 'SandboxError', code: 'invalid_limit' })
      expect(existsSync(mark)).toBe(false)
    },
  )

  it.each([0, Number.NaN, -5])('refuses the output limit %s', async (outputBytes) => {
    await expect(runConfined(bash('true'), { ...LIMITS, outputBytes })).rejects.toMatchObject({
      code: 'invalid_limit',
    })
  })
})

describe('end of a command', () => {
  it('kills the whole group on timeout', async () => {
    const file = join(folder, 'survivor')
    const run = await runConfined(bash(`(sleep 0.6; touch ${file}) & sleep 9`), {
      ...LIMITS,
      timeoutMs: 100,
    })
    await new Promise((resolve) => setTimeout(resolve, 800))

    expect(run).toMatchObject({ started: true, killedBy: 'timeout', exitCode: null })
    expect(existsSync(file)).toBe(false)
  })

  it('kills the command when the caller aborts', async () => {
    const abort = new AbortController()
    setTimeout(() => abort.abort(), 50)
    const run = await runConfined(bash('sleep 9'), { ...LIMITS, signal: abort.signal })

    expect(run).toMatchObject({ killedBy: 'abort', exitCode: null })
  })

  it('starts nothing when the caller aborted before', async () => {
    const mark = join(folder, 'aborted')
    const run = await runConfined(bash(`touch ${mark}`), {
      ...LIMITS,
      signal: AbortSignal.abort(),
    })

    expect(run).toMatchObject({ started: false, killedBy: 'abort' })
    expect(existsSync(mark)).toBe(false)
  })

  it('returns although a daemon holds the output open', async () => {
    const begun = performance.now()
    const run = await runConfined(bash('setsid sleep 3 & echo hi'), LIMITS)

    expect(run).toMatchObject({ stdout: 'hi\n', exitCode: 0 })
    expect(performance.now() - begun).toBeLessThan(1500)
  })

  it('gives exit code and output of a command that ended itself', async () => {
    const run = await runConfined(bash('echo out; echo err >&2; exit 37'), LIMITS)

    expect(run).toMatchObject({ started: true, exitCode: 37, stdout: 'out\n', stderr: 'err\n' })
    expect(run.killedBy).toBeUndefined()
  })
})

describe('standard input and descriptors', () => {
  it('closes standard input at once when none is given', async () => {
    const run = await runConfined(bash('cat; echo done'), LIMITS)

    expect(run.stdout).toBe('done\n')
  })

  it('hands over standard input and closes it', async () => {
    const run = await runConfined(bash('cat'), { ...LIMITS, stdin: 'given' })

    expect(run.stdout).toBe('given')
  })

  it('survives a command that does not read its input', async () => {
    const run = await runConfined(bash('true'), { ...LIMITS, stdin: 'x'.repeat(1_000_000) })

    expect(run.exitCode).toBe(0)
  })

  it('writes the bytes of a pipe to its descriptor', async () => {
    const run = await runConfined(
      bash('cat <&3', [
        { descriptor: 3, direction: 'write', bytes: new TextEncoder().encode('a\0b') },
      ]),
      LIMITS,
    )

    expect(run.stdout).toBe('a\0b')
  })

  it('has no terminal', async () => {
    const run = await runConfined(bash('echo pwn > /dev/tty'), LIMITS)

    expect(run.exitCode).not.toBe(0)
  })
})

describe('whether the command started', () => {
  it('believes the two lines of the status descriptor', async () => {
    const run = await runConfined(
      launcher('{ "child-pid": 7 }\\n{ "exit-code": 1 }\\n', 'exit 1'),
      BUBBLEWRAP,
    )

    expect(run).toMatchObject({ started: true, exitCode: 1 })
  })

  it('[E-81] tells a failed setup from a command that ended in 1', async () => {
    const run = await runConfined(launcher('{ "child-pid": 7 }\\n', 'exit 1'), BUBBLEWRAP)

    expect(run).toMatchObject({ started: false, exitCode: null })
  })

  it('[E-80] does not believe a launcher that says nothing and exits with 0', async () => {
    const run = await runConfined(launcher('', 'exit 0'), BUBBLEWRAP)

    expect(run).toMatchObject({ started: false, exitCode: null })
  })

  it('a launcher that only claims an end proves nothing', async () => {
    const run = await runConfined(launcher('{ "exit-code": 0 }\\n'), BUBBLEWRAP)

    expect(run.started).toBe(false)
  })

  it('is not fooled by noise on the status descriptor', async () => {
    const run = await runConfined(
      launcher('[]\\n{"child-pid":"7"}\\nnull\\n{"exit-code":0}\\n'),
      BUBBLEWRAP,
    )

    expect(run.started).toBe(false)
  })

  it.each([
    ['', 0, { started: false, exitCode: null }],
    ['{"child-pid":1}\\n', 3, { started: true, exitCode: 3 }],
    ['{"exit-code":0}\\n', 0, { started: false, exitCode: null }],
  ])('[E-81] believes a launcher that becomes the command: `%s`', async (says, code, expected) => {
    const command = launcher(says, `exit ${code}`)
    const run = await runConfined(command, { ...LIMITS, launcherStatus: 'exec_json' })

    expect(run).toMatchObject(expected)
  })

  it('says not started when a silent launcher runs into the time limit', async () => {
    const run = await runConfined(launcher('', 'sleep 9'), { ...BUBBLEWRAP, timeoutMs: 100 })

    expect(run).toMatchObject({ started: false, killedBy: 'timeout' })
  })

  it('rejects with a typed error when the program is missing', async () => {
    await expect(
      runConfined({ ...bash('true'), file: '/nonexistent/launcher' }, LIMITS),
    ).rejects.toMatchObject({ name: 'SandboxError', code: 'setup_failed' })
  })

  it('rejects with a typed error when an argument holds NUL', async () => {
    await expect(runConfined(bash('a\0b'), LIMITS)).rejects.toMatchObject({ code: 'setup_failed' })
  })
})

it('leaves no descriptor open behind', async () => {
  const count = (): number => {
    const descriptor = openSync('/dev/null', 'r')
    closeSync(descriptor)
    return descriptor
  }
  const before = count()
  for (let runs = 0; runs < 5; runs++) await runConfined(bash('echo x'), LIMITS)

  expect(count()).toBe(before)
})
