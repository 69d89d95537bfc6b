/** Host and broker in real processes: the broker's C# under Mono, a shell in the container's place. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SandboxError } from '../../src/core/errors.js'
import type { Confinement } from '../../src/platform/process/pipes.js'
import { runConfined, type ConfinedRun, type RunOptions } from '../../src/platform/process/spawn.js'
import { commandLine } from '../../src/sandbox/appcontainer/command-line.js'
import { encodeInput, listenToBroker } from '../../src/sandbox/appcontainer/conversation.js'
import { encodeFrame } from '../../src/sandbox/appcontainer/frames.js'
import { encodeFields, type Field } from '../../src/sandbox/appcontainer/request.js'
import { compileTrials, MONO_MISSING, type Trials } from './csharp.js'

const OPTIONS: RunOptions = {
  timeoutMs: 20_000,
  outputBytes: 1_048_576,
  launcherStatus: 'dialogue',
}

function confinement(
  file: string,
  args: readonly string[],
  fields: readonly Field[],
  tests = false,
): Confinement {
  return {
    file,
    args,
    environment: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    pipes: [],
    dialogue: {
      opening: encodeFrame('Q', encodeFields(fields)),
      input: encodeInput,
      listen: (hear) => listenToBroker({ compiles: false, tests }, hear),
    },
  }
}

describe('a command by way of a broker', () => {
  let trials: Trials | undefined
  beforeAll(() => {
    if (MONO_MISSING === null) trials = compileTrials()
  }, 60_000)
  beforeEach((context) => context.skip(MONO_MISSING !== null, MONO_MISSING ?? ''))
  afterAll(() => trials?.remove())

  const run = (
    text: string,
    options: Partial<RunOptions> = {},
    more: { readonly program?: string; readonly selfTest?: string } = {},
  ): Promise<ConfinedRun> => {
    const tests = more.selfTest !== undefined
    const fields: readonly Field[] = [
      ['program', more.program ?? 'sh.exe'],
      ['command_line', commandLine(['sh.exe', '-c', text])],
      ['folder', 'C:\\ws'],
      ['search_path', ''],
      ['write', 'C:\\ws'],
      ['environment', 'GIVEN=twin=x'],
      ['self_tested', tests ? 'no' : 'yes'],
    ]
    const args = [trials!.program, 'serve', trials!.folder(), more.selfTest ?? '']
    const command = confinement('/usr/bin/mono', args, fields, tests)
    return runConfined(command, { ...OPTIONS, ...options })
  }

  it('gives output, errors and the exit code', async () => {
    expect(await run('echo out "$GIVEN"; echo "a \\"b\\"" >&2; exit 3')).toMatchObject({
      started: true,
      exitCode: 3,
      stdout: 'out twin=x\n',
      stderr: 'a "b"\n',
      truncated: false,
    })
  })

  it('gives the command its input and the end of it', async () => {
    const stdin = 'x'.repeat(200_000)

    expect(await run('wc -c', { stdin })).toMatchObject({ exitCode: 0, stdout: '200000\n' })
    expect(await run('cat; echo over')).toMatchObject({ exitCode: 0, stdout: 'over\n' })
  })

  it('carries bytes as they are and cuts at the exact limit', async () => {
    const many = await run('head -c 3000000 /dev/zero | tr "\\0" a', { outputBytes: 1000 })

    expect(many).toMatchObject({ started: true, truncated: true, killedBy: 'output_limit' })
    expect(many.stdout).toBe('a'.repeat(1000))
  })

  it('ends with what it started when the host says so', async () => {
    const mark = join(trials!.folder(), 'pid')
    const abort = new AbortController()
    const poll = setInterval(() => {
      if (existsSync(mark)) abort.abort()
    }, 20)
    const text = `sleep 60 & echo $! > ${mark}.new; mv ${mark}.new ${mark}; wait`
    const result = await run(text, { signal: abort.signal }).finally(() => clearInterval(poll))
    const pid = readFileSync(mark, 'utf8').trim()

    expect(result).toMatchObject({ started: true, killedBy: 'abort', exitCode: null })
    expect(existsSync(`/proc/${pid}`) && isRunning(pid)).toBe(false)
  })

  it('says by its code why nothing ran', async () => {
    const refused = run('echo x', {}, { program: 'missing.exe' })

    await expect(refused).rejects.toMatchObject({ code: 'setup_failed' })
    await expect(refused).rejects.toThrow(/missing\.exe/)
  })

  it('[S1-17] runs the command after a self-test that holds', async () => {
    expect(await run('echo ran', {}, { selfTest: '' })).toMatchObject({ stdout: 'ran\n' })
  })

  it.each([
    ['twin', 'the twin could not copy a file inside'],
    ['write', 'a file outside was written'],
    ['read', 'a secret outside was read'],
    ['mask', 'a covered secret inside was read'],
    ['fixed', 'a protected file was written'],
    ['list', 'an access list was changed from inside'],
    ['network', 'a listener of the host was reached'],
  ])('[S1-17] is unavailable when the container leaks: %s', async (leak, why) => {
    const refused = run('echo ran', {}, { selfTest: leak })

    await expect(refused).rejects.toMatchObject({ code: 'unavailable' })
    await expect(refused).rejects.toThrow(why)
  })

  it('refuses a request that it does not understand', async () => {
    const args = [trials!.program, 'serve', trials!.folder(), '']
    const odd = confinement('/usr/bin/mono', args, [['nonsense', 'x']])

    await expect(runConfined(odd, OPTIONS)).rejects.toThrow(/did not understand the request/)
  })
})

describe('a launcher that is no broker', () => {
  const said = (script: string): Promise<ConfinedRun> =>
    runConfined(confinement('/bin/sh', ['-c', script], []), OPTIONS)

  it.each([
    ['babbles and stays', 'echo nonsense and more; exec sleep 60'],
    ['claims a frame of 4 GiB', "printf 'H\\377\\377\\377\\377'; exec sleep 60"],
    ['greets twice', "printf 'H\\1\\0\\0\\0001H\\1\\0\\0\\0001'; exec sleep 60"],
    ['ends at once', 'exit 0'],
    ['ends in the middle of a frame', "printf 'H\\1\\0'"],
    ['only greets', "printf 'H\\1\\0\\0\\0001'"],
  ])('is a typed fault, and never waited for, when it %s', async (_, script) => {
    const begun = Date.now()

    await expect(said(script)).rejects.toBeInstanceOf(SandboxError)
    expect(Date.now() - begun).toBeLessThan(10_000)
  })

  it('tells what it said on its standard error', async () => {
    await expect(said('echo cannot load >&2; exit 1')).rejects.toThrow(/broke off: cannot load/)
  })

  it('leaves a command that had started as started, with an end that nobody knows', async () => {
    const start = "printf 'H\\1\\0\\0\\0001S\\4\\0\\0\\0\\7\\0\\0\\0O\\1\\0\\0\\0x'"

    expect(await said(`${start}; exit 0`)).toMatchObject({
      started: true,
      exitCode: null,
      stdout: 'x',
    })
    expect(await said(`${start}; printf '?????'; sleep 60`)).toMatchObject({
      started: true,
      exitCode: null,
    })
  })

  it('is killed when it does not end after being told to', async () => {
    const command = confinement('/bin/sh', ['-c', 'trap "" HUP PIPE; exec sleep 60'], [])
    const result = await runConfined(command, { ...OPTIONS, timeoutMs: 200 })

    expect(result).toMatchObject({ started: false, killedBy: 'timeout', exitCode: null })
    expect(result.durationMs).toBeLessThan(8000)
  })
})

function isRunning(pid: string): boolean {
  return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
}
