/** `sixgate lint` and `sixgate trust` as child processes; what `explain` proposes. */

import { spawnSync } from 'node:child_process'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildCommand, ground, type Ground } from '../cli/command.js'

const hasScript = String(spawnSync('script', ['--version']).stdout).includes('util-linux')

let command: Awaited<ReturnType<typeof buildCommand>>
let here: Ground

beforeAll(async () => {
  command = await buildCommand()
})
afterAll(() => command.remove())
beforeEach(() => {
  here = ground(command.file)
})
afterEach(() => here.remove())

function json(text: string): Record<string, any> {
  const value = JSON.parse(text) as Record<string, any>
  expect(value['schema_version']).toBe(1)
  return value
}

/** A policy file in the workspace. */
function inside(name: string, text: string): string {
  const file = join(here.workspace, name)
  writeFileSync(file, text)
  return file
}

const WIDE = '{"workMode": "rw", "rules": ["allow read(a.txt)", "deny read(b.txt)"]}'

describe('sixgate lint', () => {
  it('prints place, severity, id, rule and suggestion, and ends in 1', () => {
    const file = here.file('p.jsonc', '{\n  "rules": ["deny bash(rm *)"],\n}\n')

    const ran = here.sixgate(['lint', file])

    expect(ran.code).toBe(1)
    expect(ran.stdout.split('\n')).toEqual([
      `${file}:2:13: warning open-star: \`deny bash(rm *)\`: its last star does not meet, and so leaves open, text with a \`/\` or a new line`,
      '  suggestion: deny bash(rm:*)',
      '0 errors, 1 warning, 0 notes',
      '',
    ])
  })

  it('ends in 0 without findings and with notes alone', () => {
    const clean = here.file('clean.jsonc', '{"rules": ["deny bash(rm:*)"]}')
    const noted = here.file('noted.jsonc', '{"rules": ["deny read(.env)"]}')

    expect(here.sixgate(['lint', clean])).toMatchObject({
      code: 0,
      stdout: '0 errors, 0 warnings, 0 notes\n',
    })
    const ran = here.sixgate(['lint', '--json', clean, noted])
    expect(ran.code).toBe(0)
    expect(json(ran.stdout)).toMatchObject({
      ...{ errors: 0, warnings: 0, notes: 1 },
      findings: [{ id: 'root-only', file: noted, line: 1, column: 12 }],
    })
  })

  it.each(['lint', 'test'])('`%s` refuses a pipe instead of waiting for its writer', (name) => {
    const pipe = join(here.workspace, 'pipe')
    spawnSync('mkfifo', [pipe])

    const ran = here.sixgate([name, pipe])

    expect(ran.code).toBe(66)
    expect(ran.stderr).toContain('suggestion: check that it exists, is a regular file')
  })

  it('ends in 1 for a policy that does not load, with every fault', () => {
    const file = here.file('p.jsonc', '{"rules": ["allow bash(", "alow x"]}')

    const ran = here.sixgate(['lint', '--json', file])

    expect(ran.code).toBe(1)
    expect(json(ran.stdout)['errors']).toBe(2)
  })

  it('writes a SARIF log alone to standard output', () => {
    const file = here.file('p.jsonc', '{"rules": ["deny bash(rm *)"]}')

    const ran = here.sixgate(['lint', '--sarif', file])

    const log = JSON.parse(ran.stdout) as Record<string, any>
    expect(ran.code).toBe(1)
    expect(Object.keys(log).sort()).toEqual(['$schema', 'runs', 'version'])
    expect(log['runs'][0].results[0].ruleId).toBe('open-star')
  })

  it('knows a policy of the workspace, trusted or not, and the constraints of a child', () => {
    const file = inside('p.jsonc', WIDE)

    expect(here.sixgate(['lint', file]).stdout).toContain('warning ineffective')
    here.sixgate(['trust', '--yes', file])
    expect(here.sixgate(['lint', file])).toMatchObject({ code: 0 })
    expect(here.sixgate(['lint', '--child', file]).stdout).toContain('a child gets no allow')
  })

  it.each([
    [['lint'], 64],
    [['lint', '--frobnicate', 'x'], 64],
    [['lint', 'not-there.jsonc'], 66],
  ])('%j ends in %i and prints nothing of it', (args, code) => {
    expect(here.sixgate(args)).toMatchObject({ code, stdout: '' })
  })
})

