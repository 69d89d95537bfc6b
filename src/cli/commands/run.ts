/** `sixgate run`: one command through the whole pipeline and the native sandbox (hosts.md §5). */

import { constants } from 'node:os'
import { dirname } from 'node:path'
import { defaultPolicyFile } from '../../audit/entry.js'
import {
  jsonlStore,
  SandboxError,
  type DecisionNode,
  type Outcome,
  type Result,
  type Session,
} from '../../index.js'
import type { BashResult } from '../../tools/entry.js'
import { readArguments, usageFault, workspaceFolder } from '../arguments.js'
import { EXIT, type Command } from '../command.js'
import { openHost, responderHere, type Host } from '../host.js'
import { layerLines, layerRows } from '../layer-lines.js'
import type { Output } from '../output.js'
import { describePolicy, policySource, trustHint, type PolicySource } from '../policy-source.js'
import { shellText } from '../shell-text.js'

/** The path goes to standard error, the command's own output where the command wrote it. */
export const run: Command = {
  name: 'run',
  usage:
    '[--policy file] [--workspace folder] [--ledger folder] [--grant host[:port]] [--allow-private] [--json] -- <command …>',
  summary: 'run one command as the policy allows: its exit code, 3 nobody to ask, 4 denied',
  async run(args, output) {
    const split = args.indexOf('--')
    const given = readArguments(split === -1 ? args : args.slice(0, split), {
      policy: 'text',
      workspace: 'text',
      ledger: 'text',
      grant: 'text',
      'allow-private': 'flag',
    })
    const words = split === -1 ? [] : args.slice(split + 1)
    if (words.length === 0 || given.positionals.length > 0) {
      throw usageFault('give the command after `--`')
    }
    const workspace = workspaceFolder(given.text('workspace'))
    const source = await policySource(given.text('policy'), workspace)
    const ledger = given.text('ledger')
    const grant = grantOf(given.text('grant'))
    const host = openHost({
      policy: source.policy,
      workspace,
      responder: responderHere(),
      store: jsonlStore(ledger),
      // The person at the keyboard named the host; a model never says this.
      privateHosts: grant !== null && given.flag('allow-private') ? [grant.host] : undefined,
    })
    const place = ledger ?? dirname(defaultPolicyFile(workspace))
    const report = given.flag('json') ? quietly : aloud
    const command = shellText(words)
    const policyFile = source.place
    return await report({ host, output, source, command, grant, ledger: place, policyFile })
  },
}

/** One exact origin to ask for. */
interface Grant {
  readonly host: string
  readonly port?: number
}

