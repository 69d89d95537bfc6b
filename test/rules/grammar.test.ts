/** The text of a rule (rules.md §1): what it matches, and what is refused with which words. */

import { describe, expect, it } from 'vitest'
import type { PolicyInput } from '../../src/contract/policy.js'
import { ConfigError } from '../../src/core/errors.js'
import { parsePolicy } from '../../src/policy/load.js'
import { definePolicy } from '../../src/policy/define.js'
import { compileMatch } from '../../src/policy/rules/match.js'
import { decide, reading } from './judge.js'

function refusal(run: () => unknown): ConfigError {
  try {
    run()
  } catch (error) {
    if (error instanceof ConfigError) return error
  }
  throw new TypeError('it was not refused')
}

const running = async (command: string, ...rules: string[]): Promise<string> =>
  (await decide({ tool: 'bash', args: { command } }, { policy: { rules } }))[0]

const searching = async (args: object, ...rules: string[]): Promise<string> =>
  (await decide({ tool: 'search', args }, { policy: { rules } }))[0]

describe('[S1-74] a malformed rule is refused when it is read', () => {
  it.each<[string, number, string | undefined]>([
    ['', 1, undefined],
    ['(x)', 1, undefined],
    ['bash ', 5, 'bash'],
    [' bash', 1, 'bash'],
    ['bash:git push', 5, 'bash(git push)'],
    ['bash git push', 5, 'bash(git push)'],
    ['b\u0430sh(x)', 2, undefined],
    ['mcp__', 1, 'mcp__*'],
    ['mcp__a__', 1, 'mcp__a__*'],
    ['mcp__a__(x)', 1, undefined],
    ['bash()', 5, 'bash'],
    ['bash( )', 5, 'bash'],
    ['bash(a', 5, 'bash(a)'],
    ['bash(a(b)', 5, 'bash(a(b))'],
    ['bash(a\\)', 5, 'bash(a\\))'],
    ['bash(a))', 8, 'bash(a)'],
    ['bash(a)(b)', 8, 'bash(a)'],
    ['bash(a) b', 8, 'bash(a)'],
    ['b*(x)', 3, 'b*'],
    ['?(x)', 2, '?'],
    ['bash(:*)', 6, 'bash(*)'],
    ['read(src:*)', 9, 'read(src/**)'],
    ['read(@workspce)', 6, 'read(@workspace)'],
    ['read(@workspace/src)', 6, 'read(src)'],
    ['read(@home/.ssh/**)', 6, 'read(~/.ssh/**)'],
    ['read(@other/x)', 6, 'read(./@other/x)'],
    ['read(~root/x)', 6, 'read(./~root/x)'],
    ['read(C:notes)', 8, 'read(C:/notes)'],
    ['read(a*b*c*d*e*f)', 15, undefined],
    ['read(src/*/../x)', 6, undefined],
    ['read({a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b})', 6, undefined],
    ['read(a\0b)', 7, undefined],
    ['web_fetch(a b)', 11, undefined],
    ['web_fetch(https://a.test/x)', 11, 'web_fetch(a.test/x)'],
    ['web_fetch(a.test:443)', 11, 'web_fetch(a.test)'],
    ['web_fetch(u@a.test)', 11, 'web_fetch(a.test)'],
    ['web_fetch(.a.test)', 11, 'web_fetch(*.a.test)'],
    ['web_fetch(*a.test)', 11, 'web_fetch(*.a.test)'],
    [`bash(${'x'.repeat(4100)})`, 4097, undefined],
  ])('`%s` at column %i, with a suggestion of %s', (text, column, suggestion) => {
    const error = refusal(() => compileMatch(text))

    expect(error).toMatchObject({ code: 'malformed_rule', column, suggestion })
    expect(error.message).toContain(`column ${column}: `)
    expect(error.allowed?.length).toBeGreaterThan(0)
    if (suggestion !== undefined) expect(() => compileMatch(suggestion)).not.toThrow()
  })

  it('of a file is named with its line, and with the column inside the rule', () => {
    const text = '{\n  "rules": [\n    "deny bash(x)",\n    "deny read(src:*)"\n  ]\n}'

    const error = refusal(() => parsePolicy(text, 'policy.jsonc', 'user'))

    expect(error).toMatchObject({ file: 'policy.jsonc', line: 4, column: 5 })
    expect(error.message).toBe('`read(src:*)`, column 9: a path takes no `:*`')
  })

  it.each([
    ['an exception', { except: ['read(src'] }, ['rules', 0, 'except', 0]],
    ['an exception that names no tool', { except: ['src/x y'] }, ['rules', 0, 'except', 0]],
  ])('%s is read as strictly', (_, more, path) => {
    const rules = [{ effect: 'deny' as const, match: 'read(src/**)', ...more }]

    expect(refusal(() => definePolicy({ rules }))).toMatchObject({ code: 'malformed_rule', path })
  })

  it.each(['grep', 'Glob(src/*)', 'mcp__a', 'bash(f(x) g)', 'bash(\\()', 'read({a)', 'read(a,b})'])(
    '`%s` is none',
    (text) => {
      expect(() => compileMatch(text)).not.toThrow()
    },
  )
})

