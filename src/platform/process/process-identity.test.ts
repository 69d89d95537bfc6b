import { spawn } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { isRunning, ownIdentity } from './process-identity.js'

describe('a process identity', () => {
  it('is running while its process is, under each claim', () => {
    const [one, two] = [ownIdentity(), ownIdentity()]

    expect(one.instance).not.toBe(two.instance)
    expect([one, two].map(isRunning)).toEqual([true, true])
  })

  it('[H-20] is not running when its pid went to a later process', () => {
    const own = ownIdentity()
    const earlier = { ...own, started: `${own.started}0` }

    // Without a start time, a reused pid cannot be told apart and counts as running.
    expect(isRunning(earlier)).toBe(own.started === null)
  })

  it('is running when its start is not known but its pid is in use', () => {
    expect(isRunning({ ...ownIdentity(), started: null })).toBe(true)
  })

  it('is not running after its process was killed', async () => {
    const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'])
    const identity = { ...ownIdentity(), pid: child.pid ?? 0, started: null }
    expect(isRunning(identity)).toBe(true)

    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))

    expect(isRunning(identity)).toBe(false)
  })
})