describe('sixgate trust', () => {
  it('[H-01] shows what would count, trusts it with --yes, lists it and takes it back', () => {
    const file = inside('p.jsonc', WIDE)
    const check = (): number | null => here.sixgate(['check', '--policy', file, 'read(a.txt)']).code
    expect(check()).toBe(3)

    const ran = here.sixgate(['trust', '--yes', 'p.jsonc'])

    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain('  allow read(a.txt)\n')
    expect(ran.stdout).toContain('  capabilities: ')
    expect(ran.stdout).not.toContain('deny')
    expect(statSync(join(here.state, 'sixgate/trust.json')).mode & 0o777).toBe(0o600)
    expect(check()).toBe(0)
    expect(here.sixgate(['check', '--policy', file, 'read(a.txt)']).stderr).toContain('and trusted')
    const [entry] = json(here.sixgate(['trust', '--list', '--json']).stdout)['trusted']
    expect(entry).toMatchObject({ path: file, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(here.sixgate(['trust', '--revoke', file]).code).toBe(0)
    expect(here.sixgate(['trust', '--revoke', file]).code).toBe(66)
    expect(check()).toBe(3)
  })

  it('[H-01] asks nobody but the terminal: a pipe that says yes is no person', () => {
    const file = inside('p.jsonc', WIDE)

    const ran = here.bash(`yes yes | $SIXGATE trust --json ${file}`)

    expect(ran.code).toBe(3)
    expect(json(ran.stdout)).toMatchObject({ trusted: false, answer: 'nobody' })
    expect(existsSync(join(here.state, 'sixgate/trust.json'))).toBe(false)
  })

  for (const [word, code] of [
    ['yes', 0],
    ['no', 4],
    ['', 4],
  ] as const) {
    it(`[H-01] takes the typed word at the terminal: \`${word}\` ends in ${code}`, (context) => {
      context.skip(!hasScript, '`script` of util-linux gives the pseudo terminal')
      const file = inside('p.jsonc', WIDE)

      // Typed after the question: what comes before it is thrown away.
      const ran = here.bash(
        `(sleep 3; printf '%s\\n' '${word}'; sleep 1) | script -qec "$SIXGATE trust ${file}" /dev/null`,
      )

      expect(ran.stdout).toContain('A policy file that a session could write asks for trust.')
      expect(ran.stdout).toContain('  | allow read(a.txt)')
      expect(ran.code).toBe(code)
      expect(existsSync(join(here.state, 'sixgate/trust.json'))).toBe(code === 0)
    })
  }

  it.each([
    ['a file that is no policy', '{"rules": ["allow bash("]}', 65],
    ['a policy that says that it is trusted', '{"trusted": true}', 65],
  ])('[H-01] refuses %s', (_, text, code) => {
    const file = inside('p.jsonc', text)

    expect(here.sixgate(['trust', '--yes', file]).code).toBe(code)
    expect(existsSync(join(here.state, 'sixgate/trust.json'))).toBe(false)
  })

  it('[H-01] refuses to keep its list in the workspace', () => {
    const file = inside('p.jsonc', WIDE)
    const env = { XDG_STATE_HOME: join(here.workspace, 'state') }

    const ran = here.sixgate(['trust', '--yes', file], env)

    expect(ran.code).toBe(64)
    expect(ran.stderr).toContain('would lie where a session writes')
    expect(existsSync(join(here.workspace, 'state'))).toBe(false)
  })

  it('[H-01] says that a damaged list trusts nothing, wherever it is needed', () => {
    const file = inside('p.jsonc', WIDE)
    here.sixgate(['trust', '--yes', file])
    writeFileSync(join(here.state, 'sixgate/trust.json'), '{"schema_version": 1, "trus')

    for (const args of [
      ['check', '--policy', file, 'read(a.txt)'],
      ['trust', '--list'],
      ['trust', '--yes', file],
    ]) {
      const ran = here.sixgate(args)
      expect(ran.code).toBe(65)
      expect(ran.stderr).toContain('the list of trusted policy files is damaged')
    }
  })

  it.each([[[]], [['a', 'b']], [['--list', 'a']], [['--revoke', '--yes', 'a']]])(
    'ends in 64 when it is called as trust %j',
    (args) => {
      expect(here.sixgate(['trust', ...args])).toMatchObject({ code: 64, stdout: '' })
    },
  )
})

describe('what explain proposes', () => {
  const explain = (policy: object, call: string): string => {
    const file = here.file('q.jsonc', JSON.stringify(policy))
    return here.sixgate(['explain', '--policy', file, call]).stdout
  }

  it('is the rule for the one command of several that no allow covers', () => {
    const out = explain({ workMode: 'rw', rules: ['allow bash(ls:*)'] }, 'bash(ls src && npm test)')

    expect(out).toContain('the rule `allow bash(npm test)` would allow it')
    expect(out).toContain('command ["ls","src"]')
    expect(out).toContain('command ["npm","test"]')
  })

  it('is a rule for the file that a covered command writes', () => {
    const out = explain({ workMode: 'rw', rules: ['allow bash(ls:*)'] }, 'bash(ls > out.txt)')

    expect(out).toMatch(/the rule `allow write\([^)]*out\.txt\)` would allow it/)
  })

  it.each([
    ['an ask stands against it', { rules: ['ask bash(npm test:*)'] }, 'bash(npm test)'],
    ['a deny stands against it', { rules: ['deny bash(npm test:*)'] }, 'bash(npm test)'],
    ['two commands lack one', {}, 'bash(npm test && npm start)'],
    ['it would be an interpreter', {}, 'bash(python3 x.py)'],
    ['it would be a runner', {}, 'bash(docker run x)'],
    ['the mode denies it', { workMode: 'ro' }, 'write(a.txt)'],
  ])('is nothing where %s', (_, policy, call) => {
    expect(explain({ workMode: 'rw', ...policy }, call)).not.toContain('would allow it')
  })

  it('is there for a call that is denied only because no rule names it', () => {
    const out = explain({ workMode: 'rw', toolApproval: 'deny_unlisted' }, 'read(a.txt)')

    expect(out).toMatch(/the rule `allow read\([^)]*a\.txt\)` would allow it/)
  })
})
