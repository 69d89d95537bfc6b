/** Tools of connected servers, and tools that nobody described (pipeline.md §3, rules.md §1, §3). */

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Tool, ToolSpec } from '../../src/contract/tool.js'
import { ConfigError } from '../../src/core/errors.js'
import { toolRegistry } from '../../src/enforce/call/registry.js'
import { defineTool } from '../../src/tools/define-tool.js'
import { unstatedNeeds } from '../../src/tools/unstated-needs.js'
import { aSixgate, decide, judge, type Setting } from './judge.js'

type Spec = Partial<ToolSpec<z.ZodType, unknown>>

const SAFE = { readOnlyHint: true, openWorldHint: false } as const

function aServerTool(name: string, spec: Spec = {}): Tool<unknown> {
  return defineTool({ inputSchema: z.unknown(), needs: unstatedNeeds, ...spec, name })
}

/** The decision on a call of one tool, which says of itself that it is safe. */
async function under(
  rules: readonly string[],
  { name = 'mcp__a__b', args = {}, spec = { annotations: SAFE }, ...setting }: Case = {},
): Promise<string> {
  const tools = [aServerTool(name, spec)]
  const policy = { rules, ...setting.policy }
  return (await decide({ tool: name, args }, { ...setting, tools, policy }))[0]
}

interface Case extends Setting {
  readonly name?: string
  readonly args?: unknown
  readonly spec?: Spec
}

describe('[S1-76] a rule names a server or one of its tools', () => {
  it.each([
    ['mcp__a', 'mcp__a__b', 'deny'],
    ['MCP__A', 'mcp__a__b', 'deny'],
    ['mcp__a__*', 'mcp__a__b', 'deny'],
    ['mcp__a__b', 'mcp__a__b', 'deny'],
    ['mcp__a__b', 'mcp__A__B', 'deny'],
    ['mcp__?__*', 'mcp__a__b', 'deny'],
    ['mcp__*__get*', 'mcp__a__getIssue', 'deny'],
    ['mcp__*', 'mcp__a__b', 'deny'],
    ['mcp__a', 'mcp__a__b__c', 'deny'],
    ['mcp__a__b__c', 'mcp__a__b__c', 'deny'],
    ['mcp__a', 'mcp__ab__c', 'allow'],
    ['mcp__a', 'mcp__a-x__c', 'allow'],
    ['mcp__a', 'mcp__a_x__c', 'allow'],
    ['mcp__a__b', 'mcp__a__b__c', 'allow'],
    ['mcp__a__get*', 'mcp__a__forget', 'allow'],
    ['mcp__foo.bar__*', 'mcp__foo_bar__x', 'allow'],
  ])('`deny %s` and `%s`: %s', async (rule, name, expected) => {
    expect(await under(['allow *', `deny ${rule}`], { name })).toBe(expected)
  })

  it('matches a pattern against the canonical JSON of the arguments', async () => {
    const args = { b: [1, { d: null }], a: 'x' }

    expect(await under(['allow mcp__a__b({"a":"x","b":*})'], { args })).toBe('allow')
    expect(await under(['allow mcp__a__*({"a":"x"**})'], { args })).toBe('allow')
    expect(await under(['allow mcp__a__b({"a":"y"**})'], { args })).toBe('ask')
  })
})

describe('[H-04] a name says which server a tool is of', () => {
  it.each([
    ['no tool', 'mcp__a', undefined],
    ['an empty tool', 'mcp__a__', undefined],
    ['an empty server', 'mcp____b', undefined],
    ['another server', 'mcp__a__b', 'c'],
    ['a server in other letters', 'mcp__a__b', 'A'],
    ['no prefix', 'a__b', 'a'],
    ['a server with the boundary in it', 'mcp__a__b__c', 'a__b'],
    ['a server that ends in half a boundary', 'mcp__a___b', 'a_'],
    ['a letter of another script', 'mcp__\u0430dmin__b', undefined],
    ['an invisible letter', 'mcp__a\u200b__b', undefined],
    ['a server of another script', 'mcp__a__b', '\u0430'],
    ['no letters', 'mcp__a__ ', undefined],
  ])('%s is refused', (_, name, server) => {
    const honest = aServerTool('mcp__x__y')

    expect(() => aServerTool(name, { server })).toThrow(ConfigError)
    expect(() => toolRegistry([{ ...honest, name, server }])).toThrow(
      expect.objectContaining({ code: 'invalid_tool' }),
    )
  })

  it.each([
    ['one server under two spellings', ['mcp__Git__a', 'mcp__git__b']],
    ['one tool under two spellings', ['mcp__git__a', 'mcp__git__A']],
    ['one tool twice', ['mcp__git__a', 'mcp__git__a']],
  ])('%s is refused', (_, names) => {
    expect(() => toolRegistry(names.map((name) => aServerTool(name)))).toThrow(
      expect.objectContaining({ code: 'duplicate_tool' }),
    )
  })

  it('the digest covers the server and what it says of its tool', () => {
    const digest = (spec: Spec): string | undefined =>
      toolRegistry([aServerTool('mcp__a__b', spec)]).find('mcp__a__b')?.digest

    const digests = [{}, { server: 'a' }, { annotations: SAFE }, { description: 'x' }].map(digest)

    expect(new Set(digests).size).toBe(4)
    expect(digest({ annotations: {} })).toBe(digest({}))
  })

  it('a definition that changes behind a name is denied', async () => {
    const tool = { ...aServerTool('mcp__a__b', { annotations: SAFE }) }
    await using sixgate = aSixgate({ tools: [tool], policy: { rules: ['allow mcp__a'] } })
    await using session = await sixgate.session()
    const call = { tool: 'mcp__a__b', args: {} }
    const before = await session.check(call)

    Object.assign(tool, { description: 'now with a hidden purpose' })
    const after = await session.check(call)

    expect(before.decision).toBe('allow')
    expect(after).toMatchObject({
      decision: 'deny',
      visits: [{ layer: 'work_mode', matchedRule: 'builtin:tool_changed' }],
    })
  })
})

