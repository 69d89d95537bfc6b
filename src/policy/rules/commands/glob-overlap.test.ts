import { describe, expect, it } from 'vitest'
import { parsePathPattern } from '../patterns/path-pattern.js'
import { overlaps } from './glob-overlap.js'

function meets(pattern: string, glob: string): boolean {
  const parsed = parsePathPattern(pattern)
  return parsed.kind === 'globs' && parsed.globs.some(({ tokens }) => overlaps(tokens, glob))
}

describe('a glob and a path pattern', () => {
  it.each([
    ['**/.env', '/ws/.e*'],
    ['**/.env', '/ws/.???'],
    ['**/.env', '/ws/.[a-f]nv'],
    ['**/.env', '/ws/*/.env'],
    ['**/.ENV', '/ws/.e*'],
    ['**/.env*', '/ws/.env.l*'],
    ['**/secret.txt', '/ws/s*'],
    ['**/secret.txt', '/ws/*.*'],
    ['/ws/private/**', '/ws/p*/x'],
    ['/ws/private/**', '/ws/**'],
    ['/ws/a?c', '/ws/a*'],
    ['/ws/*.key', '/ws/server.*'],
    ['**/x/**/y', '/a/x/*/y'],
    ['**', `/ws/${'*a'.repeat(600)}`],
  ])('%s and %s can name the same file', (pattern, glob) => {
    expect(meets(pattern, glob)).toBe(true)
  })

  it.each([
    ['**/.env', '/ws/*'],
    ['**/.env', '/ws/*.env'],
    ['**/.env', '/ws/?env'],
    ['**/.env', '/ws/*.ts'],
    ['**/.env', '/ws/.env/*'],
    ['/ws/private/**', '/ws/*'],
    ['/ws/private/**', '/ws/q*/x'],
    ['/ws/a/b', '/ws/*'],
    ['/ws/*.key', '/ws/*/a.key'],
  ])('%s and %s cannot', (pattern, glob) => {
    expect(meets(pattern, glob)).toBe(false)
  })

  it('takes no longer than a moment for hostile pairs', () => {
    const start = process.cpuUsage()

    expect(meets(`/${'a*b/'.repeat(60)}c`, `/${'*a?'.repeat(150)}`)).toBe(false)
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(500)
  })
})
