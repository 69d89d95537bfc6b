/** Other processes at a ledger: a bundle of the store that plain Node runs, and talk with it. */

import { spawn, type ChildProcess } from 'node:child_process'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'

/** A process that owns runs on command. */
export interface LedgerProcess {
  readonly process: ChildProcess
  /** `create`, `reopen`, `close` or text to append; the answer is `ok` or a code. */
  readonly tell: (command: string) => Promise<string>
}

/** Bundles the child process `source` into a new folder that any user may read; gives its path. */
export async function bundleChild(source = '../soak/kill-store-child.ts'): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'sixgate-child-'))
  await build({
    entry: [fileURLToPath(new URL(source, import.meta.url))],
    outDir,
    format: 'esm',
    outExtension: () => ({ js: '.mjs' }),
    noExternal: [/./],
    config: false,
    silent: true,
  })
  await chmod(outDir, 0o755)
  return join(outDir, `${basename(source, '.ts')}.mjs`)
}

/** Starts the child behind `prefix`, such as a command that changes the user. */
export async function startChild(
  child: string,
  args: readonly string[],
  prefix: readonly string[] = [],
): Promise<LedgerProcess> {
  const [command = process.execPath, ...rest] = [
    ...prefix,
    process.execPath,
    child,
    'obey',
    ...args,
  ]
  const started = spawn(command, rest, { stdio: ['pipe', 'pipe', 'inherit'] })
  const answers = createInterface({ input: started.stdout })[Symbol.asyncIterator]()
  const nextAnswer = async (): Promise<string> => {
    const { value, done } = await answers.next()
    return done === true ? 'ended' : value
  }
  await nextAnswer()
  return {
    process: started,
    tell(text) {
      started.stdin.write(`${text}\n`)
      return nextAnswer()
    },
  }
}
