/** What of a call a rule is held against (rules.md §3), and which tools a model is shown. */

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { PolicyInput } from '../../src/contract/policy.js'
import { defineTool } from '../../src/tools/define-tool.js'
import { reaches } from '../../src/core/need.js'
import { writes } from '../../src/tools/needs.js'
import { unstatedNeeds } from '../../src/tools/unstated-needs.js'
import { aSixgate, decide, judge } from './judge.js'

/** As the built-in one will be: the path that it writes and the host that it reads from. */
const download = defineTool({
  name: 'download',
  inputSchema: z.looseObject({ url: z.string(), file_path: z.string() }),
  needs: ({ url, file_path }) => [...writes(file_path), ...reaches(url)],
})
const custom = defineTool({ name: 'custom', inputSchema: z.unknown(), needs: unstatedNeeds })
const tools = [download, custom]

async function under(
  rules: readonly string[],
  tool: string,
  args: Readonly<Record<string, unknown>>,
): Promise<string> {
  return (await decide({ tool, args }, { tools, policy: { rules } }))[0]
}

describe('[S1-77] the subjects of a call', () => {
  it.each([
    ['bash', { command: 'git status' }, ['git status']],
    ['read', { file_path: 'a' }, ['a']],
    ['read', { files: [{ path: 'a' }, { path: 'b' }] }, ['a', 'b']],
    ['write', { file_path: 'a', content: 'x' }, ['a']],
    ['ls', { path: 'src' }, ['src']],
    ['search', { mode: 'grep', query: 'x y' }, ['grep x y', '.']],
    ['search', { mode: 'glob', query: '*.ts', path: 'src' }, ['glob *.ts src', 'src']],
    ['web_fetch', { url: 'https://A.test/x' }, ['a.test']],
    ['download', { url: 'https://a.test/x', file_path: 'out' }, ['out', 'a.test']],
    ['agent', { agent: 'ops', prompt: 'x' }, ['ops']],
    ['custom', { b: 1, a: 'x' }, ['an unknown host', '{"a":"x","b":1}']],
  ])('of `%s` %j', async (tool, args, expected) => {
    const { subjects } = await judge({ tool, args }, { tools })

    expect(subjects.map(({ subject }) => subject)).toEqual(expected)
  })

  it.each([
    ['bash', {}],
    ['bash', { command: 5 }],
    ['bash', { command: ['ls'] }],
    ['read', {}],
    ['read', { file_path: 5 }],
    ['read', { files: [{ path: 'a' }, { path: 5 }] }],
    ['read', { files: [] }],
    ['write', { content: 'x' }],
    ['search', { query: 'x' }],
    ['search', { mode: 'other', query: 'x' }],
    ['web_fetch', { url: 5 }],
    ['download', { url: 'https://a.test/' }],
  ])('of `%s` %j is missing or mistyped, so the call is invalid', async (tool, args) => {
    const policy = { rules: ['allow *'] }

    expect(await decide({ tool, args }, { tools, policy })).toEqual([
      'deny',
      'work_mode',
      'builtin:invalid_args',
    ])
  })

  it('are met one by one: an allow needs all of them, a deny one', async () => {
    const files = { files: [{ path: 'src/a' }, { path: 'doc/b' }] }

    expect(await under(['allow read(src/**)'], 'read', files)).toBe('ask')
    expect(await under(['allow read(src/**)', 'allow read(doc/**)'], 'read', files)).toBe('allow')
    expect(await under(['allow read', 'deny read(doc/**)'], 'read', files)).toBe('deny')
  })

  it('of further arguments there are none', async () => {
    const args = { file_path: 'a', also: 'secret/key', mode: 'x' }

    expect(await under(['allow read', 'deny read(secret/**)'], 'read', args)).toBe('allow')
  })
})

describe('a rule for reading, writing or fetching meets every tool', () => {
  it.each([
    ['deny read(secret/**)', 'ls', { path: 'secret/x' }, 'deny'],
    ['deny read(secret/**)', 'search', { mode: 'grep', query: 'x', path: 'secret/x' }, 'deny'],
    ['ask write(gen/**)', 'edit', { file_path: 'gen/a', old_string: 'a', new_string: 'b' }, 'ask'],
    ['deny write(gen/**)', 'download', { url: 'https://a.test/', file_path: 'gen/a' }, 'deny'],
    ['deny web_fetch(a.test)', 'download', { url: 'http://a.test/', file_path: 'a' }, 'deny'],
    ['deny edit(a)', 'write', { file_path: 'a', content: '' }, 'allow'],
    ['deny web_fetch', 'custom', {}, 'deny'],
    ['deny web_fetch(a.test)', 'custom', {}, 'allow'],
  ])('`%s` and `%s` %j: %s', async (rule, tool, args, expected) => {
    expect(await under(['allow *', rule], tool, args)).toBe(expected)
  })

  it('an allow for reading covers no other tool', async () => {
    expect(await under(['allow read'], 'ls', { path: 'src' })).toBe('ask')
    expect(await under(['allow ls'], 'ls', { path: 'src' })).toBe('allow')
  })
})

