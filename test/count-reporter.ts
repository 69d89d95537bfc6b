/** Ends a test run with one line that people and scripts read: what passed, failed and was skipped, and why. */

import type { Reporter, TestModule } from 'vitest/node'

/** Prints `N passed, M failed`, a failed module counting as one failure; skips are named with their reason. */
export const countReporter: Reporter = {
  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const passed = tests.filter((test) => test.result().state === 'passed').length
    const failed = tests.filter((test) => test.result().state === 'failed').length
    for (const test of tests) {
      const result = test.result()
      if (result.state !== 'skipped') continue
      console.log(`skipped: ${test.fullName} (${result.note ?? 'no reason given'})`)
    }
    const broken = modules.filter(isBroken).length + unhandledErrors.length
    console.log(`${passed} passed, ${failed + broken} failed`)
  },
}

/** A module that failed before or beside its tests: a syntax error, a failing hook. */
function isBroken(module: TestModule): boolean {
  return module.errors().length > 0
}
