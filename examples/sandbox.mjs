// @ts-check
/** The boundary alone, without a pipeline: `node examples/sandbox.mjs` after a build. */

import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSandbox, SandboxError } from 'sixgate/sandbox'

const base = mkdtempSync(join(tmpdir(), 'sixgate-sandbox-'))
const workspace = mkdtempSync(join(base, 'project-'))
writeFileSync(join(workspace, '.env'), 'TOKEN=secret\n')

const sandbox = await openSandbox({ workspace, profile: { limits: { timeoutMs: 10_000 } } })
try {
  const { exitCode, stdout } = await sandbox.exec({
    command: `echo made > here; echo x > ${base}/beside; cat .env ~/.ssh/id_* 2> /dev/null
      (exec 3<> /dev/tcp/192.0.2.1/80) 2> /dev/null || echo no network
      mkdir -p .git/hooks 2> /dev/null || echo no hooks`,
  })
  console.log(stdout)
  assert.equal(exitCode, 0)
  assert.equal(readFileSync(join(workspace, 'here'), 'utf8'), 'made\n')
  assert.equal(existsSync(join(base, 'beside')), false)
  assert.equal(stdout, 'no network\nno hooks\n')
} catch (error) {
  // Where this machine has no boundary nothing ran, and the error says what helps.
  if (!(error instanceof SandboxError) || sandbox.report.status === 'ready') throw error
  console.log(`${error.message}\n${error.remedy}`)
} finally {
  rmSync(base, { recursive: true })
}