describe('hosts', () => {
  it.each([
    ['web_fetch(a.test)', 'https://a.test/x', 'allow'],
    ['web_fetch(A.TEST.)', 'http://a.test:8080/x', 'allow'],
    ['web_fetch(*.a.test)', 'https://x.a.test/', 'allow'],
    ['web_fetch(*.a.test)', 'https://a.test/', 'ask'],
    ['web_fetch(*.a.test)', 'https://xa.test/', 'ask'],
    ['web_fetch(a.test/docs/**)', 'https://a.test/docs/x/y', 'allow'],
    ['web_fetch(a.test/docs/*)', 'https://a.test/docs/x/y', 'ask'],
    ['web_fetch(a.test/docs/**)', 'https://a.test/docs/../admin', 'ask'],
    ['web_fetch(a.test/docs/**)', 'https://a.test/docs/%2e%2e/admin', 'ask'],
    ['web_fetch(a.test/docs/**)', 'https://a.test@evil.test/docs/x', 'ask'],
    ['web_fetch(a.test/docs/**)', 'https://a.test/docs/..%2fadmin', 'ask'],
    ['web_fetch(a.test/docs/**)', 'https://a.test/docs/..%252fadmin', 'ask'],
    ['web_fetch(a.test/docs/**)', 'https://a.test/docs/..%5cadmin', 'ask'],
    ['web_fetch(a.test/docs/**)', 'https://a.test/docs/x/%2e%2e/y/', 'allow'],
    ['web_fetch(a.test/docs/**)', 'https://a.test/docs/%ff', 'allow'],
    ['web_fetch(127.0.0.1)', 'http://2130706433/', 'allow'],
    ['web_fetch(xn--bcher-kva.example)', 'https://bücher.example/', 'allow'],
    ['web_fetch(localhost)', 'http://127.0.0.1/', 'ask'],
  ])('`allow %s` and `%s`: %s', async (match, url, expected) => {
    expect(await under([`allow ${match}`], 'web_fetch', { url })).toBe(expected)
  })

  it.each([
    ['web_fetch(a.test/admin/**)', 'https://a.test/%61dmin/x'],
    ['web_fetch(a.test/admin/**)', 'https://a.test/x/../admin/y'],
    ['web_fetch(a.test/admin/**)', 'https://a.test/docs/..%2fadmin/y'],
    ['web_fetch(a.test/admin/**)', 'https://a.test//admin/y'],
    ['web_fetch(a.test/admin/**)', 'https://a.test/%2561dmin/y'],
    ['web_fetch(a.test/admin/)', 'https://a.test/x%2f..%2fadmin/'],
    ['web_fetch(a.test)', 'https://A.Test./'],
  ])('`deny %s` and `%s`', async (match, url) => {
    expect(await under(['allow web_fetch', `deny ${match}`], 'web_fetch', { url })).toBe('deny')
  })

  it('`download(path)` says nothing of the host, bare `download` covers both', async () => {
    const args = { url: 'https://a.test/x', file_path: 'out' }

    expect(await under(['allow download(out)'], 'download', args)).toBe('ask')
    expect(await under(['allow download(out)', 'allow web_fetch(a.test)'], 'download', args)).toBe(
      'allow',
    )
    expect(await under(['allow web_fetch'], 'download', args)).toBe('ask')
    expect(await under(['allow download'], 'download', args)).toBe('allow')
  })
})

describe('[S1-87] what a model is shown', () => {
  async function shown(policy: PolicyInput): Promise<readonly string[]> {
    await using sixgate = aSixgate({ policy, tools: [custom] })
    await using session = await sixgate.session()
    return session.visibleTools().map(({ name }) => name)
  }

  it('hides a tool that a deny covers whatever its arguments are', async () => {
    const names = await shown({ rules: ['deny bash', 'deny Write(*)', 'deny c*'] })

    expect(names).toEqual(['agent', 'edit', 'ls', 'read', 'search', 'web_fetch'])
  })

  it('shows a tool that a deny meets for some arguments, or with exceptions', async () => {
    const rules = [
      'deny bash(rm:*)',
      'deny write(**)',
      'deny grep',
      { effect: 'deny', match: 'custom', except: ['custom({})'] },
    ] as const

    expect(await shown({ rules })).toEqual(
      expect.arrayContaining(['bash', 'write', 'search', 'custom']),
    )
  })

  it('under `deny_unlisted` shows only what the whitelist, an allow or an ask names', async () => {
    const names = await shown({
      toolApproval: { policy: 'deny_unlisted', whitelist: ['READ(src/**)'] },
      rules: ['allow bash(ls)', 'ask write', 'deny edit(x)'],
    })

    expect(names).toEqual(['bash', 'read', 'write'])
  })

  it('denies a call of a hidden tool all the same', async () => {
    const policy = { rules: ['allow *', 'deny bash'] }

    expect((await decide({ tool: 'bash', args: { command: 'ls' } }, { policy }))[0]).toBe('deny')
  })
})
