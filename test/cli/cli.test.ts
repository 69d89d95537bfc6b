/** The `sixgate` command as a child process: exit codes, JSON, pipes, faults, the real sandbox. */

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createNativeSandbox } from '../../src/sandbox/entry.js'
import { defaultPolicyFile } from '../../src/audit/entry.js'
import { buildCommand, ground, type Ground } from './command.js'

const POLICY = `{
  // what the tests are about
  "workMode": "rw",
  "rules": ["allow bash(echo:*)", "allow bash(sh:*)", "deny bash(git commit:*)", "deny read(secret/**)"],
}`

const probe = await createNativeSandbox().probe()

/** A test that runs a command for real. */
function withSandbox(name: string, run: () => void): void {
  it(name, (context) => {
    context.skip(probe.status !== 'ready', probe.cause ?? 'no sandbox')
    run()
  })
}

/** Gives a real pseudo terminal to a real process (util-linux). */
const hasScript = String(spawnSync('script', ['--version']).stdout).includes('util-linux')

let command: Awaited<ReturnType<typeof buildCommand>>
let here: Ground
let policy: string

beforeAll(async () => {
  command = await buildCommand()
})
afterAll(() => command.remove())
beforeEach(() => {
  here = ground(command.file)
  policy = here.file('policy.jsonc', POLICY)
})
afterEach(() => here.remove())

const SIX = ['work_mode', 'network', 'user_rule', 'tool_approval', 'approval_response', 'sandbox']

/** The first word of each line that names a layer, in order. */
function layersIn(text: string): readonly string[] {
  const words = text.split('\n').map((line) => line.trim().split(/\s+/)[0] ?? '')
  return words.filter((word) => SIX.includes(word))
}

function json(text: string): Record<string, any> {
  const value = JSON.parse(text) as Record<string, any>
  expect(value['schema_version']).toBe(1)
  return value
}

describe('sixgate run', () => {
  withSandbox('ends with the exit code of the command and hands on both streams', () => {
    writeFileSync(join(here.workspace, 'job.sh'), 'echo out; echo err >&2; exit 7\n')

    const ran = here.sixgate(['run', '--policy', policy, '--', 'sh', 'job.sh'])

    expect(ran.code).toBe(7)
    expect(ran.stdout).toBe('out\n')
    expect(ran.stderr).toContain('err\n')
    expect(layersIn(ran.stderr)).toEqual(SIX)
    expect(ran.stderr).toMatch(/^user_rule\s+allow\s+`allow bash\(sh:\*\)`$/m)
    expect(ran.stderr).toMatch(/^tool_approval\s+not reached\s+-$/m)
    expect(ran.stderr).toContain('not enforced here: ')
  })

  withSandbox('runs inside the real sandbox: no network, no other home', () => {
    const script =
      'ls -A ~ | wc -l; (exec 3<>/dev/tcp/127.0.0.1/9) 2>/dev/null && echo net; cat /proc/1/comm\n'
    writeFileSync(join(here.workspace, 'look.sh'), script)

    const ran = here.sixgate(['run', '--json', '--policy', policy, '--', 'sh', 'look.sh'])

    const { result } = json(ran.stdout)
    expect(result.stdout).toMatch(/^0\n/)
    expect(result.stdout).not.toContain('net\n')
  })

  withSandbox('keeps several words as they are and takes one word for a text', () => {
    const words = here.sixgate(['run', '--policy', policy, '--', 'echo', "it's", '$HOME', 'a  b'])
    const text = here.sixgate(['run', '--policy', policy, '--', 'echo one two'])

    expect(words.stdout).toBe("it's $HOME a  b\n")
    expect(text.stdout).toBe('one two\n')
  })

  it('ends in 4 for a denied command, and runs nothing', () => {
    const ran = here.sixgate(['run', '--policy', policy, '--', 'git', 'commit', 'origin'])

    expect(ran.code).toBe(4)
    expect(ran.stdout).toBe('')
    expect(ran.stderr).toMatch(/^user_rule\s+deny\s+`deny bash\(git commit:\*\)`$/m)
    expect(ran.stderr).toMatch(/^sandbox\s+not reached/m)
  })

  withSandbox('ends in 3 when it has to be asked and no terminal is there', () => {
    const ran = here.bash(`yes yes | $SIXGATE run --json --policy ${policy} -- touch made`)

    expect(ran.code).toBe(3)
    expect(json(ran.stdout)).toMatchObject({ status: 'denied', exit_code: 3, result: null })
    expect(existsSync(join(here.workspace, 'made'))).toBe(false)
  })

  it('says of a policy in the workspace that what it allows does not count', () => {
    writeFileSync(join(here.workspace, 'p.jsonc'), POLICY)

    const ran = here.sixgate(['run', '--policy', 'p.jsonc', '--', 'echo', 'x'])

    expect(ran.code).not.toBe(0)
    expect(ran.stdout).toBe('')
    expect(ran.stderr).toContain(
      'what it allows does not count until a person runs `sixgate trust`',
    )
  })

  withSandbox('never prints the value of a variable that is named like a secret', () => {
    writeFileSync(join(here.workspace, 'notes'), 'key s3cr3t-v4lue end\n')
    writeFileSync(join(here.workspace, 'job.sh'), 'cat notes\n')
    const env = { DEPLOY_TOKEN: 's3cr3t-v4lue' }

    const plain = here.sixgate(['run', '--policy', policy, '--', 'sh', 'job.sh'], env)
    const asJson = here.sixgate(['run', '--json', '--policy', policy, '--', 'sh', 'job.sh'], env)

    expect(plain.stdout).toBe('key [masked] end\n')
    expect(plain.stdout + plain.stderr + asJson.stdout).not.toContain('s3cr3t-v4lue')
  })
})

