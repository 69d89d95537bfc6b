/** The second opinions are no dependencies: `npm ci --prefix test/shell/opinions` brings them when they are missing. */

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const HERE = import.meta.dirname
const INSTALL = ['ci', '--prefix', HERE, '--ignore-scripts', '--no-audit', '--no-fund']

/** Installs what is missing or of another version than `package.json` pins; what cannot be installed throws. */
export function installParsers(): void {
  if (isInstalled()) return
  process.stdout.write(`installing the second opinions: npm ${INSTALL.join(' ')}\n`)
  execFileSync('npm', INSTALL, { stdio: 'inherit', shell: process.platform === 'win32' })
  if (!isInstalled()) throw new Error(`npm did not install what ${HERE}/package.json pins`)
}

/** A package of this folder's own `package.json`, and a path inside one. */
export const fromHere: NodeJS.Require = createRequire(join(HERE, 'packages.ts'))

function isInstalled(): boolean {
  const pinned = versionsIn('package.json').devDependencies ?? {}
  return Object.entries(pinned).every(
    ([name, version]) => versionsIn('node_modules', name, 'package.json').version === version,
  )
}

interface Versions {
  readonly version?: string
  readonly devDependencies?: Readonly<Record<string, string>>
}

function versionsIn(...path: readonly string[]): Versions {
  const file = join(HERE, ...path)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Versions) : {}
}
