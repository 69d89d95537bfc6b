/** How tests run: unit tests beside their file, suites in test/, and a count as the last line. */

import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { countReporter } from './test/count-reporter.js'

const ENOUGH = { lines: 95, branches: 95 }

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    pool: 'forks',
    // Real sandboxes and real files on a busy two-core machine; what hangs still ends.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    reporters: ['default', countReporter],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/**/*.test.ts'],
      thresholds: {
        'src/core/**': ENOUGH,
        'src/policy/**': ENOUGH,
        'src/pipeline/**': ENOUGH,
        'src/trace/**': ENOUGH,
      },
    },
  },
})

export default config
