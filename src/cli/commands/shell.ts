/** `sixgate shell`: how a command text is split before rules see it (hosts.md §5, rules.md §5). */

import { text as readAll } from 'node:stream/consumers'
import { analyse, shellReport, type ShellReport } from '../../shell/entry.js'
import { readArguments, usageFault } from '../arguments.js'
import { EXIT, type Command } from '../command.js'
import type { Output } from '../output.js'

/** Ends in 0 also for text that is refused: the report says why. Without an argument standard input is read. */
export const shell: Command = {
  name: 'shell',
  usage: "[--json] ['<text>']",
  summary: 'show how a command text is split, and what is refused of it',
  async run(args, output) {
    const given = readArguments(args, {})
    const [text, ...rest] = given.positionals
    if (rest.length > 0) throw usageFault('give the text as one word, in quotes')
    const report = shellReport(analyse(text ?? (await readAll(process.stdin))))
    if (given.flag('json')) output.document(report)
    else print(report, output)
    return EXIT.ok
  },
}

function print(report: ShellReport, output: Output): void {
  for (const { argv, redirects, assigns, via } of report.commands) {
    const words = [...assigns, ...argv.map((word) => JSON.stringify(word)), ...redirects].join(' ')
    output.line(`command   ${words}${via.length === 0 ? '' : `   (run by ${via.join(', ')})`}`)
  }
  for (const { access, path } of report.operations) output.line(`${access.padEnd(9)} ${path}`)
  for (const host of report.hosts) output.line(`host      ${host ?? 'not told by the text'}`)
  for (const { code, at } of report.refusals) {
    output.line({ word: 'refused' }, `   ${code} at ${at}: no allow rule covers this text`)
  }
}
