import { describe, expect, test } from 'vitest'
import type { CommandAnalysis } from '../core/need.js'
import type { Roots } from '../core/facts.js'
import type { Subject } from '../core/subject.js'
import { riskOf } from './risk.js'

const roots: Roots = {
  workspace: '/work space/app',
  home: '/home/ada',
  temporary: ['/tmp'],
  platform: 'linux',
}

function aPath(access: 'read' | 'write', ...forms: string[]): Subject {
  return { kind: 'path', access, given: forms[0] ?? '', forms, real: null, resolved: true }
}

function aCommand(command: string, analysis?: CommandAnalysis): Subject {
  const proved = { commands: [{ argv: command.split(' ') }], refusals: [] }
  return { kind: 'command', command, shell: 'bash', analysis: analysis ?? proved }
}

function refused(command: string): Subject {
  return aCommand(command, { commands: [], refusals: [{ code: 'variable', at: 0 }] })
}

const host: Subject = { kind: 'host', host: 'example.com', port: null, path: null }
const of = (...subjects: Subject[]): string => riskOf({ subjects, escalations: [], roots })

describe('risk', () => {
  test.each([
    ['reading', aPath('read', '/etc/hosts')],
    ['writing inside the workspace', aPath('write', '/work space/app/a')],
    ['a plain command', aCommand('npm test')],
    ['a dangerous name as a plain argument', aCommand('echo rm')],
    ['other text', { kind: 'text', text: 'rm' } as const],
  ])('%s is low', (_, subject) => {
    expect(of(subject)).toBe('low')
  })

  test.each([
    ['writing outside the workspace', aPath('write', '/etc/hosts')],
    ['writing to a neighbour with a longer name', aPath('write', '/work space/app2/a')],
    ['writing where one form leads out', aPath('write', '/work space/app/a', '/etc/a')],
    ['writing to a form that climbs', aPath('write', '/work space/app/../a')],
    ['writing to a path without forms', aPath('write')],
    ['network', host],
    ['an unknown host', { ...host, host: null }],
    ['shell text that proves nothing', refused('ls && true')],
  ])('%s is medium', (_, subject) => {
    expect(of(subject)).toBe('medium')
  })

  test('writing to a path that cannot be resolved is medium', () => {
    const path = {
      kind: 'path',
      access: 'write',
      given: 'a',
      forms: ['/work space/app/a'],
    } as const

    expect(of({ ...path, real: null, resolved: false })).toBe('medium')
  })

  test.each([
    ['rm -r build'],
    ['/bin/rm -r build'],
    ['RM.EXE x'],
    ['curl example.com'],
    ['mkfs.ext4 x'],
    ['env A=b nice rm x'],
    ['sh -c "rm x"'],
    ['find . -exec rm {} ;'],
  ])('the program of `%s` makes it high', (command) => {
    expect(of(aCommand(command))).toBe('high')
  })

  test.each([['ls && rm x'], ['ls;"r"m x'], ['$(curl x)'], ['r\\m x']])(
    'a dangerous name anywhere in the unproved text `%s` makes it high',
    (command) => {
      expect(of(refused(command))).toBe('high')
    },
  )

  test('text for another shell is searched, whatever its analysis says', () => {
    const subject = { ...aCommand('Remove-Item x'), shell: 'powershell' } as Subject

    expect(of(subject)).toBe('high')
  })

  test('any escalation is high', () => {
    const risk = riskOf({ subjects: [], escalations: ['tool_confirmation'], roots })

    expect(risk).toBe('high')
  })

  test('the highest risk of several subjects counts', () => {
    expect(of(aPath('read', '/a'), host, aCommand('rm x'))).toBe('high')
  })
})
