import { describe, expect, test } from 'vitest'
import type { ApprovalRequest } from '../contract/approval.js'
import { policyRevision } from '../core/ids.js'
import { seededIds } from '../testing/seeded-ids.js'
import { untrusted } from './escape.js'
import { loadWords, wordsIn } from '../words/speak.js'
import { renderRequest, typedYes } from './render.js'
import { UNCONFINED_WARNING } from '../words/english.js'

for (const language of ['zh', 'es'] as const) await loadWords(language)

function aRequest(parts: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const ids = seededIds(3)
  return {
    approvalId: ids.approval(),
    callId: ids.call(),
    sessionId: ids.session(),
    language: 'en',
    action: 'run 1 command, inside the sandbox',
    tool: 'bash',
    paths: [],
    hosts: [],
    commands: [untrusted('model', 'npm test')],
    texts: [],
    reason: untrusted('policy', 'tests touch the network'),
    justification: null,
    scope: 'this_call',
    risk: 'low',
    proposals: [],
    escalations: [],
    warning: null,
    decidingRule: 'ask bash(npm test:*)',
    sandbox: { driver: 'bubblewrap', missing: ['syscall_filter'] },
    policyRevision: policyRevision(1, 'a'.repeat(64)),
    expiresAt: Date.UTC(2030, 0, 1),
    displayDigest: 'b'.repeat(64),
    ...parts,
  }
}

describe('a rendered request', () => {
  test('[S1-10] shows action, reason, scope and risk', () => {
    const lines = renderRequest(aRequest(), 80)

    expect(lines).toEqual([
      'A tool call asks for permission.',
      'command, from the model:',
      '  | npm test',
      'rule that asks, from the policy:',
      '  | ask bash(npm test:*)',
      'reason of that rule, from the policy:',
      '  | tests touch the network',
      'tool, from the tool:',
      '  | bash',
      '',
      'action:      run 1 command, inside the sandbox',
      'scope:       this one call',
      'risk:        low',
      'sandbox:     bubblewrap; not enforced: syscall_filter',
      'expires:     2030-01-01T00:00:00.000Z',
      `request:     ${aRequest().approvalId}`,
    ])
  })

  test('[H-06] ends with the warning of an unconfined call', () => {
    const request = aRequest({ warning: UNCONFINED_WARNING, escalations: ['host_execution'] })

    const lines = renderRequest(request, 80)

    expect(lines).toContain('escalations: host_execution')
    expect(lines.at(-1)).toBe('WARNING:     no sandbox, full network, full file access')
  })

  test.each([
    ['zh', '警告:     ', '命令，来自模型:'],
    ['es', 'AVISO:     ', 'comando, del modelo:'],
  ] as const)('[H-06] warns and labels in %s, with the fixed words', (language, label, heading) => {
    const { warning } = wordsIn(language)
    const request = aRequest({ language, warning, escalations: ['host_execution'] })

    const lines = renderRequest(request, 80)

    expect(lines).toContain(heading)
    expect(lines.at(-1)).toBe(label + warning)
    expect(lines.at(-1)).toContain(UNCONFINED_WARNING)
    expect(lines.filter((line) => line.startsWith('  | '))).toContain('  | npm test')
  })

  test.each([
    ['en', ['yes', ' yes '], ['sí', '是', 'Yes', 'y', '']],
    ['zh', ['yes', '是', ' 是 '], ['sí', '是的', '不是', '']],
    ['es', ['yes', 'sí', 'si\u0301'], ['si', 'Sí', 'sí, gracias', '是', '']],
  ] as const)('in %s only the whole word allows, or the English one', (language, yes, no) => {
    const request = aRequest({ language })

    expect(yes.every((line) => typedYes(request, line) !== null)).toBe(true)
    expect(no.some((line) => typedYes(request, line) !== null)).toBe(false)
  })

  test('shows what would be done to a path, and the arguments of other tools', () => {
    const path = { ...untrusted('model', '/ws/a'), access: 'write' as const }
    const request = { ...aRequest({ paths: [path] }), texts: [untrusted('model', '{}')] }

    const lines = renderRequest(request, 80)

    expect(lines).toContain('path to write, from the model:')
    expect(lines).toContain('text, from the model:')
  })

  test('[H-10] says how many characters are not shown', () => {
    const request = aRequest({ commands: [untrusted('model', 'x'.repeat(100), 10)] })

    const lines = renderRequest(request, 80)

    expect(lines).toContain('command, from the model, 90 characters not shown:')
  })

  test.each([20, 40, 80, 200])(
    '[H-10] untrusted text never starts a line of a terminal %i columns wide',
    (columns) => {
      const forged = `${' '.repeat(columns)}risk:        low `.repeat(20)
      const request = aRequest({ commands: [untrusted('model', forged)], risk: 'high' })

      const lines = renderRequest(request, columns)

      expect(lines.filter((line) => line.startsWith('risk:'))).toEqual(['risk:        high'])
      const framed = lines.filter((line) => line.startsWith('  | '))
      expect(framed.every((line) => line.length < columns + 1)).toBe(true)
      expect(framed.map((line) => line.slice(4)).join('')).toContain(forged.slice(0, 1000))
    },
  )

  test('[H-10] wide characters take two columns, so they wrap earlier', () => {
    const request = aRequest({ commands: [untrusted('model', '测'.repeat(30))] })

    const lines = renderRequest(request, 25)

    expect(lines.filter((line) => line.startsWith('  | 测'))).toEqual([
      `  | ${'测'.repeat(10)}`,
      `  | ${'测'.repeat(10)}`,
      `  | ${'测'.repeat(10)}`,
    ])
  })

  test('uses no escape sequence, whatever the environment says about colour', () => {
    const lines = renderRequest(aRequest({ warning: UNCONFINED_WARNING }), 80)

    expect(lines.join('')).toMatch(/^[\x20-\x7e]*$/)
  })

  test('[H-12] shows what may be remembered, and takes the yes that names it', () => {
    const entries = [untrusted('model', 'bash(cd d)'), untrusted('model', 'bash(ls)')]
    const request = aRequest({ proposals: [{ id: 'p1', entries }] })

    const lines = renderRequest(request, 80)

    expect(lines).toEqual(
      expect.arrayContaining([
        'remembered for this session by yes p1, from the model:',
        '  | bash(cd d)',
        '  | bash(ls)',
      ]),
    )
    expect(typedYes(request, 'yes')).toEqual({ answer: 'approve' })
    expect(typedYes(request, ' yes  p1 ')).toEqual({ answer: 'approve', remember: 'p1' })
    for (const line of ['p1', 'yes p2', 'yes p1 p1', 'no p1', 'yesp1']) {
      expect(typedYes(request, line)).toBeNull()
    }
  })
})
