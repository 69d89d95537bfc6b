import { describe, expect, test } from 'vitest'
import { definePolicy } from '../policy/define.js'
import { parseCases, type PolicyCase } from './case-format.js'
import { runCase, runCases } from './run-cases.js'

function aCase(fields: {
  readonly policy?: PolicyCase['policy']
  readonly context?: Partial<PolicyCase['context']>
  readonly call?: PolicyCase['call']
  readonly delegate?: PolicyCase['delegate']
  readonly expect: PolicyCase['expect']
}): PolicyCase {
  return {
    id: 'x',
    call: { tool: 'read', args: { file_path: 'a' } },
    ...fields,
    context: { cwd: '/ws', workspace: '/ws', home: '/home/u', ...fields.context },
  }
}

const bash = (command: string): PolicyCase['call'] => ({ tool: 'bash', args: { command } })

describe('a case', () => {
  test('is completed so that only what it is about decides', async () => {
    const ends = await runCases([
      aCase({ expect: { decision: ['ask'], layer: 'tool_approval' } }),
      aCase({
        call: { tool: 'web_fetch', args: { url: 'https://a.test/' } },
        policy: { rules: ['allow web_fetch'] },
        expect: { decision: ['allow'] },
      }),
      aCase({
        call: bash('ls'),
        policy: { rules: ['allow bash'] },
        expect: { decision: ['allow'] },
      }),
      aCase({
        policy: { toolApproval: 'deny_unlisted' },
        expect: { decision: ['deny'], matched_rule: 'default:deny_unlisted' },
      }),
    ])

    expect(ends.map(({ status }) => status)).toEqual(['passed', 'passed', 'passed', 'passed'])
  })

  test.each([
    ['none', 'deny', 'builtin:no_responder'],
    ['yes', 'allow', 'default:prompt'],
    ['no', 'deny', 'default:prompt'],
    ['throws', 'deny', 'default:prompt'],
    ['timeout', 'deny', 'default:prompt'],
  ] as const)('with the responder `%s` ends in %s', async (responder, decision, matched_rule) => {
    const report = await runCase(
      aCase({
        policy: { rules: ['ask read'] },
        context: { responder },
        expect: { decision: [decision], layer: 'approval_response', matched_rule },
      }),
    )

    expect(report).toMatchObject({ status: 'passed' })
  })

  test('fails when the decision, the layer or the rule is another', async () => {
    const policy = { rules: ['deny read'] }
    const reports = await runCases([
      aCase({ policy, expect: { decision: ['allow', 'ask'] } }),
      aCase({ policy, expect: { decision: ['deny'], layer: 'work_mode' } }),
      aCase({ policy, expect: { decision: ['deny'], matched_rule: 'other' } }),
      aCase({ policy, expect: { decision: ['load_error'] } }),
    ])

    expect(reports.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed', 'failed'])
    expect(reports[0]).toMatchObject({ end: { decision: 'deny', layer: 'user_rule' } })
  })

  test('expects a load error of a policy alone, never of a context that cannot be set up', async () => {
    const refused = aCase({
      policy: { rules: ['deny read('] },
      expect: { decision: ['load_error'] },
    })
    const broken = aCase({ context: { workspace: '/' }, expect: { decision: ['load_error'] } })

    expect(await runCase(refused)).toMatchObject({ status: 'passed' })
    expect(await runCase(broken)).toMatchObject({ status: 'failed', fault: expect.any(String) })
  })

  test('without a policy of its own takes the one given as it stands', async () => {
    const given = definePolicy({ workMode: 'plan', rules: ['allow write(a)'] })
    const call = { tool: 'write', args: { file_path: 'a' } }
    const own = aCase({
      call,
      policy: { rules: ['allow write(a)'] },
      expect: { decision: ['allow'] },
    })
    const other = aCase({ call, expect: { decision: ['deny'], layer: 'work_mode' } })

    expect((await runCases([own, other], given)).map(({ status }) => status)).toEqual([
      'passed',
      'passed',
    ])
  })

  test('has a generic tool for any other name, with the paths that it declares', async () => {
    const policy = { rules: ['deny read(/ws/.env)', 'allow load'] }
    const tools = { load: { paths: [{ arg: 'path', access: 'read' as const }] } }
    const reports = await runCases([
      aCase({
        call: { tool: 'load', args: { path: '/ws/.env' } },
        policy,
        context: { tools },
        expect: { decision: ['deny'] },
      }),
      aCase({
        call: { tool: 'load', args: { path: '/ws/a' } },
        policy,
        context: { tools },
        expect: { decision: ['allow'] },
      }),
      aCase({
        call: { tool: 'mcp__s__t', args: {} },
        policy: { rules: ['allow mcp__s'] },
        expect: { decision: ['ask'] },
      }),
    ])

    expect(reports.map(({ status }) => status)).toEqual(['passed', 'passed', 'passed'])
  })
})

describe('the context of a case', () => {
  const windows = { cwd: 'C:\\ws', workspace: 'C:\\ws', home: 'C:\\Users\\u' } as const

  test.each<[string, Parameters<typeof aCase>[0]]>([
    [
      'another platform compares as its volumes do',
      {
        policy: { rules: ['allow read(SRC/**)'] },
        context: { ...windows, platform: 'win32' },
        call: { tool: 'read', args: { file_path: 'src\\A.ts' } },
        expect: { decision: ['allow'] },
      },
    ],
    [
      'links of Windows are followed',
      {
        policy: { rules: ['allow read(**)'] },
        context: { ...windows, platform: 'win32', links: { 'c:/WS/out': '..\\Users\\u\\.ssh' } },
        call: { tool: 'read', args: { file_path: 'out/id' } },
        expect: { decision: ['deny'], matched_rule: 'builtin:credential' },
      },
    ],
    [
      'macOS ignores composition and not case',
      {
        policy: { rules: ['allow read(\u00e9/**)'] },
        context: { platform: 'darwin' },
        call: { tool: 'read', args: { file_path: 'e\u0301/a' } },
        expect: { decision: ['allow'] },
      },
    ],
    [
      'a hard link is the file itself',
      {
        policy: { rules: ['allow read(**)'] },
        context: { hardlinks: { '/ws/notes': '/home/u/.ssh/id_ed25519' } },
        call: { tool: 'read', args: { file_path: 'notes' } },
        expect: { decision: ['deny'], matched_rule: 'builtin:credential' },
      },
    ],
    [
      'a hard link between plain files changes nothing',
      {
        policy: { rules: ['allow read(**)'] },
        context: { hardlinks: { '/ws/a': '/ws/b', '/ws/c': '/ws/b' } },
        call: { tool: 'read', args: { file_path: 'c' } },
        expect: { decision: ['allow'] },
      },
    ],
    [
      'every mode of search is judged',
      {
        policy: { rules: ['allow bm25(needle**)', 'deny search(bm25 secret**)'] },
        call: { tool: 'search', args: { mode: 'bm25', query: 'needle' } },
        expect: { decision: ['allow'] },
      },
    ],
    [
      'a child is asked for as any other tool is used',
      {
        policy: { rules: ['allow agent', 'deny agent(ops)'] },
        call: { tool: 'agent', args: { agent: 'ops', prompt: 'x' } },
        expect: { decision: ['deny'], layer: 'user_rule' },
      },
    ],
  ])('%s', async (_, fields) => {
    expect(await runCase(aCase(fields))).toMatchObject({ status: 'passed' })
  })
})

describe('a case that this version cannot run is named with its reason', () => {
  const policy = { rules: ['deny bash(git push:*)', 'deny read(secret)', 'allow bash'] }

  test.each<[string, Partial<PolicyCase>]>([
    ['delegates', { delegate: [{ kind: 'delegate' as const, constraints: {} }] }],
    ['tool', { call: { tool: 'download', args: {} } }],
    ['tool', { call: { tool: 'download', args: { url: '', file_path: '' } } }],
  ])('%s', async (word, fields) => {
    const one = { ...aCase({ policy, expect: { decision: ['allow', 'ask', 'deny'] } }), ...fields }

    const report = await runCase(one)

    expect(report).toMatchObject({ status: 'not_yet_run', reason: expect.stringContaining(word) })
  })
})

describe('a file of cases', () => {
  const line = JSON.stringify(aCase({ expect: { decision: ['ask'] } }))

  test('is read with notes beside a case and blank lines between them', () => {
    const noted = JSON.stringify({ ...JSON.parse(line), id: 'y', why: 'a note' })

    expect(parseCases(`${line}\n\n${noted}\n`, 'f').map(({ id }) => id)).toEqual(['x', 'y'])
  })

  test.each([
    ['no JSON', '{', 'syntax', 1],
    ['no case', '{"id":"a"}', 'invalid_value', 1],
    ['an unknown key of the context', line.replace('"cwd"', '"cwdd"'), 'invalid_value', 1],
    ['an unknown decision', line.replace('"ask"', '"maybe"'), 'invalid_value', 1],
    [
      'hard links that are no map',
      line.replace('"cwd"', '"hardlinks":[],"cwd"'),
      'invalid_value',
      1,
    ],
    ['an id twice', `${line}\n${line}`, 'invalid_value', 2],
  ])('is refused with its line for %s', (_, text, code, at) => {
    expect(() => parseCases(text, 'f')).toThrow(
      expect.objectContaining({ code, file: 'f', line: at }),
    )
  })
})
