import { expect, it } from 'vitest'
import { systemMachine, type FileFacts, type Machine } from '../../platform/machine.js'
import { checkLauncher } from './launcher.js'

const FILE: FileFacts = {
  kind: 'file',
  owner: 0,
  mode: 0o755,
  modifiedMs: 1,
  changedMs: 1,
  id: '1:2',
  links: 1,
}
const FOLDER: FileFacts = { ...FILE, kind: 'directory' }

function aMachine(files: Readonly<Record<string, FileFacts>>): Machine {
  return {
    ...systemMachine(),
    realPath: (path) => (path in files ? path : null),
    facts: (path) => files[path] ?? null,
  }
}

function codeOf(file: FileFacts | null, folder = FOLDER): string {
  const files = { '/': FOLDER, '/bin': folder, ...(file === null ? {} : { '/bin/bwrap': file }) }
  const check = checkLauncher(aMachine(files), '/bin/bwrap')
  return check.status === 'trusted' ? 'trusted' : check.error.code
}

it('trusts an executable file that only root can replace', () => {
  expect(codeOf(FILE)).toBe('trusted')
})

it.each([
  ['is missing', null, FOLDER, 'missing_launcher'],
  ['is not executable', { ...FILE, mode: 0o644 }, FOLDER, 'missing_launcher'],
  ['is set-user-id', { ...FILE, mode: 0o4755 }, FOLDER, 'untrusted_launcher'],
  ['belongs to somebody else', { ...FILE, owner: 1001 }, FOLDER, 'untrusted_launcher'],
  ['can be written by all', { ...FILE, mode: 0o777 }, FOLDER, 'untrusted_launcher'],
  ['lies in a folder that all can write', FILE, { ...FOLDER, mode: 0o1777 }, 'untrusted_launcher'],
  ['lies in a folder of somebody else', FILE, { ...FOLDER, owner: 7 }, 'untrusted_launcher'],
  ['is a folder', FOLDER, FOLDER, 'untrusted_launcher'],
])('refuses a launcher that %s', (_, file, folder, code) => {
  expect(codeOf(file, folder)).toBe(code)
})

it('refuses a launcher that is not named by an absolute path', () => {
  const check = checkLauncher(aMachine({ bwrap: FILE }), 'bwrap')

  expect(check).toMatchObject({ status: 'refused', error: { code: 'missing_launcher' } })
})
