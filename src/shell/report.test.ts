import { describe, expect, it } from 'vitest'
import { analyse } from './analyse.js'
import { shellReport } from './report.js'

describe('the report of a shell text', () => {
  it('has commands, operations, hosts and refusals', () => {
    expect(
      shellReport(analyse('A=1 timeout 5 curl -o x https://a.test/y > log; ssh h ls')),
    ).toEqual({
      v: 1,
      commands: [
        {
          argv: ['timeout', '5', 'curl', '-o', 'x', 'https://a.test/y'],
          redirects: ['>log'],
          assigns: ['A=1'],
          via: [],
        },
        {
          argv: ['curl', '-o', 'x', 'https://a.test/y'],
          redirects: [],
          assigns: [],
          via: ['timeout'],
        },
        { argv: ['ssh', 'h', 'ls'], redirects: [], assigns: [], via: [] },
      ],
      operations: [
        { access: 'write', path: 'log' },
        { access: 'write', path: 'x' },
      ],
      hosts: ['a.test', 'h'],
      refusals: [{ code: 'remote_text', at: 48 }],
    })
  })

  it('is plain JSON', () => {
    const report = shellReport(analyse('cat <<E | sh\n$(id)\nE'))

    expect(JSON.parse(JSON.stringify(report))).toEqual(report)
  })
})
