/** `sixgate lint`: what policies say and do not do, and what they hardly mean (rules.md §2). */

import { fileStandingOf } from '../../audit/entry.js'
import { lintPolicy, lintSarif, type Finding, type PolicyText } from '../../testing/entry.js'
import { readArguments, usageFault, workspaceFolder, type Given } from '../arguments.js'
import { EXIT, type Command } from '../command.js'
import { readNamedFile } from '../named-file.js'
import type { Output } from '../output.js'

/** Exit code 1 for any finding of severity `error` or `warning`; notes alone end in 0. */
export const lint: Command = {
  name: 'lint',
  usage: '[--workspace folder] [--child] [--json | --sarif] policy.jsonc [more.jsonc …]',
  summary: 'find dead and dangerous rules: 0 none, 1 any error or warning',
  async run(args, output) {
    const given = readArguments(args, { workspace: 'text', child: 'flag', sarif: 'flag' })
    if (given.positionals.length === 0) throw usageFault('give one policy file or more')
    if (given.flag('json') && given.flag('sarif')) throw usageFault('`--json` or `--sarif`')
    const findings = lintPolicy(await textsOf(given))
    if (given.flag('sarif')) output.document(lintSarif(findings))
    else if (given.flag('json')) output.json(documentOf(findings))
    else print(findings, output)
    return findings.some(({ severity }) => severity !== 'note') ? EXIT.failed : EXIT.ok
  },
}

async function textsOf(given: Given): Promise<readonly PolicyText[]> {
  const workspace = workspaceFolder(given.text('workspace'))
  const kind = given.flag('child') ? 'constraints' : 'policy'
  const texts: PolicyText[] = []
  for (const file of given.positionals) {
    const text = await readNamedFile(file, 'the policy file')
    const standing = fileStandingOf(file, text, workspace)
    texts.push({ file, text, kind, standing: standing === 'untrusted' ? standing : 'trusted' })
  }
  return texts
}

function print(findings: readonly Finding[], output: Output): void {
  for (const { id, severity, file, line, column, rule, message, suggestion } of findings) {
    const said = rule === null ? message : `\`${rule}\`: ${message}`
    output.line(`${file}:${line}:${column}: `, { word: severity }, ` ${id}: ${said}`)
    if (suggestion !== null) output.line(`  suggestion: ${suggestion}`)
  }
  const counts = (['error', 'warning', 'note'] as const).map((severity) => {
    const count = countOf(findings, severity)
    return `${count} ${severity}${count === 1 ? '' : 's'}`
  })
  output.line(counts.join(', '))
}

function documentOf(findings: readonly Finding[]): object {
  return {
    errors: countOf(findings, 'error'),
    warnings: countOf(findings, 'warning'),
    notes: countOf(findings, 'note'),
    findings,
  }
}

function countOf(findings: readonly Finding[], severity: Finding['severity']): number {
  return findings.filter((finding) => finding.severity === severity).length
}
