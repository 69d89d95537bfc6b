/** What lint finds, where, and what it suggests; what it says nothing of. */

import { describe, expect, it } from 'vitest'
import { definePolicy } from '../../src/policy/define.js'
import {
  INTERPRETER_PROGRAMS,
  SHELL_PROGRAMS,
  WRAPPER_PROGRAMS,
} from '../../src/lists/interpreters.js'
import {
  BASH_LIKE,
  OTHER_SHELLS,
  WINDOWS_SHELLS,
  WRAPPERS,
} from '../../src/shell/wrappers/table.js'
import { lintPolicy, lintSarif, type Finding, type PolicyText } from '../../src/testing/entry.js'

const OPEN = '"workMode": "full", "network": "on", '

function lintText(text: string, more: Partial<PolicyText> = {}): readonly Finding[] {
  return lintPolicy([{ file: 'policy.jsonc', text, ...more }])
}

function lintRules(...rules: readonly (string | object)[]): readonly Finding[] {
  return lintText(`{${OPEN}"rules": ${JSON.stringify(rules)}}`)
}

const idsOf = (found: readonly Finding[]): readonly string[] => found.map(({ id }) => id)

describe('one rule', () => {
  it.each([
    // A star stops at a slash.
    ['allow bash(npm run *)', 'short-star', 'allow bash(npm run:*)'],
    ['deny bash(rm *)', 'open-star', 'deny bash(rm:*)'],
    ['deny bash(rm -rf*)', 'open-star', 'deny bash(rm -rf**)'],
    ['allow grep(a*)', 'short-star', 'allow grep(a**)'],
    ['allow web_fetch(example.com/docs/*)', 'short-star', 'allow web_fetch(example.com/docs/**)'],
    ['allow read(src/*)', 'children-only', 'allow read(src/**)'],
    ['deny read(secret/*)', 'open-star', 'deny read(secret/**)'],
    ['deny read(.env)', 'root-only', 'deny read(**/.env)'],
    ['allow bash(ls*)', 'word-break', 'allow bash(ls:*)'],
    ['allow bash(ls**)', 'word-break', 'allow bash(ls:*)'],
    // It can meet nothing.
    ['allow bash(git  status)', 'never-matches', 'allow bash(git status)'],
    ['allow search(needle)', 'never-matches', 'allow grep(needle)'],
    ['allow read(~/.ssh/**)', 'never-matches', null],
    ['allow read(/proc/**)', 'never-matches', null],
    // It is written for something else.
    ['allow bash(git commit -m "a b")', 'shell-text', 'allow bash(git commit -m a?b)'],
    ['allow bash(npm ci && npm test)', 'shell-text', null],
    ['allow bash(CI=1 npm test)', 'shell-text', 'allow bash(npm test)'],
    ['allow bash(npm ci; npm test)', 'shell-text', null],
    ['allow bash(echo $HOME)', 'shell-text', null],
    ['allow bash({npm,yarn} test)', 'shell-text', null],
    ['deny bash({rm,mv}:*)', 'shell-text', null],
    ['allow bash(@workspace)', 'misplaced-pattern', null],
    ['allow bash(command:git status)', 'misplaced-pattern', 'allow bash(git status)'],
    [
      'deny bash(curl https://evil.example/x**)',
      'misplaced-pattern',
      'deny web_fetch(evil.example)',
    ],
    ['deny edit(src/x)', 'narrow-deny', 'deny write(src/x)'],
    ['allow webfetch(x)', 'unknown-tool', 'allow web_fetch(x)'],
    ['deny fetch(x)', 'unknown-tool', 'deny web_fetch(x)'],
    // It allows more than it says.
    ['allow bash(python3:*)', 'runs-programs', null],
    ['allow bash(npx **)', 'runs-programs', null],
    ['allow bash(docker exec:*)', 'runs-programs', null],
    ['allow bash(uv run:*)', 'runs-programs', null],
    ['allow bash(npm:*)', 'runs-programs', null],
    ['allow bash(timeout 5 npm test)', 'runs-script', null],
    ['allow bash(node build.js)', 'runs-script', null],
    ['allow bash', 'broad-allow', null],
    ['allow bash(**)', 'broad-allow', null],
    ['allow *', 'broad-allow', null],
    ['allow b*', 'broad-allow', null],
  ])('`%s` is %s', (rule, id, suggestion) => {
    const [found, ...more] = lintRules(rule)

    expect(more).toEqual([])
    expect(found).toMatchObject({ id, rule, suggestion, line: 1 })
    if (suggestion !== null) expect(() => definePolicy({ rules: [suggestion] })).not.toThrow()
  })

  it.each([
    'allow bash(git status)',
    'allow bash(git push:*)',
    'deny bash(rm -rf**)',
    'allow bash(npm run lint:*)',
    'allow read(src/**)',
    'allow read(**/*.ts)',
    'deny read(**/.env)',
    'allow read(~/.ssh/config)',
    'allow read(/dev/**)',
    'allow read(@credentials)',
    'allow search(grep needle)',
    'allow grep(needle)',
    'allow search(g**)',
    'allow mcp__git__push',
    'allow mcp__git__*',
    'deny mcp__*',
    'deny bash(python:*)',
    'deny *',
    'allow web_fetch(*.example.com)',
    'ask web_fetch',
    'allow bash(ls -la)',
    'allow bash(echo a\\"b)',
    'deny write(src/x)',
    'allow deploy(prod:*)',
  ])('`%s` is fine', (rule) => {
    expect(lintRules(rule)).toEqual([])
  })

  it('B-88: a wildcard for the server of an allow is reported', () => {
    for (const rule of ['allow mcp__*', 'allow mcp__git*', 'allow mcp__*__push']) {
      expect(lintRules(rule)).toMatchObject([{ id: 'mcp-wildcard', severity: 'warning', rule }])
    }
  })

  it('B-58: a rule that does not load is an error with its place, and hides no other', () => {
    const text = `{
  "workMode": "rx",
  "rules": [
    "allow bash(docker img:tag:*)",
    "allow bash(",
    { "effect": "allow", "match": "read(a:*)" },
    "alow read(x)",
    "deny bash(rm *)"
  ]
}`
    const found = lintText(text)

    expect(found.map(({ id, severity, line, column }) => [id, severity, line, column])).toEqual([
      ['unloadable', 'error', 2, 3],
      ['unloadable', 'error', 5, 5],
      ['unloadable', 'error', 6, 26],
      ['unloadable', 'error', 7, 5],
      ['open-star', 'warning', 8, 5],
    ])
    expect(() => definePolicy({ rules: ['allow bash(docker img:tag:*)'] })).not.toThrow()
  })

  it('a text that is no document is one error at its place', () => {
    expect(lintText('{ "rules": [ }')).toMatchObject([{ id: 'unloadable', line: 1, column: 14 }])
    expect(lintText('')).toMatchObject([{ id: 'unloadable' }])
    expect(lintText('[]')).toMatchObject([{ id: 'unloadable' }])
  })
})

