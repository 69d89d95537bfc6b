/** The `sixgate` command where something of a usual machine is missing: each time a code, a reason and a remedy. */

import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** A user without any privilege, and without a line in the list of users. */
const OTHER_USER = 61_001

const folder = mkdtempSync(join(tmpdir(), 'sixgate-crippled-'))
const [command, workspace, home] = ['cli.mjs', 'ws', 'home'].map((name) => join(folder, name))
const policy = join(folder, 'policy.json')
const isRoot = process.platform === 'linux' && process.geteuid?.() === 0

beforeAll(async () => {
  chmodSync(folder, 0o755)
  await build({
    entryPoints: ['src/cli/main.ts'],
    outfile: command ?? '',
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    mainFields: ['module', 'main'],
    logLevel: 'silent',
  })
  for (const own of [workspace, home]) {
    mkdirSync(own ?? '')
    chownSync(own ?? '', OTHER_USER, OTHER_USER)
  }
  const rules = ['allow bash(echo:*)', 'allow bash(exit:*)', 'allow bash(sleep:*)']
  writeFileSync(policy, JSON.stringify({ capabilities: ['process.exec'], rules }))
  const capabilities = ['process.exec', 'fs.write']
  writeFileSync(`${policy}.rw`, JSON.stringify({ capabilities, rules }))
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A bash line in which `$SIXGATE` is the command and `$POLICY` allows `echo`; nobody can be asked. */
function bash(line: string, env: Readonly<Record<string, string>> = { HOME: home ?? '' }): Ran {
  const user = ['--reuid', `${OTHER_USER}`, '--regid', `${OTHER_USER}`, '--clear-groups', '--']
  const words = ['--wait', 'setpriv', ...user, '/bin/bash', '-c', line]
  const { status, stdout, stderr } = spawnSync('setsid', words, {
    cwd: workspace,
    env: {
      PATH: process.env['PATH'],
      SIXGATE: `${process.execPath} ${command}`,
      POLICY: policy,
      ...env,
    },
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { code: status, stdout, stderr }
}

describe.skipIf(!isRoot)('the command as a user whom no list knows (needs root)', () => {
  it('runs what its policy allows', () => {
    const ran = bash('$SIXGATE run --policy $POLICY -- echo hi')

    expect(ran).toMatchObject({ code: 0, stdout: 'hi\n' })
  })

  it.each([{}, { HOME: '' }, { HOME: 'relative' }])('asks for a place with %j', (env) => {
    const ran = bash('$SIXGATE run --policy $POLICY -- echo hi', env)

    expect(ran).toMatchObject({ code: 66, stdout: '' })
    expect(ran.stderr).toContain('set HOME or XDG_STATE_HOME')
  })

  it('runs in a workspace in which this user can make nothing', () => {
    mkdirSync(join(folder, 'closed'))

    const ran = bash(`$SIXGATE run --workspace ${folder}/closed --policy $POLICY -- echo hi`)

    expect(ran).toMatchObject({ code: 0, stdout: 'hi\n' })
  })

  it('needs no home where the state directory is named', () => {
    const ran = bash('$SIXGATE run --policy $POLICY -- echo hi', {
      XDG_STATE_HOME: `${home}/state`,
    })

    expect(ran).toMatchObject({ code: 0, stdout: 'hi\n' })
  })

  it.each(['INT', 'TERM', 'HUP'])(
    'ends the command at a signal %s and leaves nothing in the workspace',
    (name) => {
      const ran = bash(
        `$SIXGATE run --policy $POLICY.rw -- sleep 61.5 & sleep 2; ls -A; kill -${name} $!; wait $!; echo $?; ls -A`,
      )

      expect(ran.stdout.split('\n')).toContain('.vscode')
      expect(ran.stdout).toMatch(/\npolicy\.jsonc\n130\n$/)
    },
  )

  it('says what to do when its folder is gone', () => {
    const ran = bash('mkdir gone; cd gone; rmdir ../gone; $SIXGATE run --policy $POLICY -- echo hi')

    expect(ran).toMatchObject({ code: 64, stdout: '' })
    expect(ran.stderr).toContain('suggestion: change to the folder of one project')
  })

  it('says what to do when nobody can be asked', () => {
    const plain = bash('$SIXGATE run -- ls')
    const asJson = bash('$SIXGATE run --json -- ls')

    expect(plain.code).toBe(3)
    expect(plain.stderr).toMatch(/^remedy: run it at a terminal, .* allow it by a rule in \//m)
    expect(JSON.parse(asJson.stdout)).toMatchObject({ remedy: expect.stringMatching(/^run it/) })
  })

  it.each([
    ['*.example:443', 'give `--grant` one exact host'],
    ['a.example:443', 'permit the host by `network`'],
  ])('says what to do about the grant %s', (grant, remedy) => {
    const ran = bash(`$SIXGATE run --policy $POLICY --grant '${grant}' -- echo hi`)

    expect(ran).toMatchObject({ code: 4, stdout: '' })
    expect(ran.stderr).toContain(`remedy: ${remedy}`)
  })

  it.each([
    ['a denied call', 'touch made', 4],
    ['a command', 'echo hi; exit 7', 7],
  ])('keeps the exit code of %s when nobody reads what it says', (_, text, code) => {
    const allowed = text.startsWith('echo') ? "'echo hi; exit 7'" : text
    const ran = bash(
      `$SIXGATE run --policy $POLICY -- ${allowed} > >(exec true) 2> >(exec true); echo $?`,
    )

    expect(ran.stdout).toBe(`${code}\n`)
  })
})
