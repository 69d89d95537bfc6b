/** The text of a file that a person names: a regular one, so that no command waits for a pipe or reads a device. */

import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { ConfigError } from '../index.js'

/** Every byte as UTF-8. Throws `ConfigError unreadable_file` that calls the file by `what`. */
export async function readNamedFile(file: string, what: string): Promise<string> {
  try {
    // Without O_NONBLOCK the open of a FIFO would wait for a writer.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      if (!(await handle.stat()).isFile()) throw notRegular(file)
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
        await handle.readFile(),
      )
    } finally {
      await handle.close()
    }
  } catch (cause) {
    // Nothing is said of what was not read: a file that is left out would look clean.
    throw new ConfigError('unreadable_file', `${what} \`${file}\` cannot be read`, {
      file,
      cause,
      suggestion: 'check that it exists, is a regular file, and is UTF-8',
    })
  }
}

function notRegular(file: string): ConfigError {
  return new ConfigError('unreadable_file', `\`${file}\` is no regular file`, { file })
}