describe('rules and axes together', () => {
  it('an allow that another axis denies is unreachable', () => {
    const text = `{
  "workMode": "ro",
  "tools": { "exclude": ["ls"] },
  "commands": ["git"],
  "rules": ["allow write(src/**)", "allow web_fetch(a.example)", "allow ls(src/**)",
    "allow bash(npm test)", "allow bash(git log:*)", "deny write(x/**)"],
}`
    const found = lintText(text).filter(({ id }) => id === 'unreachable')

    expect(found.map(({ rule }) => rule)).toEqual([
      'allow write(src/**)',
      'allow web_fetch(a.example)',
      'allow ls(src/**)',
      'allow bash(npm test)',
    ])
  })

  it('what a stricter rule covers is shadowed, in whatever order they stand', () => {
    const found = lintRules(
      'allow bash(git push origin:*)',
      'deny bash(git push:*)',
      'ask bash(git push --force:*)',
      'allow bash(git pull:*)',
    )

    expect(found.map(({ id, rule }) => [id, rule])).toEqual([
      ['shadowed', 'allow bash(git push origin:*)'],
      ['shadowed', 'ask bash(git push --force:*)'],
    ])
    expect(found[0]?.message).toContain('`deny bash(git push:*)` (policy.jsonc:1:')
  })

  it('whitelist entries are looked at as allows are', () => {
    const text = `{
  "toolApproval": { "policy": "whitelist_accept", "whitelist": [
    "read(src/**)",
    "bash(sh:*)",
    "mcp__*"
  ] },
  "rules": ["deny read(src/**)"]
}`

    expect(lintText(text).map(({ id, line, rule }) => [id, line, rule])).toEqual([
      ['shadowed', 3, 'read(src/**)'],
      ['runs-programs', 4, 'bash(sh:*)'],
      ['mcp-wildcard', 5, 'mcp__*'],
    ])
  })

  it('what a limit that stands for rules covers is shadowed as well', () => {
    const text = `{"forbiddenPaths": ["src/x"], "rules": ["allow read(src/x/a/**)"]}`

    expect(idsOf(lintText(text))).toEqual(['shadowed'])
  })

  it('of two that cover each other one is redundant, and equal ones are told apart', () => {
    expect(idsOf(lintRules('allow bash(git:*)', 'allow bash(git log:*)'))).toEqual(['redundant'])
    expect(
      idsOf(lintRules({ effect: 'deny', match: 'bash(a)', id: 'one' }, 'deny bash(a)')),
    ).toEqual(['duplicate'])
  })

  it('a rule with exceptions covers only what leaves out the same', () => {
    const wide = { effect: 'deny', match: 'bash(git:*)', except: ['bash(git log:*)'] }

    expect(lintRules(wide, 'allow bash(git log -p)')).toEqual([])
    expect(lintRules(wide, 'allow bash(git push)')).toEqual([])
  })

  it.each([
    [{ effect: 'allow', match: 'bash(git log:*)', except: ['bash(git:*)'] }, 'except-removes-all'],
    [{ effect: 'deny', match: 'read(src/**)', except: ['read(src/**)'] }, 'except-removes-all'],
    [{ effect: 'allow', match: 'bash(git:*)', except: ['web_fetch(x.example)'] }, 'except-unused'],
  ])('an exception of %j is %s', (rule, id) => {
    expect(idsOf(lintRules(rule))).toEqual([id])
  })

  it.each([
    [{ effect: 'allow', match: 'read(src/**)', except: ['read(src/x)'] }],
    // An exception for `read` is not asked about `ls`.
    [{ effect: 'allow', match: 'ls(src/**)', except: ['ls(src/x)'] }],
    // A deny of reading is asked about listing too.
    [{ effect: 'deny', match: 'read(src/**)', except: ['ls(src/**)'] }],
    [{ effect: 'allow', match: 'bash(git:*)', except: ['write(src/**)'] }],
  ])('an exception of %j is fine', (rule) => {
    expect(lintRules(rule)).toEqual([])
  })
})

