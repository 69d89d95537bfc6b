/** What the build left in dist, for the tests that look at the package as its users get it. */

import { existsSync, readFileSync } from 'node:fs'
import type { TestContext } from 'vitest'

/** The parts of package.json that tests look at. */
export interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>
  readonly scripts: Readonly<Record<string, string>>
  readonly bin: Readonly<Record<string, string>>
  readonly sideEffects: boolean
}

export const manifest: Manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest

/** Import specifiers of every sub-path that holds code. */
export const specifiers: readonly string[] = Object.keys(manifest.exports)
  .filter((subPath) => !subPath.endsWith('.json'))
  .map((subPath) => subPath.replace('.', 'sixgate'))

/** For `beforeEach`: `npm test` builds first; a bare `vitest run` on a fresh clone has nothing to look at. */
export function skipUnlessBuilt(context: TestContext): void {
  context.skip(!existsSync('dist/index.js'), 'no dist; `npm test` builds it')
}