describe('sixgate check and explain', () => {
  it.each([
    ['bash(git commit origin)', 4, 'deny'],
    ['bash(npm test)', 3, 'ask'],
    ['read(secret/key)', 4, 'deny'],
    ['{"broken"', 64, null],
    ['deploy(x)', 64, null],
  ])('check `%s` ends in %i', (call, code, decision) => {
    const ran = here.sixgate(['check', '--policy', policy, '--json', call])

    expect(ran.code).toBe(code)
    if (decision !== null) expect(json(ran.stdout)['decision']).toBe(decision)
  })

  withSandbox('check ends in 0 for a call that is allowed', () => {
    expect(here.sixgate(['check', '--policy', policy, 'bash(echo hi)']).code).toBe(0)
  })

  it('takes arguments as JSON as well', () => {
    const ran = here.sixgate(['check', '--policy', policy, 'read({"files":[{"path":"secret/a"}]})'])

    expect(ran.code).toBe(4)
  })

  it('shows the layers, the rules that each subject met, and the smallest rule that would allow', () => {
    const ran = here.sixgate(['explain', '--policy', policy, 'bash(npm test)'])

    expect(ran.code).toBe(3)
    expect(layersIn(ran.stdout).slice(0, 6)).toEqual(SIX)
    expect(ran.stdout).toContain('subject npm test: meets no rule')
    expect(ran.stdout).toContain('`allow bash(npm test)` would allow it')
  })

  it('says why a shell text proves nothing', () => {
    const ran = here.sixgate(['explain', '--policy', policy, 'bash(sh -c "$TEXT")'])

    expect(ran.stdout).toContain('refused.wrapper_option')
  })

  it('says where a relative program is, for a rule means the one in the first folder', () => {
    const ran = here.sixgate(['explain', '--policy', policy, 'bash(cd sub && ./run.sh)'])

    expect(ran.stdout).toContain('command ["./run.sh"] in sub')
  })

  it('judges by the strict default and says so when there is no policy', () => {
    const ran = here.sixgate(['check', 'write(a.txt)'])

    expect(ran.code).toBe(4)
    expect(ran.stderr).toContain('policy: the strict default, for there is no /')
    expect(ran.stderr).toContain('policy.jsonc')
  })

  it('says of a rule for a policy that nobody trusts what makes it count', () => {
    const own = join(here.workspace, 'own.jsonc')
    writeFileSync(own, '{"workMode": "rw", "rules": ["allow bash(npm test)"]}')

    const ran = here.sixgate(['explain', '--policy', own, 'bash(npm test)'])

    expect(ran.code).toBe(3)
    expect(ran.stdout).toContain(`would allow it; it counts after \`sixgate trust ${own}\``)
  })

  it('proposes the call that a bare command was meant for', () => {
    const ran = here.sixgate(['explain', 'npm test'])

    expect(ran).toMatchObject({ code: 64, stdout: '' })
    expect(ran.stderr).toContain("for a command: 'bash(npm test)'")
  })

  it('finds the policy of the workspace in the control directory', () => {
    const before = process.env['XDG_STATE_HOME']
    process.env['XDG_STATE_HOME'] = here.state
    const file = defaultPolicyFile(here.workspace)
    if (before === undefined) delete process.env['XDG_STATE_HOME']
    else process.env['XDG_STATE_HOME'] = before
    here.file(file.slice(here.state.length - 'state'.length), '{"rules": ["allow read(a.txt)"]}')

    const ran = here.sixgate(['check', '--json', 'read(a.txt)'])

    expect(ran.code).toBe(0)
    expect(json(ran.stdout)['policy'].file).toBe(file)
  })
})