describe('several texts', () => {
  it('tell rules that stand twice, and one id for two rules', () => {
    const found = lintPolicy([
      {
        file: 'a.jsonc',
        text: '{"rules": ["deny read(a/x)", {"id": "r", "effect": "deny", "match": "ls"}]}',
      },
      {
        file: 'b.jsonc',
        text: '{"rules": ["deny read(a/x)",\n {"id": "r", "effect": "ask", "match": "ls"}]}',
      },
    ])

    expect(found.map(({ id, file, line }) => [id, file, line])).toEqual([
      ['duplicate', 'b.jsonc', 1],
      ['id-conflict', 'b.jsonc', 2],
      ['shadowed', 'b.jsonc', 2],
    ])
  })

  it('[H-01] what an untrusted workspace policy allows or widens is ineffective', () => {
    const text = `{
  "workMode": "full",
  "network": "off",
  "rules": ["allow read(src/**)", "deny read(x/**)"]
}`
    const found = lintText(text, { standing: 'untrusted' })

    expect(found.map(({ id, line, rule }) => [id, line, rule])).toEqual([
      ['ineffective', 2, null],
      ['ineffective', 4, 'allow read(src/**)'],
    ])
    expect(found[0]?.suggestion).toBe('sixgate trust policy.jsonc')
    expect(idsOf(lintText(text))).toEqual([])
  })

  it('[H-01] an allow without effect makes no other one redundant', () => {
    const found = lintPolicy([
      { file: 'ws.jsonc', text: '{"rules": ["allow read"]}', standing: 'untrusted' },
      { file: 'user.jsonc', text: '{"rules": ["allow read(src/**)"]}' },
    ])

    expect(found.map(({ id, file }) => [id, file])).toEqual([['ineffective', 'ws.jsonc']])
  })

  it('an allow of a child is ineffective, and keys of a delegation load', () => {
    const text = '{"approvalCeiling": "parent", "rules": ["allow write(src/**)", "deny bash"]}'

    expect(idsOf(lintText(text, { kind: 'constraints' }))).toEqual(['ineffective'])
  })

  it('thousands of rules are compared in seconds', () => {
    const rules = Array.from({ length: 4000 }, (_, n) =>
      n % 2 === 0 ? `deny read(src/${n}/**)` : `allow bash(tool${n} x:*)`,
    )
    const start = performance.now()

    expect(lintRules(...rules, 'allow read(src/2000/a/**)')).toMatchObject([{ id: 'shadowed' }])
    expect(performance.now() - start).toBeLessThan(10_000)
  })
})

