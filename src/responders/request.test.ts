import { describe, expect, test } from 'vitest'
import type { ToolCall } from '../core/call.js'
import { ESCALATIONS } from '../core/escalation.js'
import type { Roots, SandboxFacts } from '../core/facts.js'
import { GUARANTEES, type GuaranteeReport } from '../core/guarantee.js'
import { policyRevision } from '../core/ids.js'
import type { Need } from '../core/need.js'
import type { Subject } from '../core/subject.js'
import { canonicalDigest } from '../encoding/canonical.js'
import { seededIds } from '../testing/seeded-ids.js'
import { english, UNCONFINED_WARNING } from '../words/english.js'
import { loadWords, wordsIn } from '../words/speak.js'
import { buildRequest, type RequestInput } from './request.js'

for (const language of ['zh', 'es'] as const) await loadWords(language)

const roots: Roots = { workspace: '/ws', home: '/home/ada', temporary: [], platform: 'linux' }

function aReport(...missing: readonly string[]): GuaranteeReport {
  const entries = GUARANTEES.map((name) => [
    name,
    missing.includes(name)
      ? { status: 'unenforceable', cause: 'test', remedy: 'test' }
      : { status: 'enforced' },
  ])
  return Object.fromEntries(entries) as GuaranteeReport
}

function ready(...missing: readonly string[]): SandboxFacts {
  return { status: 'ready', driver: 'bubblewrap', report: aReport(...missing) }
}

function aCall(parts: Partial<ToolCall> = {}): ToolCall {
  const ids = seededIds(7)
  return {
    callId: ids.call(),
    sessionId: ids.session(),
    origin: 'agent',
    tool: 'bash',
    runsIn: 'sandbox',
    annotations: null,
    cwd: '/ws',
    needs: [],
    capabilities: ['process.exec'],
    defect: null,
    ...parts,
  }
}

function anInput(parts: Partial<RequestInput> = {}): RequestInput {
  return {
    words: english,
    approvalId: seededIds(9).approval(),
    call: aCall(),
    subjects: [aCommand('npm test')],
    asks: [{ layer: 'tool_approval', matchedRule: 'default:always_ask', escalation: null }],
    proposals: [],
    escalations: [],
    decidingRule: { id: 'default:always_ask', reason: null },
    sandbox: ready('syscall_filter'),
    roots,
    policyRevision: policyRevision(1, 'a'.repeat(64)),
    expiresAt: Date.UTC(2030, 0, 1),
    ...parts,
  }
}

function aCommand(command: string): Subject {
  const analysis = { commands: [{ argv: command.split(' ') }], refusals: [] }
  return { kind: 'command', command, shell: 'bash', analysis }
}

function aPath(access: 'read' | 'write', given: string, ...forms: string[]): Subject {
  return { kind: 'path', access, given, forms, real: null, resolved: true }
}