describe('[S1-75] the name of a tool ignores case', () => {
  it.each(['READ', 'Read(*)', 'r?AD', '*EA*', 'READ(@workspace)'])('`deny %s`', async (match) => {
    expect(await reading('a', ['allow read', `deny ${match}`])).toBe('deny')
  })
})

describe('[S1-78] a pattern matches a whole subject', () => {
  it.each([
    ['git', 'git push'],
    ['push', 'git push'],
    ['git pus', 'git push'],
  ])('`bash(%s)` is not `%s`', async (pattern, command) => {
    expect(await running(command, `allow bash(${pattern})`)).toBe('ask')
  })

  it('of a path as well', async () => {
    expect(await reading('src/a.ts', ['allow read(src/a)'])).toBe('ask')
    expect(await reading('x/src/a', ['allow read(src/a)'])).toBe('ask')
  })
})

describe('[S1-79] wildcards', () => {
  it.each([
    ['git *', 'git push', 'allow'],
    ['git *', 'git push/x', 'ask'],
    ['git **', 'git push ./a/b', 'allow'],
    ['git pus?', 'git push', 'allow'],
    ['git pu?h', 'git pu/h', 'ask'],
    ['git:*', 'git', 'allow'],
    ['git:*', 'git push', 'allow'],
    ['git:*', 'github x', 'ask'],
    [' git push :*', 'git push -f', 'allow'],
    ['git:*', 'git a/b/c', 'allow'],
    ['*', 'git a/b', 'allow'],
    ['echo \\*', "echo '*'", 'allow'],
    ['echo \\*', 'echo a', 'ask'],
    ['echo \\?', "echo '?'", 'allow'],
    ['echo a\\\\b', "echo 'a\\b'", 'allow'],
    ['echo \\(a\\)', "echo '(a)'", 'allow'],
    ['echo (a)', "echo '(a)'", 'allow'],
  ])('`bash(%s)` and `%s`: %s', async (pattern, command, expected) => {
    expect(await running(command, `allow bash(${pattern})`)).toBe(expected)
  })

  it.each([
    ['src/*.ts', 'src/a.ts', 'allow'],
    ['src/*.ts', 'src/x/a.ts', 'ask'],
    ['src/**/*.ts', 'src/a.ts', 'allow'],
    ['src/**/*.ts', 'src/x/y/a.ts', 'allow'],
    ['**/*.ts', '/data/x.ts', 'allow'],
    ['**/a.ts', 'ba.ts', 'ask'],
    ['src/**', 'src', 'ask'],
    ['src/?.ts', 'src/a.ts', 'allow'],
    ['src/[*].ts', 'src/*.ts', 'allow'],
    ['src/[*].ts', 'src/a.ts', 'ask'],
    ['src/[?].ts', 'src/?.ts', 'allow'],
    ['src/[id].ts', 'src/[id].ts', 'allow'],
    ['src/[a-z].ts', 'src/b.ts', 'ask'],
    ['!src/a', '!src/a', 'allow'],
    ['src/{a,b/{c,d}}.ts', 'src/b/d.ts', 'allow'],
    ['src/{a,b}.ts', 'src/{a,b}.ts', 'ask'],
    ['src/{a}.ts', 'src/{a}.ts', 'allow'],
    ['src/\\(a\\)', 'src/(a)', 'allow'],
    ['src/(a)/b', 'src/(a)/b', 'allow'],
    ['./src/a', 'src/a', 'allow'],
    ['/data/**', '/data/a', 'allow'],
    ['~/x', '~/x', 'allow'],
    ['../other/a', '../other/a', 'allow'],
  ])('`read(%s)` and `%s`: %s', async (pattern, path, expected) => {
    expect(await reading(path, [`allow read(${pattern})`])).toBe(expected)
  })

  it('`dir/**` is `dir` itself for a deny and an ask, and not for an allow', async () => {
    expect(await reading('src', ['allow read', 'deny read(src/**)'])).toBe('deny')
    expect(await reading('src', ['allow read', 'ask read(src/**)'])).toBe('ask')
    expect(await reading('src', ['allow read(src/**)'])).toBe('ask')
  })

  it('a newline is crossed by `**` alone', async () => {
    const needle = { mode: 'grep', query: 'a\nb' }

    expect(await searching(needle, 'allow search(grep a*b)')).toBe('ask')
    expect(await searching(needle, 'allow search(grep a**b)')).toBe('allow')
  })
})

