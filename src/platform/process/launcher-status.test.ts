import { expect, it } from 'vitest'
import { commandMayRun, readLauncherReport } from './launcher-status.js'

it('reads both facts', () => {
  expect(readLauncherReport('{ "child-pid": 12, "net-namespace": 3 }\n{"exit-code":0}\n')).toEqual({
    childPid: 12,
    exitCode: 0,
  })
})

it.each([
  '',
  '\n',
  'x',
  '{"exit-code":1}',
  '{"child-pid":0}\n{"exit-code":1}',
  '{"child-pid":1.5}',
])('takes nothing from `%s`', (text) => {
  expect(readLauncherReport(text)).toEqual({ childPid: null, exitCode: null })
})

it('keeps the first word when a fact is said twice', () => {
  const text = '{"child-pid":1}\n{"exit-code":3}\n{"child-pid":9}\n{"exit-code":0}\n'

  expect(readLauncherReport(text)).toEqual({ childPid: 1, exitCode: 3 })
})

it('says that nothing may run while there is no first process', () => {
  expect(commandMayRun(process.pid, { childPid: null, exitCode: null })).toBe(false)
})

it('claims nothing about a process that is not the launcher’s', () => {
  expect(commandMayRun(1, { childPid: 999_999_999, exitCode: null })).toBe(true)
})