describe('sixgate test', () => {
  const aCase = (id: string, path: string, decision: string, more: object = {}): string =>
    JSON.stringify({
      id,
      context: { cwd: '/ws', workspace: '/ws', home: '/home/u', ...more },
      call: { tool: 'read', args: { file_path: path } },
      expect: { decision: [decision] },
    })

  it('ends in 0 when all pass, its last line the count', () => {
    const cases = here.file('cases.jsonl', `${aCase('a', 'secret/x', 'deny')}\n`)

    const ran = here.sixgate(['test', policy, cases])

    expect(ran.code).toBe(0)
    expect(ran.stdout.trimEnd().split('\n').at(-1)).toBe('1 passed, 0 failed')
  })

  it('ends in 1 when one fails, and says what came instead', () => {
    const lines = [aCase('a', 'secret/x', 'deny'), aCase('b', 'secret/x', 'allow')]
    const cases = here.file('cases.jsonl', lines.join('\n'))

    const ran = here.sixgate(['test', policy, cases])

    expect(ran.code).toBe(1)
    expect(ran.stdout).toContain('FAILED b: expected allow, was deny at user_rule by')
    expect(ran.stdout.trimEnd().split('\n').at(-1)).toBe('1 passed, 1 failed')
  })

  it('names what it cannot run yet and counts it as neither', () => {
    const download = aCase('w', 'x', 'ask').replace('"tool":"read"', '"tool":"download"')
    const lines = [aCase('a', 'x', 'ask'), download]
    const cases = here.file('cases.jsonl', lines.join('\n'))

    const plain = here.sixgate(['test', cases])
    const asJson = json(here.sixgate(['test', '--json', cases]).stdout)

    expect(plain.stdout).toMatch(/^not yet run w: .*tool/m)
    expect(plain.stdout.trimEnd().split('\n').at(-1)).toBe('1 passed, 0 failed')
    expect(asJson).toMatchObject({ passed: 1, failed: 0, not_yet_run: 1 })
  })

  it('refuses a file of cases with its line, and runs nothing of it', () => {
    const cases = here.file('cases.jsonl', `${aCase('a', 'x', 'ask')}\n{"id": "b"\n`)

    const ran = here.sixgate(['test', cases])

    expect(ran.code).toBe(65)
    expect(ran.stderr).toContain(`${cases}:2:1: `)
    expect(ran.stdout).toBe('')
  })
})

