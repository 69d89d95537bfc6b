/** Every escape of this version, as root and as another user, each with a twin that must succeed. */

import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'tsup'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CASES, type CaseReport } from './subject.js'

/** A user without any privilege; it needs no entry in /etc/passwd. */
const OTHER_USER = 1001

const folder = mkdtempSync(join(tmpdir(), 'sixgate-subject-'))
const probe = join(folder, 'probe')
const launcher = reasonWithoutLauncher()
const users = [
  {
    name: process.getuid?.() === 0 ? 'root' : 'this user',
    prefix: [] as string[],
    reason: launcher,
  },
  {
    name: `user ${OTHER_USER}`,
    prefix: [
      'setpriv',
      '--reuid',
      `${OTHER_USER}`,
      '--regid',
      `${OTHER_USER}`,
      '--clear-groups',
      '--',
    ],
    reason: launcher ?? reasonWithoutOtherUser(),
  },
]

beforeAll(async () => {
  chmodSync(folder, 0o755)
  compileProbe()
  await build({
    entry: { subject: 'test/escape/subject.ts' },
    outDir: folder,
    format: 'esm',
    target: 'node20',
    config: false,
    silent: true,
    dts: false,
    outExtension: () => ({ js: '.mjs' }),
  })
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each(users)('as $name', ({ name, prefix, reason }) => {
  const reports = new Map<string, CaseReport>()
  if (reason !== null) console.warn(`escapes as ${name} skipped: ${reason}`)

  beforeAll(async () => {
    if (reason !== null) return
    for (const report of await runAs(prefix)) reports.set(report.id, report)
  }, 300_000)

  it.for(CASES.map(({ id, title }) => ({ id, title })))(
    '[$id] nothing gets out when a command $title',
    ({ id }, context) => {
      if (reason !== null) return context.skip(reason)
      const report = reports.get(id)
      if (report?.status === 'skipped') {
        console.warn(`${id} skipped: ${report.detail}`)
        return context.skip(report.detail)
      }

      expect(report).toEqual({ id, status: 'held', detail: '' })
    },
  )
})

/** Without a compiler the cases that need the probe are skipped, and say so. */
function compileProbe(): void {
  try {
    execFileSync('gcc', ['-O1', '-o', probe, 'test/escape/seccomp/probe.c'], { stdio: 'pipe' })
  } catch (error) {
    console.warn(`the probe of system calls is not built: ${String(error).split('\n')[0]}`)
  }
}

async function runAs(prefix: readonly string[]): Promise<readonly CaseReport[]> {
  // Descriptor 40 is left open on purpose: a host may have been started with one.
  const script = 'exec 40</etc/hostname; exec "$@"'
  const command = [...prefix, process.execPath, join(folder, 'subject.mjs'), 'all']
  const { stdout } = await promisify(execFile)('/bin/bash', ['-c', script, 'bash', ...command], {
    env: {
      PATH: process.env['PATH'],
      LANG: 'C.UTF-8',
      TMPDIR: '/tmp',
      SIXGATE_ESCAPE_SUBJECT: '1',
      SIXGATE_PROBE: existsSync(probe) ? probe : '',
      CANARY: 's3cr3t',
      AWS_SECRET_ACCESS_KEY: 's3cr3t',
      SSH_AUTH_SOCK: '/tmp/agent',
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/bus',
    },
    maxBuffer: 1 << 24,
  })
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as CaseReport)
}

function reasonWithoutLauncher(): string | null {
  if (process.platform !== 'linux') return 'bubblewrap exists on Linux only'
  try {
    execFileSync('/usr/bin/bwrap', [
      '--unshare-all',
      '--ro-bind',
      '/',
      '/',
      '--proc',
      '/proc',
      '/bin/true',
    ])
    return null
  } catch (error) {
    return `bubblewrap does not run here: ${String(error).split('\n')[0]}`
  }
}

function reasonWithoutOtherUser(): string | null {
  if (process.getuid?.() !== 0) return 'only root can start a command as another user'
  try {
    execFileSync('setpriv', [
      '--reuid',
      `${OTHER_USER}`,
      '--clear-groups',
      process.execPath,
      '--version',
    ])
    return null
  } catch {
    return 'setpriv is missing, or that user cannot run node'
  }
}