describe('a request', () => {
  test('[S1-10] states action, reason, scope and risk', () => {
    const request = buildRequest(
      anInput({ decidingRule: { id: 'r1', reason: 'tests touch the network' } }),
    )

    expect(request).toMatchObject({
      action: 'run 1 command, inside the sandbox',
      reason: { author: 'policy', text: 'tests touch the network', hidden: 0 },
      scope: 'this_call',
      risk: 'low',
    })
  })

  test('names the call, the rule, the sandbox, the revision and the deadline', () => {
    const input = anInput()

    const request = buildRequest(input)

    expect(request).toMatchObject({
      approvalId: input.approvalId,
      callId: input.call.callId,
      sessionId: input.call.sessionId,
      tool: 'bash',
      decidingRule: 'default:always_ask',
      sandbox: { driver: 'bubblewrap', missing: ['syscall_filter'] },
      policyRevision: input.policyRevision,
      expiresAt: input.expiresAt,
      warning: null,
    })
  })

  test('shows every form under which a path was judged, with what happens to it', () => {
    const subjects = [aPath('write', 'link/a', '/ws/link/a', '/etc/a'), aPath('read', 'b', '/ws/b')]

    const request = buildRequest(anInput({ subjects }))

    expect(request.action).toBe('write 1 path, read 1 path, inside the sandbox')
    expect(request.paths).toEqual([
      { author: 'model', text: '/ws/link/a', hidden: 0, access: 'write' },
      { author: 'model', text: '/etc/a', hidden: 0, access: 'write' },
      { author: 'model', text: '/ws/b', hidden: 0, access: 'read' },
    ])
  })

  test.each([
    ['zh', '运行 1 个命令，写入 1 个路径，在沙箱内'],
    ['es', 'ejecutar 1 comando, escribir 1 ruta, dentro del sandbox'],
  ] as const)('says what would happen in %s, and which language that is', (language, action) => {
    const subjects = [aCommand('npm test'), aPath('write', 'a', '/ws/a')]

    const request = buildRequest(anInput({ words: wordsIn(language), subjects }))

    expect(request).toMatchObject({
      language,
      action,
      risk: 'low',
      decidingRule: 'default:always_ask',
    })
  })

  test('says when a path cannot be resolved', () => {
    const path = { ...aPath('read', 'loop', '/ws/loop'), real: null, resolved: false } as Subject

    const request = buildRequest(anInput({ subjects: [path] }))

    expect(request.action).toBe('read 1 path, inside the sandbox; paths that cannot be resolved: 1')
  })

  test('shows hosts with port and path, and an unknown host in fixed words', () => {
    const subjects: Subject[] = [
      { kind: 'host', host: 'example.com', port: 443, path: '/a' },
      { kind: 'host', host: '::1', port: 80, path: null },
      { kind: 'host', host: null, port: null, path: null },
    ]

    const request = buildRequest(anInput({ subjects, call: aCall({ runsIn: 'process' }) }))

    expect(request.action).toBe('contact 3 hosts, inside the host process')
    expect(request.hosts.map(({ text }) => text)).toEqual([
      'example.com:443/a',
      '[::1]:80',
      'an unknown host',
    ])
  })

  test('shows the arguments of a tool that states neither path nor host nor command', () => {
    const subjects: Subject[] = [{ kind: 'text', text: '{"repository":"all"}' }]

    const request = buildRequest(anInput({ subjects, call: aCall({ runsIn: 'process' }) }))

    expect(request.action).toBe('call a tool, inside the host process')
    expect(request.texts.map(({ text }) => text)).toEqual(['{"repository":"all"}'])
  })

  test('shows what the call says for itself as the words of the model', () => {
    const needs: Need[] = [
      { kind: 'escalation', name: 'host_execution', detail: 'the build\u202e needs it' },
      { kind: 'escalation', name: 'network_grant', detail: ' ' },
    ]

    const request = buildRequest(anInput({ call: aCall({ needs }) }))

    expect(request.justification).toEqual({
      author: 'model',
      text: 'the build\\u{202e} needs it',
      hidden: 0,
    })
  })

  test.each(['host_execution', 'unconfined_fallback'] as const)(
    '[H-06] %s warns in fixed words and names no driver',
    (escalation) => {
      const asks = [
        { layer: 'tool_approval', matchedRule: `builtin:escalation.${escalation}`, escalation },
      ] as const

      const request = buildRequest(anInput({ asks }))

      expect(request.warning).toBe('no sandbox, full network, full file access')
      expect(request.sandbox).toEqual({ driver: 'none', missing: GUARANTEES })
      expect(request.action).toBe('run 1 command, outside every sandbox')
      expect(request.escalations).toEqual([escalation])
      expect(request.risk).toBe('high')
    },
  )

  test('[H-06] no other escalation claims that the call runs unconfined', () => {
    const confined = ESCALATIONS.filter((name) => !/host_execution|unconfined/.test(name))

    for (const name of confined) {
      expect(buildRequest(anInput({ escalations: [name] })).warning).toBeNull()
    }
  })

  test('[H-06] a hostile justification cannot speak in the warning', () => {
    const needs: Need[] = [
      { kind: 'escalation', name: 'external_effect', detail: UNCONFINED_WARNING },
    ]

    const request = buildRequest(anInput({ call: aCall({ needs }) }))

    expect(request.warning).toBeNull()
  })

  test('a sandbox that is not ready keeps no guarantee', () => {
    const request = buildRequest(anInput({ sandbox: { status: 'refused', cause: 'test' } }))

    expect(request.sandbox).toEqual({ driver: 'none', missing: GUARANTEES })
  })

  test('a tool of the host process claims no driver', () => {
    const request = buildRequest(anInput({ call: aCall({ runsIn: 'process' }) }))

    expect(request.sandbox).toEqual({ driver: 'in_process', missing: [] })
  })

  test('[H-10] no text of a model, tool or policy is shown raw', () => {
    const evil = 'a\u202e\nrisk: low\u001b[2K'
    const request = buildRequest(
      anInput({
        call: aCall({
          tool: evil,
          needs: [{ kind: 'escalation', name: 'tool_confirmation', detail: evil }],
        }),
        subjects: [
          aCommand(evil),
          aPath('read', evil, evil),
          { kind: 'host', host: evil, port: 1, path: evil },
          { kind: 'text', text: evil },
        ],
        decidingRule: { id: evil, reason: evil },
        sandbox: { status: 'ready', driver: evil, report: aReport() },
      }),
    )

    const shown = JSON.stringify(request)

    expect(shown).not.toMatch(/\u202e|\\n|\\u001b/)
    expect(shown).toMatch(/^[\x20-\x7e]*$/)
  })

  test('[H-10] the digest covers everything that is shown', () => {
    const { displayDigest, ...shown } = buildRequest(anInput())

    expect(displayDigest).toBe(canonicalDigest(shown))
  })

  test.each<[string, Partial<RequestInput>]>([
    ['another command', { subjects: [aCommand('npm  test')] }],
    ['another deadline', { expiresAt: 1 }],
    ['another reason', { decidingRule: { id: 'default:always_ask', reason: 'x' } }],
    ['another escalation', { escalations: ['external_effect'] }],
    ['another sandbox', { sandbox: ready() }],
    ['another language', { words: wordsIn('es') }],
    ['another revision', { policyRevision: policyRevision(2, 'a'.repeat(64)) }],
    ['a longer hidden middle', { subjects: [aCommand('x'.repeat(9000))] }],
  ])('[H-10] %s changes the digest', (_, parts) => {
    expect(buildRequest(anInput(parts)).displayDigest).not.toBe(
      buildRequest(anInput()).displayDigest,
    )
  })

  test('[H-10] what a responder is shown cannot be changed afterwards', () => {
    const request = buildRequest(anInput({ subjects: [aCommand('a'), aPath('read', 'b', '/b')] }))

    const frozen = [request, request.paths, request.paths[0], request.commands, request.commands[0]]

    expect([...frozen, request.escalations, request.sandbox].every(Object.isFrozen)).toBe(true)
  })

  test('equal inputs give an equal request', () => {
    expect(buildRequest(anInput())).toEqual(buildRequest(anInput()))
  })
})