/** Whether the host is one, the pipeline says. Throws `ConfigError invalid_option` for what has no such form. */
function grantOf(text: string | undefined): Grant | null {
  if (text === undefined) return null
  const [, host = '', port] = /^(\[[^[\]]+\]|[^\s:[\]]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  const number = port === undefined ? undefined : Number(port)
  if (host === '' || (number !== undefined && (number < 1 || number > 65_535))) {
    throw usageFault('`--grant` takes one host, or `host:port`; an IPv6 address stands in brackets')
  }
  return number === undefined ? { host } : { host, port: number }
}

/** What `bash` is asked: the command, and with a grant the request for it. */
function argsOf({ command, grant }: Running): object {
  if (grant === null) return { command }
  return { command, sandbox_permissions: 'request_network_grant', network_grant: grant }
}

interface Running {
  readonly host: Host
  readonly output: Output
  readonly source: PolicySource
  readonly command: string
  readonly grant: Grant | null
  readonly ledger: string
  /** Where a rule that allows the command would stand. */
  readonly policyFile: string
}

/** For a person: the path before the command runs, its output after. */
async function aloud(running: Running): Promise<number> {
  const { output, source, ledger } = running
  output.note(describePolicy(source))
  const { result } = await ran(running, async (nodes) => {
    for (const line of layerLines(visitsOf(nodes))) output.note(...line)
    const missing = await missingGuarantees(running.host)
    if (missing.length > 0) output.note(`not enforced here: ${missing.join(', ')}`)
  })
  if (result.status === 'ok') {
    output.raw('stdout', result.value.stdout)
    output.raw('stderr', result.value.stderr)
    if (result.value.truncated) output.note('the output was cut')
    if (result.value.timedOut) output.note('the time of the command ran out')
  } else {
    output.note('humanMessage' in result ? result.humanMessage : faultOf(result))
    const remedy = remedyOf(result, running)
    if (remedy !== null) output.note(`remedy: ${remedy}`)
  }
  output.note(`recorded in ${ledger}`)
  return exitCode(result)
}

/** For a program: one document at the end. */
async function quietly(running: Running): Promise<number> {
  const { output, source, ledger, command } = running
  const { result, nodes } = await ran(running, () => Promise.resolve())
  const exit = exitCode(result)
  output.json({
    command,
    policy: { file: source.file, digest: source.policy.digest },
    status: result.status,
    exit_code: exit,
    layers: layerRows(visitsOf(nodes)),
    missing_guarantees: await missingGuarantees(running.host),
    message: 'humanMessage' in result ? result.humanMessage : null,
    remedy: remedyOf(result, running),
    result: result.status === 'ok' ? documentOf(result.value) : null,
    ledger,
  })
  return exit
}

interface Ran {
  readonly result: Result<BashResult>
  readonly nodes: readonly DecisionNode[]
}

async function ran(
  running: Running,
  decided: (nodes: readonly DecisionNode[]) => Promise<void>,
): Promise<Ran> {
  const interrupted = new AbortController()
  const abort = (): void => interrupted.abort()
  for (const name of INTERRUPTS) process.once(name, abort)
  try {
    await using sixgate = running.host.sixgate
    const session = await sixgate.session({ task: 'sixgate run' })
    const { signal } = interrupted
    const outcome = await session.evaluate({ tool: 'bash', args: argsOf(running), signal })
    const nodes = await nodesOf(session, outcome)
    await decided(nodes)
    const result =
      outcome.status === 'admitted'
        ? await session.dispatch<BashResult>(outcome.admission)
        : outcome
    return { result, nodes }
  } finally {
    for (const name of INTERRUPTS) process.removeListener(name, abort)
  }
}

/** The last one comes when the terminal is closed. */
const INTERRUPTS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Root first; a call that could not even be recorded has no path. */
async function nodesOf(session: Session, outcome: Outcome): Promise<readonly DecisionNode[]> {
  if (outcome.status === 'denied' && outcome.reason === 'audit_unavailable') return []
  return (await session.chain(outcome.callId)).toReversed()
}

function visitsOf(nodes: readonly DecisionNode[]): Parameters<typeof layerLines>[0] {
  return nodes.map(({ layer, decision, matched_rule }) => ({
    layer,
    decision,
    matchedRule: matched_rule,
  }))
}

async function missingGuarantees({ probe }: Host): Promise<readonly string[]> {
  const { guarantees } = await probe()
  return Object.entries(guarantees)
    .filter(([, { status }]) => status !== 'enforced')
    .map(([name]) => name)
}

/** Questions that nobody answered; a no that somebody gave is a denial. */
const UNANSWERED: readonly string[] = ['no_responder', 'responder_failed', 'expired']

function exitCode(result: Result<BashResult>): number {
  switch (result.status) {
    case 'ok':
      return commandCode(result.value)
    case 'denied':
      if (result.reason === 'audit_unavailable') return EXIT.internal
      return UNANSWERED.includes(result.reason) ? EXIT.asked : EXIT.denied
    case 'suspended':
      return EXIT.asked
    case 'cancelled':
      return SIGNALLED + constants.signals.SIGINT
    case 'revoked':
      return EXIT.denied
    case 'error':
    case 'timeout':
    case 'killed':
      return EXIT.internal
  }
}

/** What a person can do about it; `null` where the message says it, or where a rule means it so. */
function remedyOf(
  result: Result<BashResult>,
  { source, policyFile, grant }: Running,
): string | null {
  if (result.status === 'error' && result.error instanceof SandboxError) return result.error.remedy
  if (result.status !== 'denied') return null
  const remedies: { readonly [reason: string]: string | undefined } = {
    no_responder: `run it at a terminal, where you can be asked, or allow it by a rule in ${policyFile}${trustHint(source)}`,
    ...(grant === null
      ? {}
      : { network_off: permit(policyFile), network_host: permit(policyFile) }),
    ...(grant === null ? {} : { invalid_escalation: 'give `--grant` one exact host or address' }),
  }
  return remedies[result.reason] ?? null
}

function permit(policyFile: string): string {
  return `permit the host by \`network\` in ${policyFile}`
}

/** As shells have it: 128 and the signal's number, and 124 when the time ran out. */
const SIGNALLED = 128
const TIMED_OUT = 124

function commandCode({ exitCode: code, signal, timedOut }: BashResult): number {
  if (timedOut) return TIMED_OUT
  if (code !== null) return code
  const number = Object.entries(constants.signals).find(([name]) => name === signal)?.[1]
  return number === undefined ? EXIT.internal : SIGNALLED + number
}

function faultOf(result: Exclude<Result<BashResult>, { readonly status: 'ok' }>): string {
  if (result.status !== 'error') return result.message
  return result.error instanceof Error
    ? `${result.message} ${result.error.message}`
    : result.message
}

function documentOf(value: BashResult): object {
  return {
    exit_code: value.exitCode,
    signal: value.signal,
    stdout: value.stdout,
    stderr: value.stderr,
    truncated: value.truncated,
    timed_out: value.timedOut,
    duration_ms: value.durationMs,
  }
}
