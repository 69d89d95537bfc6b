import { describe, expect, it } from 'vitest'
import { canonicalHost } from '../../core/names/host.js'
import { canonicalHostPattern, coversHost, permitsHost } from './hosts.js'

describe('hosts', () => {
  it.each([
    ['Example.COM', 'example.com'],
    ['example.com.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['0x7f.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['[::1]', '::1'],
    ['::FFFF:1.2.3.4', '::ffff:102:304'],
    ['localhost', 'localhost'],
    ['', null],
    ['.', null],
    ['a..', null],
    ['a b', null],
    ['a/b', null],
    ['a\\b', null],
    ['a:80', null],
    ['u@a', null],
    ['*.a', null],
    ['%61.test', null],
    ['[a]', null],
  ])('`%s` is %s', (text, expected) => {
    expect(canonicalHost(text)).toBe(expected)
  })

  it.each([
    ['*.Example.com', '*.example.com'],
    ['*', null],
    ['*.', null],
    ['a.*.b', null],
    ['*.1.2.3.4', null],
  ])('`%s` is the pattern %s', (text, expected) => {
    expect(canonicalHostPattern(text)).toBe(expected)
  })

  it.each([
    ['*.a.test', 'x.a.test', true],
    ['*.a.test', '*.x.a.test', true],
    ['*.a.test', 'a.test', false],
    ['*.x.a.test', '*.a.test', false],
    ['a.test', 'a.test', true],
  ])('`%s` covers `%s`: %s', (outer, inner, expected) => {
    expect(coversHost(outer, inner)).toBe(expected)
  })

  it.each([
    ['off', null, null, 'a.test', false],
    ['on', null, null, 'a.test', true],
    ['on', null, null, null, true],
    ['on', [], null, null, false],
    ['on', null, [], null, false],
    ['on', [], null, 'a.test', false],
    ['on', ['*.a.test'], null, 'x.A.test.', true],
    ['on', ['*.a.test'], ['x.a.test'], 'x.a.test', false],
    ['grant', ['a.test'], null, 'a.test', true],
    ['on', null, ['a.test'], 'not a host', false],
  ] as const)('%s, allow %j, deny %j: %s is %s', (mode, allow, deny, host, expected) => {
    expect(permitsHost({ mode, allow, deny }, host)).toBe(expected)
  })
})