describe('[S1-80] one star stops at a separator', () => {
  it('so a deny of a command and its paths takes two', async () => {
    expect(await running('rm -rf ./x/y', 'allow bash', 'deny bash(rm -rf*)')).toBe('allow')
    expect(await running('rm -rf ./x/y', 'allow bash', 'deny bash(rm -rf**)')).toBe('deny')
  })
})

describe('[S1-81][S1-82] modes of search', () => {
  it.each([
    ['search(grep **)', 'grep', 'allow'],
    ['search(grep **)', 'glob', 'ask'],
    ['grep', 'grep', 'allow'],
    ['grep', 'glob', 'ask'],
    ['Grep(*)', 'grep', 'allow'],
    ['grep(need*)', 'grep', 'allow'],
    ['grep(other*)', 'grep', 'ask'],
    ['glob(need*)', 'glob', 'allow'],
    ['bm25', 'grep', 'ask'],
    ['search', 'glob', 'allow'],
  ])('`allow %s` and a `%s`: %s', async (match, mode, expected) => {
    expect(await searching({ mode, query: 'needle' }, `allow ${match}`)).toBe(expected)
  })

  it('a query that begins like another mode is still of its own', async () => {
    expect(await searching({ mode: 'glob', query: 'grep x' }, 'allow grep')).toBe('ask')
  })
})

describe('[S1-84] what no rule decides', () => {
  it('asks unless the policy says otherwise', async () => {
    const call = { tool: 'read', args: { file_path: 'a' } }

    expect(await decide(call)).toEqual(['ask', 'tool_approval', 'default:whitelist_accept'])
    expect(await decide(call, { policy: { toolApproval: 'deny_unlisted' } })).toEqual([
      'deny',
      'tool_approval',
      'default:deny_unlisted',
    ])
  })

  it.each(['allow', 'ask', 'deny', '', 'Whitelist_Accept', null, 1, [], { policy: 'ask' }])(
    'refuses %j as the answer',
    (toolApproval) => {
      const input = { toolApproval } as unknown as PolicyInput

      expect(refusal(() => definePolicy(input)).code).toBe('invalid_value')
    },
  )
})

describe('[S1-86] the forms of a rule', () => {
  it('a text, a text by name and the long form are one rule', () => {
    const forms = [
      'deny bash(x)',
      { rule: 'deny bash(x)' },
      { effect: 'deny', match: 'bash(x)' },
    ] as const
    const digests = forms.map((rule) => definePolicy({ rules: [rule] }).digest)

    expect(new Set(digests).size).toBe(1)
    expect(definePolicy({ rules: forms }).digest).toBe(digests[0])
  })

  it.each([
    ['a number', 1],
    ['nothing', null],
    ['a list', ['deny bash(x)']],
    ['an empty object', {}],
    ['a rule that is no text', { rule: 1 }],
    ['a rule beside an effect', { rule: 'deny bash(x)', effect: 'deny' }],
    ['a rule beside a match', { rule: 'deny bash(x)', match: 'bash' }],
    ['an unknown effect', 'permit bash(x)'],
    ['an effect in capitals', 'Deny bash(x)'],
    ['an effect alone', 'deny'],
    ['a match alone', { match: 'bash' }],
    ['a match that is none', { effect: 'deny', match: null }],
  ])('%s is refused with its place', (_, rule) => {
    const error = refusal(() =>
      definePolicy({ rules: ['deny bash', rule] } as unknown as PolicyInput),
    )

    expect(['malformed_rule', 'invalid_value', 'unknown_key']).toContain(error.code)
    expect(error.path.slice(0, 2)).toEqual(['rules', 1])
  })
})

