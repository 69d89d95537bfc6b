/** `loadPolicy` (api.md): a policy from a JSONC file. */

import type { Policy } from './contract/policy.js'
import { ConfigError } from './core/errors.js'
import { absolutePath } from './platform/disk/private-files.js'
import { readTextFile } from './platform/disk/text-file.js'
import { parsePolicy } from './policy/load.js'

/** Larger files are refused. Bytes. */
const MAXIMUM = 1024 * 1024

/**
 * Rejects with `ConfigError` that names file, line, column, path, allowed values and a suggestion.
 * A file that fails to load never replaces the policy in force and never becomes an empty one.
 */
export async function loadPolicy(
  path: string,
  options: { readonly source?: 'managed' | 'user' | undefined } = {},
): Promise<Policy> {
  // A later change of the working folder must not move what the control plane protects.
  const file = absolutePath(path)
  let text: string
  try {
    text = await readTextFile(file, MAXIMUM)
  } catch (cause) {
    // A policy that cannot be read is no policy: nothing is loaded.
    throw new ConfigError('unreadable_file', `the policy file \`${path}\` cannot be read`, {
      file,
      cause,
      suggestion: 'check that it exists, is a regular file of at most 1 MiB, and is UTF-8',
    })
  }
  return parsePolicy(text, file, options.source ?? 'user')
}
