/** Reads a command's options; whatever is not understood is a usage error, never ignored. */

import { resolve } from 'node:path'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { ConfigError } from '../index.js'

/** Options that a command takes, by name. */
export type OptionSpec = Readonly<Record<string, 'text' | 'flag'>>

/** What was given. */
export interface Given {
  readonly text: (name: string) => string | undefined
  readonly flag: (name: string) => boolean
  readonly positionals: readonly string[]
}

/** Throws `ConfigError invalid_option` for an unknown option or a missing value. */
export function readArguments(args: readonly string[], spec: OptionSpec): Given {
  const options: NonNullable<ParseArgsConfig['options']> = {}
  const all: OptionSpec = { ...spec, json: 'flag' }
  for (const [name, kind] of Object.entries(all)) {
    options[name] = { type: kind === 'text' ? 'string' : 'boolean' }
  }
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      strict: true,
    })
    return {
      text(name) {
        const value = values[name]
        return typeof value === 'string' ? value : undefined
      },
      flag: (name) => values[name] === true,
      positionals,
    }
  } catch (cause) {
    // Nothing is run: a mistyped option must not change what a command does.
    throw usageFault(cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : '')
  }
}

/** The folder that was named, or the one that this process is in. Throws `ConfigError workspace_refused`. */
export function workspaceFolder(given: string | undefined): string {
  try {
    return resolve(given ?? '.')
  } catch (cause) {
    // Denied: the command. A folder that is gone has no place to judge paths by.
    throw new ConfigError('workspace_refused', 'the current folder is gone', {
      suggestion: 'change to the folder of one project',
      cause,
    })
  }
}

/** A mistake in how the command was called. */
export function usageFault(message: string, suggestion = 'see `sixgate --help`'): ConfigError {
  return new ConfigError('invalid_option', message, { suggestion })
}