describe('[H-08] ids of rules', () => {
  it.each([
    'builtin:x',
    'default:x',
    'grant:x',
    'guard:x',
    'origin:x',
    'axis:x',
    ' builtin:x',
    'BUILTIN:x',
  ])('`%s` is reserved', (id) => {
    const rules = [{ id, effect: 'deny' as const, match: 'bash' }]

    expect(refusal(() => definePolicy({ rules }))).toMatchObject({
      code: 'reserved_rule_id',
      path: ['rules', 0, 'id'],
    })
  })

  it.each(['', 'A', '-a', '.a', 'a b', 'a:b', 'ä', 'a'.repeat(65), 'deny read'])(
    '`%s` is no id',
    (id) => {
      const rules = [{ id, effect: 'deny' as const, match: 'bash' }]

      expect(refusal(() => definePolicy({ rules })).code).toBe('invalid_value')
    },
  )

  it.each(['a', '0', 'a.b_c-d', 'a'.repeat(64), 'deny bash'])('`%s` is one', (id) => {
    expect(() => definePolicy({ rules: [{ id, effect: 'deny', match: 'bash' }] })).not.toThrow()
  })

  it('one id for two rules is refused, for one rule it is not', () => {
    const rule = { id: 'a', effect: 'deny', match: 'bash' } as const

    expect(() => definePolicy({ rules: [rule, rule] })).not.toThrow()
    expect(refusal(() => definePolicy({ rules: [rule, { ...rule, match: 'read' }] })).code).toBe(
      'duplicate_rule',
    )
  })
})

describe('exceptions', () => {
  const paths = (...names: string[]): object => ({ files: names.map((path) => ({ path })) })
  const under = async (effect: 'allow' | 'deny', names: readonly string[]): Promise<string> => {
    const rule = { effect, match: 'read(src/**)', except: ['read(src/gen/**)'] }
    const rules = effect === 'deny' ? ['allow read', rule] : [rule]
    return (await decide({ tool: 'read', args: paths(...names) }, { policy: { rules } }))[0]
  }

  it('take out one subject and leave the others', async () => {
    expect(await under('deny', ['src/gen/a'])).toBe('allow')
    expect(await under('deny', ['src/gen/a', 'src/b'])).toBe('deny')
    expect(await under('allow', ['src/b'])).toBe('allow')
    expect(await under('allow', ['src/b', 'src/gen/a'])).toBe('ask')
  })

  it('of a deny need proof, of an allow one matching form is enough', async () => {
    expect(await under('deny', ['src/GEN/a'])).toBe('deny')
    expect(await under('allow', ['src/GEN/a'])).toBe('ask')
  })
})

describe('examples', () => {
  it.each([
    ['deny', 'bash(rm -rf**)', ['cd x && rm -rf y', 'a; rm -rf b'], ['echo "rm -rf x"']],
    ['allow', 'bash(go:*)', ['go build && go vet', "go 'a b'"], ['go build; rm x', 'go > f']],
    ['allow', 'bash(echo **)', ['echo $HOME', 'echo "a;b"'], ['echo `id`', 'echo $(id)']],
    ['ask', 'write(~/x/**)', ['~/x/a', '$HOME/x/a'], ['x/a']],
    ['deny', 'web_fetch(a.test/admin/**)', ['https://a.test/admin/x'], ['a.test/x', 'b.test']],
    ['allow', 'glob(src/*)', ['glob src/a'], ['grep src/a']],
    ['deny', 'mcp__a__*({"id":*})', ['{"id":1}'], ['{"name":1}']],
    ['allow', 'download(out/*)', ['out/a'], ['a']],
  ] as const)('hold for `%s %s`', (effect, match, yes, no) => {
    const policy = (examples: object): PolicyInput => ({ rules: [{ effect, match, examples }] })

    expect(() => definePolicy(policy({ match: yes, not_match: no }))).not.toThrow()
    expect(refusal(() => definePolicy(policy({ not_match: yes })))).toMatchObject({
      code: 'failing_example',
      path: ['rules', 0, 'examples', 'not_match', 0],
    })
    expect(refusal(() => definePolicy(policy({ match: [...yes, ...no] })))).toMatchObject({
      code: 'failing_example',
      path: ['rules', 0, 'examples', 'match', yes.length],
    })
  })
})
