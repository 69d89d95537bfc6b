import { describe, expect, it } from 'vitest'
import type { PathSubject } from '../../core/subject.js'
import { aPath, ROOTS } from '../../../test/property/policy-builders.js'
import { liesWithin, mayBeIn, PATH_CLASSES, writeEscalates, type PathClass } from './classes.js'

function classesOf(path: PathSubject): readonly PathClass[] {
  return PATH_CLASSES.filter((name) => mayBeIn(name, path, ROOTS))
}

describe('path classes', () => {
  it.each([
    ['/ws/a', ['@workspace']],
    ['/etc/passwd', ['@outside']],
    ['/tmp/a', ['@outside', '@tmp']],
    ['/home/u/a', ['@outside', '@home']],
    ['/home/u/.ssh/id', ['@outside', '@home', '@credentials']],
    ['/home/u/.cargo/credentials.toml', ['@outside', '@home', '@credentials']],
    ['/home/u/.sshx', ['@outside', '@home']],
    ['/ws/.git', ['@workspace', '@protected']],
    ['/ws/.Git/config', ['@workspace', '@protected']],
    ['/ws/a/.git/config', ['@workspace', '@protected']],
    ['/ws/a/.vscode/x', ['@workspace']],
    ['/ws/.github/workflows/ci.yml', ['@workspace', '@protected']],
    ['/ws/jenkinsfile', ['@workspace', '@protected']],
    ['/ws/.env.local', ['@workspace', '@credentials']],
    ['/ws/a/.env/x', ['@workspace', '@credentials']],
    ['/ws/.env.sample', ['@workspace']],
    ['/proc/1/mem', ['@outside', '@kernel']],
    ['/dev/sda', ['@outside', '@kernel']],
    ['/dev/urandom', ['@outside']],
    ['/procx', ['@outside']],
  ])('`%s` is in %j', (path, classes) => {
    expect(classesOf(aPath(path))).toEqual(classes)
  })

  it('an unresolved path is outside and protected', () => {
    const classes = classesOf(aPath('/ws/loop', { resolved: false }))

    expect(classes).toEqual(['@workspace', '@outside', '@protected'])
  })

  it('a link has the classes of both ends', () => {
    const classes = classesOf(aPath('/ws/a', { real: ['/home/u/.aws/x'] }))

    expect(classes).toEqual(['@workspace', '@outside', '@home', '@credentials'])
  })

  it('lies within folders only with every form, resolved', () => {
    expect(liesWithin(aPath('/ws/a'), ['/ws'], ROOTS)).toBe(true)
    expect(liesWithin(aPath('/wsx'), ['/ws'], ROOTS)).toBe(false)
    expect(liesWithin(aPath('/home/u/x/a'), ['~/x'], ROOTS)).toBe(true)
    expect(liesWithin(aPath('/ws/out/a'), ['out'], ROOTS)).toBe(true)
    expect(liesWithin(aPath('/WS/a'), ['/ws'], ROOTS)).toBe(false)
    expect(liesWithin(aPath('/ws/a', { real: ['/etc/a'] }), ['/ws'], ROOTS)).toBe(false)
    expect(liesWithin(aPath('/ws/a', { resolved: false }), ['/ws'], ROOTS)).toBe(false)
  })

  it.each([
    ['/ws/.git/config', true],
    ['/ws/AGENTS.md', true],
    ['/ws/docs/claude.md', true],
    ['/ws/README.md', false],
    ['/home/u/.bashrc', false],
  ])('[B-156] a write to `%s` escalates: %s', (path, expected) => {
    expect(writeEscalates(aPath(path, { access: 'write' }), ROOTS)).toBe(expected)
  })
})
