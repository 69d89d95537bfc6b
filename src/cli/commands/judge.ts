/** Judges one written call without running anything, and prints the layers: what `check` and `explain` share. */

import { terminalResponder, type Check } from '../../index.js'
import { runs } from '../../tools/entry.js'
import { readArguments, usageFault, workspaceFolder } from '../arguments.js'
import { parseCall, type WrittenCall } from '../call-argument.js'
import { EXIT } from '../command.js'
import { openHost } from '../host.js'
import { LAYERS, layerLines, layerRows } from '../layer-lines.js'
import type { Output } from '../output.js'
import { describePolicy, policySource, trustHint, type PolicySource } from '../policy-source.js'

/** A call, what the policy says of it, and by which policy. */
interface Judged {
  readonly text: string
  readonly call: WrittenCall
  readonly check: Check
  readonly source: PolicySource
}

/** Exit code 0 allow, 3 ask, 4 deny. `explaining` adds what each layer judges and how a command splits. */
export async function judge(
  args: readonly string[],
  output: Output,
  explaining: boolean,
): Promise<number> {
  const given = readArguments(args, { policy: 'text', workspace: 'text' })
  const [text, ...rest] = given.positionals
  if (text === undefined || rest.length > 0) throw usageFault('give one call: <tool>(<args>)')
  const call = parseCall(text)
  const workspace = workspaceFolder(given.text('workspace'))
  const source = await policySource(given.text('policy'), workspace)
  const judged = { text, call, source, check: await checkCall(call, source, workspace) }
  if (given.flag('json')) output.json(documentOf(judged))
  else print(judged, output, explaining)
  return { allow: EXIT.ok, ask: EXIT.asked, deny: EXIT.denied }[judged.check.decision]
}

/** Nobody is asked: the responder only stands for the person who would be. */
async function checkCall(
  call: WrittenCall,
  { policy }: PolicySource,
  workspace: string,
): Promise<Check> {
  const { sixgate } = openHost({ policy, workspace, responder: terminalResponder() })
  await using session = await sixgate.session()
  return await session.check(call)
}

function print({ text, call, check, source }: Judged, output: Output, explaining: boolean): void {
  output.note(describePolicy(source))
  output.line({ word: check.decision }, ` ${text}`)
  output.line('')
  for (const line of layerLines(check.visits)) output.line('  ', ...line)
  if (explaining) printLayers(output)
  output.line('')
  for (const { subject, rules } of check.subjects) {
    output.line(`  subject ${subject}: ${rules.length === 0 ? 'meets no rule' : rules.join(', ')}`)
  }
  for (const refusal of explaining ? refusalsOf(call) : []) output.line(`  ${refusal}`)
  if (check.allowedBy !== undefined)
    output.line(`  the rule \`allow ${check.allowedBy}\` would allow it${trustHint(source)}`)
  output.line(`  ${check.humanMessage}`)
}

function printLayers(output: Output): void {
  output.line('')
  for (const [name, question] of Object.entries(LAYERS)) {
    output.line(`  ${name.padEnd(18)} ${question}`)
  }
}

/** How the text of a command splits, and what kept it from proving anything. */
function refusalsOf({ tool, args }: WrittenCall): readonly string[] {
  const { command, shell, cwd } = args
  if (tool !== 'bash' || typeof command !== 'string') return []
  const known = SHELLS.find((name) => name === shell)
  const folder = typeof cwd === 'string' ? cwd : undefined
  return runs(command, { shell: known, cwd: folder }).flatMap((need) => {
    if (need.kind !== 'command' || need.analysis === undefined) return []
    const { commands, refusals } = need.analysis
    return [
      ...commands.map(({ argv, role, via = [], from }) => {
        const place = from === undefined ? '' : ` in ${from?.join(' or ') ?? 'an unknown folder'}`
        const through = via.length === 0 ? '' : ` through ${via.join(' ')}`
        const kind = role === 'suspected' ? 'may run' : 'command'
        return `${kind} ${JSON.stringify(argv)}${place}${through}`
      }),
      ...refusals.map(
        ({ code, at }) => `refused.${code} at character ${at}: no allow rule covers this text`,
      ),
    ]
  })
}

const SHELLS = ['bash', 'powershell', 'cmd'] as const

function documentOf({ text, call, check, source }: Judged): object {
  return {
    call: { text, tool: call.tool },
    policy: { file: source.file, digest: source.policy.digest },
    decision: check.decision,
    layers: layerRows(check.visits),
    subjects: check.subjects,
    analysis: refusalsOf(call),
    allowed_by: check.allowedBy ?? null,
    message: check.humanMessage,
  }
}