describe('sixgate trace', () => {
  const ledgerOf = (): string =>
    join(here.state, 'sixgate', readdirSync(join(here.state, 'sixgate'))[0]!)
  const recordsOf = (folder: string): string =>
    join(
      folder,
      'runs',
      readdirSync(join(folder, 'runs'), { recursive: true, encoding: 'utf8' }).find((name) =>
        name.endsWith('.jsonl'),
      )!,
    )

  beforeEach(() => {
    here.sixgate(['run', '--policy', policy, '--', 'git', 'commit', 'origin'])
  })

  it('shows the path of each call, walked back from its end', () => {
    const ran = here.sixgate(['trace', ledgerOf()])

    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain('denied by user_rule `deny bash(git commit:*)`')
    expect(layersIn(ran.stdout)).toEqual(SIX)
  })

  it('gives the chain as JSON, for one call as well', () => {
    const all = json(here.sixgate(['trace', '--json', ledgerOf()]).stdout)
    const call = all['runs'][0].calls[0]
    const one = json(here.sixgate(['trace', '--json', '--call', call.call_id, ledgerOf()]).stdout)

    expect(call.chain.map((node: { layer: string }) => node.layer)).toEqual([
      'work_mode',
      'network',
      'user_rule',
    ])
    expect(one['runs'][0].calls).toEqual([call])
  })

  it('reports a gap, tells nothing of the broken call, and mends nothing', () => {
    const file = recordsOf(ledgerOf())
    const lines = readFileSync(file, 'utf8').split('\n')
    writeFileSync(file, lines.filter((line) => !line.includes('"layer":"network"')).join('\n'))
    const before = readFileSync(file, 'utf8')

    const ran = here.sixgate(['trace', ledgerOf()])

    expect(ran.code).toBe(1)
    expect(ran.stdout).toContain('gap: the recorded chain is broken (missing_parent)')
    expect(layersIn(ran.stdout)).toEqual([])
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  it.each([
    ['a folder without a ledger', () => ['trace', here.workspace]],
    ['a call that is not there', () => ['trace', '--call', 'nope', ledgerOf()]],
  ])('ends in 66 for %s and makes nothing', (_, args) => {
    expect(here.sixgate(args()).code).toBe(66)
    expect(readdirSync(here.workspace)).toEqual([])
  })
})

describe('sixgate doctor', () => {
  it('answers for each guarantee, with cause and remedy where one is missing', () => {
    const ran = here.sixgate(['doctor', '--json'])

    const { status, guarantees } = json(ran.stdout)
    expect(ran.code).toBe(status === 'ready' ? 0 : 1)
    expect(Object.keys(guarantees)).toHaveLength(15)
    for (const one of Object.values<Record<string, string>>(guarantees)) {
      if (one['status'] === 'enforced') continue
      expect(one['cause']).toMatch(/.+/)
      expect(one['remedy']).toMatch(/.+/)
    }
  })
})

describe('the command', () => {
  it.each([
    [[]],
    [['frobnicate']],
    [['run', 'ls']],
    [['run', '--']],
    [['run', '--frobnicate', '--', 'ls']],
    [['check']],
    [['check', '--policy']],
    [['test']],
    [['trace']],
    [['doctor', 'extra']],
  ])('ends in 64 when it is called as %j', (args) => {
    const ran = here.sixgate(args)

    expect(ran.code).toBe(64)
    expect(ran.stdout).toBe('')
    expect(ran.stderr).toContain('suggestion: see `sixgate --help`')
  })

  it('prints help and version', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

    expect(here.sixgate(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` })
    expect(here.sixgate(['--help']).stdout).toContain('sixgate <command>')
    expect(here.sixgate(['run', '--help']).stdout).toContain('-- <command …>')
  })

  it('names file, line, column, allowed values and a suggestion of a broken policy', () => {
    const broken = here.file('broken.jsonc', '{\n  "workMode": "rx"\n}\n')

    const ran = here.sixgate(['check', '--policy', broken, 'bash(ls)'])

    expect(ran.code).toBe(65)
    expect(ran.stderr).toContain(`${broken}:2:3: `)
    expect(ran.stderr).toContain('allowed: plan, ro, rw, full')
    expect(ran.stderr).toMatch(/suggestion: \w+/)
  })

  it('never takes the default for a policy that has a syntax error or is not there', () => {
    const broken = here.file('broken.jsonc', '{ "rules": [ ')

    expect(here.sixgate(['run', '--policy', broken, '--', 'echo']).code).toBe(65)
    expect(here.sixgate(['run', '--policy', `${broken}.nope`, '--', 'echo']).code).toBe(66)
  })

  it('gives faults as JSON when JSON was asked for', () => {
    const broken = here.file('broken.jsonc', '{ "rules": [ ')

    const ran = here.sixgate(['check', '--json', '--policy', broken, 'bash(ls)'])

    expect(json(ran.stdout)['error']).toMatchObject({ code: 'syntax', file: broken, line: 1 })
  })

  it('ends quietly when the reader of a pipe has seen enough, and colours no pipe', () => {
    const ran = here.bash(`$SIXGATE doctor | head -1; echo "\${PIPESTATUS[0]}"`)

    expect(ran.stderr).toBe('')
    expect(ran.stdout).not.toContain('\u{1b}')
    expect(ran.stdout.split('\n')[0]).toContain('sandbox ')
  })

  it('colours for a terminal, unless NO_COLOR says not to', (context) => {
    context.skip(!hasScript, '`script` of util-linux gives the pseudo terminal')
    const line = 'script -qec "$SIXGATE check \'bash(ls)\'" /dev/null'

    expect(here.bash(line).stdout).toContain('\u{1b}[33mask\u{1b}[0m')
    expect(here.bash(`NO_COLOR=1 ${line}`).stdout).not.toContain('\u{1b}')
  })
})
