#!/usr/bin/env node
/** The `sixgate` command (hosts.md §5): finds the command, runs it, and turns every fault into an exit code. */

import { readFileSync } from 'node:fs'
import { usageFault } from './arguments.js'
import { check } from './commands/check.js'
import { EXIT, type Command } from './command.js'
import { doctor } from './commands/doctor.js'
import { explain } from './commands/explain.js'
import { lint } from './commands/lint.js'
import { reportFault } from './fault.js'
import { processOutput, type Output } from './output.js'
import { run } from './commands/run.js'
import { shell } from './commands/shell.js'
import { test } from './commands/test.js'
import { trace } from './commands/trace.js'
import { trust } from './commands/trust.js'

const COMMANDS: readonly Command[] = [run, check, explain, shell, test, lint, trust, trace, doctor]

/** Nobody reads any more. */
const UNREAD: readonly string[] = ['EPIPE', 'ERR_STREAM_DESTROYED']

// A reader that has seen enough, such as `head`, is no fault, and no success either: the command goes on, and
// its exit code says what became of it.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
    if (!UNREAD.includes(code)) process.exit(EXIT.internal)
  })
}
process.exitCode = await main(process.argv.slice(2), processOutput())

async function main(argv: readonly string[], output: Output): Promise<number> {
  const [name, ...args] = argv
  const own = args.slice(0, args.includes('--') ? args.indexOf('--') : args.length)
  try {
    if (name === '--version') return say(output, versionOf())
    if (name === '--help' || name === 'help') return help(output, undefined)
    const command = COMMANDS.find((one) => one.name === name)
    if (command === undefined) {
      throw usageFault(name === undefined ? 'no command given' : `no command \`${name}\``)
    }
    if (own.includes('--help')) return help(output, command)
    return await command.run(args, output)
  } catch (fault) {
    // Denied: whatever the command was to do. Nothing is tried again.
    return reportFault(fault, output, own.includes('--json'))
  }
}

function say(output: Output, text: string): number {
  output.line(text)
  return EXIT.ok
}

function help(output: Output, only: Command | undefined): number {
  output.line(`usage: sixgate ${only === undefined ? '<command>' : `${only.name} ${only.usage}`}`)
  output.line('')
  for (const { name, usage, summary } of only === undefined ? COMMANDS : [only]) {
    output.line(`  ${name.padEnd(8)} ${summary}`)
    if (only === undefined) output.line(`           ${usage}`)
  }
  output.line('')
  output.line('Without --policy the policy of the workspace is used, else the strict default.')
  output.line('Usage errors end in 64, malformed files in 65, missing ones in 66, faults in 70.')
  return EXIT.ok
}

/** From the package that this file was installed with. */
function versionOf(): string {
  for (const up of ['..', '../..', '../../..']) {
    try {
      const text = readFileSync(new URL(`${up}/package.json`, import.meta.url), 'utf8')
      const { name, version } = JSON.parse(text) as { name?: unknown; version?: unknown }
      if (name === 'sixgate' && typeof version === 'string') return version
    } catch {
      // Nothing is denied: the next folder up is looked at.
    }
  }
  return 'unknown'
}
