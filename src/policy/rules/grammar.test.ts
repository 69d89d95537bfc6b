import { describe, expect, it } from 'vitest'
import { ConfigError } from '../../core/errors.js'
import { compileMatch } from './match.js'
import { parseMatch } from './grammar.js'
import { coversNames, requireToolMatcher } from './tool-names.js'

describe('the text of a rule', () => {
  it.each([
    ['Bash', 'bash', null, 'command'],
    ['bash(*)', 'bash', null, 'command'],
    ['bash(git push:*)', 'bash', 'git push:*', 'command'],
    ['READ(src/**)', 'read', 'src/**', 'path'],
    ['bash(f(x) g)', 'bash', 'f(x) g', 'command'],
    ['bash(echo \\()', 'bash', 'echo \\(', 'command'],
    ['grep', 'search', 'grep **', 'text'],
    ['grep(*)', 'search', 'grep **', 'text'],
    ['glob(src/*)', 'search', 'glob src/*', 'text'],
    ['mcp__a__b({})', 'mcp__a__b', '{}', 'text'],
    ['mcp__a__*({})', 'mcp__a__*', '{}', 'text'],
    ['web_fetch(a.test)', 'web_fetch', 'a.test', 'host'],
    ['agent(ops)', 'agent', 'ops', 'text'],
    ['host.tool(x)', 'host.tool', 'x', 'any'],
    ['*', '*', null, 'any'],
  ])('[S1-74] `%s` is read', (text, tool, pattern, kind) => {
    expect(parseMatch(text)).toEqual({ text, tool, pattern, kind })
  })

  it.each([
    '',
    ' ',
    'bash ',
    'bash(',
    'Bash(cargo',
    'Bash()',
    'bash( )',
    'bash(a))',
    'bash(a)(b)',
    'bash((a)',
    'bash(a) b',
    'bash(a\\)',
    'b*(x)',
    '(x)',
    'bash:x',
    'read(src:*)',
    'read(@nowhere)',
    'read(@workspace/src)',
    'read(~root/x)',
    'read(a*b*c*d*e*f)',
    'read(src/*/../x)',
    'read({a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b})',
    'web_fetch(a b)',
    'web_fetch(*.)',
    'bash(:*)',
    `bash(${'x'.repeat(5000)})`,
  ])('[S1-74] `%s` is refused', (text) => {
    expect(() => compileMatch(text)).toThrow(ConfigError)
  })

  it.each([
    ['Bash', 'bAsH', true],
    ['b?sh', 'BASH', true],
    ['*', 'mcp__a__b', true],
    ['mcp__a', 'mcp__a__b', true],
    ['mcp__a', 'mcp__ab__c', false],
    ['mcp__a__*', 'mcp__A__anything', true],
    ['mcp__a__get*', 'mcp__a__set', false],
    ['mcp__*', 'mcp__a__b', true],
    ['mcp__*', 'bash', false],
    ['mcp__g?t', 'mcp__git__x', true],
    ['mcp__foo.bar__*', 'mcp__foo_bar__x', false],
  ])('[S1-75][S1-76] `%s` names %s: %s', (pattern, tool, expected) => {
    expect(requireToolMatcher(pattern)(tool)).toBe(expected)
  })

  it.each([
    ['mcp__a', 'mcp__a__b', true],
    ['mcp__a__*', 'mcp__a', true],
    ['mcp__a__b', 'mcp__a', false],
    ['*', 're*', true],
    ['re*', 'read', true],
    ['re*', '*', false],
    ['??', '*', false],
  ])('`%s` covers `%s`: %s', (outer, inner, expected) => {
    expect(coversNames(outer, inner)).toBe(expected)
  })
})