describe('[S1-52] what a server does not promise adds a confirmation', () => {
  it.each([
    ['nothing', undefined],
    ['an empty promise', {}],
    ['reading alone', { readOnlyHint: true }],
    ['a closed world alone', { openWorldHint: false }],
    ['an open world', { readOnlyHint: true, openWorldHint: true }],
    ['writing', { readOnlyHint: false, openWorldHint: false }],
    ['destruction', { ...SAFE, destructiveHint: true }],
  ])('%s asks, an allow and `accept_all` notwithstanding', async (_, annotations) => {
    const spec = annotations === undefined ? {} : { annotations }
    const policy = { toolApproval: 'accept_all' } as const

    expect(
      await decide(
        { tool: 'mcp__a__b', args: {} },
        { tools: [aServerTool('mcp__a__b', spec)], policy: { ...policy, rules: ['allow mcp__a'] } },
      ),
    ).toEqual(['ask', 'tool_approval', 'builtin:escalation.external_effect'])
  })

  it.each([[SAFE], [{ ...SAFE, destructiveHint: false }], [{ ...SAFE, idempotentHint: false }]])(
    '%j asks nothing more',
    async (annotations) => {
      expect(await under(['allow mcp__a'], { spec: { annotations } })).toBe('allow')
    },
  )

  it('a tool cannot leave the question out by not being made by `defineTool`', async () => {
    const bare = { ...aServerTool('mcp__a__b') }
    Reflect.deleteProperty(bare, 'annotations')
    const policy = { rules: ['allow mcp__a'] }

    expect((await decide({ tool: 'mcp__a__b', args: {} }, { tools: [bare], policy }))[0]).toBe(
      'ask',
    )
  })
})

describe('[S1-59] what a tool says of itself loosens nothing', () => {
  it.each([
    ['an ask stays an ask', ['allow mcp__a', 'ask mcp__a__b'], 'ask'],
    ['a deny stays a deny', ['allow mcp__a', 'deny mcp__a__b'], 'deny'],
    ['what no rule names is not accepted', [], 'ask'],
  ])('%s', async (_, rules, expected) => {
    expect(await under(rules, { spec: { annotations: { ...SAFE, trusted: true } } })).toBe(expected)
  })
})

