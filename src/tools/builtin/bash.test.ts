import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { callTool, validated } from '../../../test/builders/tool-call.js'
import { bash } from './bash.js'

const workspace = tmpdir()

/** The escalation needs that a call states, as `name: detail`. */
async function escalations(args: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const valid = await validated(bash, { command: 'npm test', ...args })
  const needs = valid === undefined ? [] : bash.needs(valid)
  return needs.flatMap((need) =>
    need.kind === 'escalation' ? [`${need.name}: ${need.detail}`] : [],
  )
}

describe('bash', () => {
  it('states the analysed command and runs in the sandbox', async () => {
    const valid = await validated(bash, { command: 'npm test', extra: { anything: 1 } })

    expect(bash).toMatchObject({ name: 'bash', runsIn: 'sandbox', always: ['process.exec'] })
    expect(valid && bash.needs(valid)).toMatchObject([
      { kind: 'command', command: 'npm test', analysis: { commands: [{ argv: ['npm', 'test'] }] } },
    ])
  })

  it.each([
    {},
    { command: 1 },
    { command: null },
    { command: ['ls'] },
    { command: 'ls', shell: 'fish' },
  ])('does not accept %j', async (args) => {
    expect(await validated(bash, args)).toBeUndefined()
  })

  it.each([
    [{}, []],
    [{ sandbox_permissions: 'use_default', justification: 'x' }, []],
    [
      { sandbox_permissions: 'require_escalated', justification: 'needs the host' },
      ['host_execution: needs the host'],
    ],
    [
      { sandbox_permissions: 'request_network_grant', network_grant: { host: 'a.example' } },
      ['network_grant: a.example'],
    ],
    [
      { sandbox_permissions: 'request_network_grant', network_grant: { host: '[::1]', port: 80 } },
      ['network_grant: [::1]:80'],
    ],
  ])('[S1-34] states for %j the escalations %j', async (args, expected) => {
    expect(await escalations(args)).toEqual(expected)
  })

  it.each([
    [{ sandbox_permissions: 'require_escalated' }, ['host_execution: ']],
    [{ sandbox_permissions: 'require_escalated', justification: 7 }, ['host_execution: ']],
    [{ sandbox_permissions: 'everything' }, ['host_execution: ']],
    [{ sandbox_permissions: true }, ['host_execution: ']],
    [{ sandbox_permissions: null }, ['host_execution: ']],
    [{ sandbox_permissions: '' }, ['host_execution: ']],
    [{ sandbox_permissions: 'request_network_grant' }, ['network_grant: ']],
    [{ network_grant: { host: 'a.example' } }, ['network_grant: ']],
    [{ network_grant: null }, ['network_grant: ']],
  ])(
    '[S1-42] states for the half given %j an escalation that nobody can judge',
    async (args, all) => {
      expect(await escalations(args)).toEqual(all)
    },
  )

  it.each([
    ...['*.example', 'a/b', 'a\\b', 'a b', '', ' ', 'a:80', '::1', 'u@a', 'a?b', 'a#b', 7, null],
    { toString: 'a' },
  ])('[S1-34] takes %j for no host of a grant', async (host) => {
    const args = { sandbox_permissions: 'request_network_grant', network_grant: { host } }

    expect(await escalations(args)).toEqual(['network_grant: '])
  })

  it.each([0, -1, 65_536, 1.5, '80', null])(
    '[S1-34] takes %j for no port of a grant',
    async (port) => {
      const network_grant = { host: 'a.example', port }

      const stated = await escalations({
        sandbox_permissions: 'request_network_grant',
        network_grant,
      })

      expect(stated).toEqual(['network_grant: '])
    },
  )

  it('returns exit code and cleaned output as a value', async () => {
    const command = `printf '\\033[31mred\\033[0m'; echo oops >&2; exit 3`

    const result = await callTool(bash, { command }, { workspace })

    expect(result).toMatchObject({ exitCode: 3, stdout: 'red', stderr: 'oops\n', timedOut: false })
  })

  it('says that the time was up', async () => {
    const result = await callTool(bash, { command: 'sleep 5', timeoutMs: 50 }, { workspace })

    expect(result).toMatchObject({ exitCode: null, timedOut: true, killedBy: 'timeout' })
  })

  it('does not run the text of another shell as bash', async () => {
    const answer = callTool(bash, { command: 'echo x', shell: 'cmd' }, { workspace })

    await expect(answer).rejects.toMatchObject({ code: 'invalid_input' })
  })

  it('rejects when the command did not start', async () => {
    const answer = callTool(bash, { command: 'true', cwd: '/nonexistent' }, { workspace })

    await expect(answer).rejects.toMatchObject({ code: 'input_output' })
  })
})
