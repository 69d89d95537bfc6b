/** `sixgate doctor`: what the sandbox keeps on this machine, guarantee by guarantee (hosts.md §5). */

import { createNativeSandbox, type ProbeReport, type SandboxDriver } from '../../sandbox/entry.js'
import { readArguments, usageFault } from '../arguments.js'
import { EXIT, type Command } from '../command.js'
import type { Output } from '../output.js'

/** Probes for real. Exit code 0 when sandboxed calls can run, 1 when they are denied. */
export const doctor: Command = {
  name: 'doctor',
  usage: '[--json]',
  summary: 'probe the sandbox: 0 ready, 1 not',
  async run(args, output) {
    const given = readArguments(args, {})
    if (given.positionals.length > 0) throw usageFault('`doctor` takes no arguments')
    const driver = createNativeSandbox()
    const report = await driver.probe()
    if (given.flag('json')) output.json(documentOf(driver, report))
    else print(driver, report, output)
    return report.status === 'ready' ? EXIT.ok : EXIT.failed
  },
}

function print(driver: SandboxDriver, report: ProbeReport, output: Output): void {
  output.line(`sandbox ${driver.name} on ${driver.platform}: ${report.status}`)
  if (report.cause !== null) output.line(`  cause:  ${report.cause}`)
  if (report.remedy !== null) output.line(`  remedy: ${report.remedy}`)
  for (const [name, enforcement] of Object.entries(report.guarantees)) {
    const isKept = enforcement.status === 'enforced'
    output.line(`  ${name.padEnd(22)} `, { word: isKept ? 'enforced' : 'missing' })
    if (enforcement.status === 'enforced') continue
    output.line(`    cause:  ${enforcement.cause}`)
    output.line(`    remedy: ${enforcement.remedy}`)
  }
}

function documentOf(driver: SandboxDriver, report: ProbeReport): object {
  const { status, cause, remedy, guarantees } = report
  return { driver: driver.name, platform: driver.platform, status, cause, remedy, guarantees }
}