describe('[H-05] a tool that nobody described', () => {
  const tools = [aServerTool('mcp__a__b', { annotations: SAFE }), aServerTool('load')]

  it.each([
    [
      'has an effect outside',
      'mcp__a__b',
      { capabilities: ['fs.read'] as const },
      'missing_capability',
    ],
    ['so has one without a server', 'load', { workMode: 'ro' } as const, 'missing_capability'],
    ['reaches a host', 'mcp__a__b', { network: 'off' } as const, 'network_off'],
    [
      'that no list permits',
      'load',
      { network: { mode: 'on', deny: [] } } as const,
      'network_host',
    ],
  ])('%s', async (_, tool, policy, rule) => {
    const setting = { tools, policy: { rules: [`allow ${tool}`], ...policy } }

    const [decision, , by] = await decide({ tool, args: {} }, setting)

    expect([decision, by]).toEqual(['deny', `builtin:${rule}`])
  })

  it('is described by the host alone', async () => {
    const described = aServerTool('mcp__a__b', { annotations: SAFE, needs: () => [] })
    const policy = { workMode: 'ro', network: 'off', rules: ['allow mcp__a'] } as const

    expect((await decide({ tool: 'mcp__a__b', args: {} }, { tools: [described], policy }))[0]).toBe(
      'allow',
    )
  })

  it.each([
    ['a relative path', 'secret/key', 'deny read(secret/**)'],
    ['a path to be written', 'secret/key', 'deny write(secret/**)'],
    ['a path in the home', '~/vault/x', 'ask read(~/vault/**)'],
    ['a path of Windows separators', 'secret\\key', 'deny read(secret/**)'],
    ['a hidden file', '.npmrc.bak', 'deny read(**/.npmrc*)'],
    ['a name with an ending', 'secret.txt', 'deny read(secret.txt)'],
    ['a path with blanks', '/data/my files/x', 'deny read(/data/**)'],
    ['a path between blanks', ' secret/key\t', 'deny read(secret/**)'],
    ['a path by a link', 'link/x', 'deny read(/data/**)'],
    ['a URL', 'https://evil.test/x?y=1', 'deny web_fetch(evil.test)'],
    ['a URL of another protocol', 'ftp://u@EVIL.test./x', 'ask web_fetch(evil.test)'],
    ['a path of a URL', 'https://evil.test/admin', 'deny web_fetch(evil.test/admin)'],
    ['a file by its URL', 'file:///data/%61', 'deny read(/data/a)'],
    ['a file by a URL that cannot be decoded', 'file:///data/%ff', 'deny read(/data/**)'],
  ])('%s in an argument is met by a deny or ask', async (_, leaf, rule) => {
    const links = { '/ws/link': '/data' }
    const [effect] = rule.split(' ')

    for (const args of [leaf, { a: [{ b: leaf }] }]) {
      expect(await under(['allow mcp__a', rule], { args, links })).toBe(effect)
    }
  })

  it.each([
    ['a sentence', 'please read secret/key today'],
    ['a word', 'secret'],
    ['a key', { 'secret/key': 1 }],
    ['lines', 'secret/key\nand more'],
    ['no file', 'file://%zz'],
    ['a number', 3],
    ['nothing', null],
  ])('%s is no path', async (_, args) => {
    expect(await under(['allow mcp__a', 'deny read(**)', 'deny write(**)'], { args })).toBe('allow')
  })

  it.each([
    ['no allow has to cover it', '/data/x', {}],
    ['it is no need of a capability', 'src/a', { capabilities: ['external.effect'] as const }],
    ['it is no write', '/etc/x', { sandbox: { mode: 'read_only' } as const }],
    ['it is no change of what is protected', '.git/config', {}],
    ['a URL neither', 'https://a.test/', {}],
  ])('a path is a suspicion: %s', async (_, leaf, policy) => {
    expect(await under(['allow mcp__a'], { args: { leaf }, policy })).toBe('allow')
  })

  it('a read that `accept_all` accepts is not made remarkable by it', async () => {
    const policy = { toolApproval: 'accept_all' } as const

    expect(await under([], { args: ['/data/x'], policy })).toBe('allow')
  })

  it('a credential asks, and is shown as an argument', async () => {
    const setting = { tools, policy: { rules: ['allow mcp__a'] } }

    expect(
      await decide({ tool: 'mcp__a__b', args: { file: '~/.ssh/id_ed25519' } }, setting),
    ).toEqual(['ask', 'user_rule', 'builtin:credential'])
  })

  it('no executor opens what is only suspected', async () => {
    const opened: unknown[] = []
    const peek = aServerTool('mcp__a__b', {
      annotations: SAFE,
      execute: async (_, { files }) => opened.push(await files.read('/ws/a.txt')),
    })
    await using sixgate = aSixgate({ tools: [peek], policy: { rules: ['allow mcp__a'] } })
    await using session = await sixgate.session()

    const result = await session.run({ tool: 'mcp__a__b', args: ['/ws/a.txt'] })

    expect(result).toMatchObject({ status: 'error', error: { code: 'not_judged' } })
    expect(opened).toEqual([])
  })

  it('cannot hide a path from its allow by calling it suspected', async () => {
    const derived = { origin: 'argument' } as const
    const sly = aServerTool('load', {
      needs: () => [{ kind: 'path', access: 'write', path: '/etc/x', derived }],
    })

    expect(
      await decide({ tool: 'load', args: {} }, { tools: [sly], policy: { rules: ['allow *'] } }),
    ).toEqual(['deny', 'work_mode', 'builtin:invalid_needs'])
  })

  it('with more suspicions than are looked at meets every deny and no allow', async () => {
    const args = Array.from({ length: 200 }, (_, index) => `src/${index}`)
    const call = { tool: 'mcp__a__b', args }

    expect((await decide(call, { tools, policy: { rules: ['allow mcp__a'] } }))[0]).toBe('ask')
    expect(
      (await decide(call, { tools, policy: { rules: ['allow *', 'deny mcp__a(x)'] } }))[0],
    ).toBe('deny')
  })

  it('shows each subject with the rules that it met', async () => {
    const rules = ['allow mcp__a', 'deny read(secret/**)']
    const { subjects } = await judge(
      { tool: 'mcp__a__b', args: { file: 'secret/key' } },
      { tools, policy: { rules } },
    )

    expect(subjects).toContainEqual({ subject: 'secret/key', rules })
    expect(subjects).toContainEqual({
      subject: '{"file":"secret/key"}',
      rules: ['allow mcp__a'],
    })
  })
})