describe('the SARIF log', () => {
  const log = lintSarif(
    lintPolicy([{ file: '/a b/ü.jsonc', text: '{"rules": ["deny bash(rm *)", "allow x("]}' }]),
    '1.2.3',
  )
  const [run] = log.runs

  it('has what version 2.1.0 requires, and nothing that it does not know', () => {
    expect(Object.keys(log).sort()).toEqual(['$schema', 'runs', 'version'])
    expect(log.version).toBe('2.1.0')
    expect(log.$schema).toMatch(/^https:\/\/.*sarif-schema-2\.1\.0\.json$/)
    expect(Object.keys(run!).sort()).toEqual(['columnKind', 'results', 'tool'])
    expect(run!.columnKind).toBe('utf16CodeUnits')
    expect(run!.tool.driver).toMatchObject({ name: 'sixgate', version: '1.2.3' })
    const ids = run!.tool.driver.rules.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const rule of run!.tool.driver.rules) {
      expect(Object.keys(rule).sort()).toEqual(['defaultConfiguration', 'id', 'shortDescription'])
      expect(rule.shortDescription.text).toMatch(/^\S.*\.$/)
      expect(['error', 'warning', 'note']).toContain(rule.defaultConfiguration.level)
    }
  })

  it('names rule, level, message and place of each finding', () => {
    expect(run!.results).toHaveLength(2)
    for (const result of run!.results) {
      expect(Object.keys(result).sort()).toEqual([
        ...['level', 'locations', 'message', 'properties', 'ruleId', 'ruleIndex'],
      ])
      expect(run!.tool.driver.rules[result.ruleIndex]?.id).toBe(result.ruleId)
      expect(result.message.text).not.toBe('')
      const { artifactLocation, region } = result.locations[0].physicalLocation
      expect(artifactLocation.uri).toBe('file:///a%20b/%C3%BC.jsonc')
      expect(new URL(artifactLocation.uri).pathname).toBe('/a%20b/%C3%BC.jsonc')
      expect(region.startLine).toBe(1)
      expect(region.startColumn).toBeGreaterThan(1)
    }
  })

  it('survives JSON, and keeps a relative file relative', () => {
    const relative = lintSarif(lintPolicy([{ file: 'a/b.jsonc', text: '' }]))

    expect(JSON.parse(JSON.stringify(log))).toEqual(log)
    const [result] = relative.runs[0]!.results
    expect(result!.locations[0].physicalLocation.artifactLocation.uri).toBe('a/b.jsonc')
  })
})

describe('the list of programs that run programs', () => {
  it('has every shell and wrapper that shell analysis unfolds', () => {
    const plain = WRAPPERS.filter(({ prefix }) => prefix === undefined).flatMap(
      ({ names }) => names,
    )

    expect(plain.filter((name) => !WRAPPER_PROGRAMS.includes(name))).toEqual([])
    expect(
      [...BASH_LIKE, ...OTHER_SHELLS, ...WINDOWS_SHELLS].filter(
        (name) => !SHELL_PROGRAMS.includes(name),
      ),
    ).toEqual([])
  })

  it('names each program once', () => {
    const all = [...SHELL_PROGRAMS, ...INTERPRETER_PROGRAMS, ...WRAPPER_PROGRAMS]

    expect(new Set(all).size).toBe(all.length)
  })
})
