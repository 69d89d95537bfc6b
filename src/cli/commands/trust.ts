/** `sixgate trust`: what a policy file in a workspace allows counts once a person trusts its bytes (H-01). */

import { resolve } from 'node:path'
import {
  askTrust,
  listTrusted,
  proposeTrust,
  revokeTrust,
  trustPolicy,
  type TrustProposal,
} from '../../audit/entry.js'
import { readArguments, usageFault, workspaceFolder, type Given } from '../arguments.js'
import { EXIT, type Command } from '../command.js'
import { hasTerminal } from '../host.js'
import type { Output } from '../output.js'

/** Exit code 0 trusted, 4 not trusted by the person, 3 nobody there to ask; `--revoke`: 0 taken back, 66 there was none. */
export const trust: Command = {
  name: 'trust',
  usage: '[--yes] [--workspace folder] [--json] policy.jsonc | --list | --revoke policy.jsonc',
  summary: 'show what a policy in the workspace allows, and make it count: 0 trusted, 4 not',
  async run(args, output) {
    const given = readArguments(args, {
      workspace: 'text',
      yes: 'flag',
      list: 'flag',
      revoke: 'flag',
    })
    if (given.flag('list')) return list(given, output)
    const file = onlyFile(given)
    return given.flag('revoke') ? revoke(file, given, output) : decide(file, given, output)
  },
}

function onlyFile(given: Given): string {
  const [file, ...rest] = given.positionals
  const mixed = given.flag('revoke') && given.flag('yes')
  if (file !== undefined && rest.length === 0 && !mixed) return file
  throw usageFault(mixed ? '`--revoke` takes no `--yes`' : 'give one policy file')
}

async function decide(file: string, given: Given, output: Output): Promise<number> {
  const proposal = await proposeTrust(file, { workspace: workspaceFolder(given.text('workspace')) })
  const json = given.flag('json')
  const answer = await answerTo(proposal, given.flag('yes'))
  if (answer === 'yes') await trustPolicy(proposal)
  if (json) output.json({ ...documentOf(proposal), trusted: answer === 'yes', answer })
  else print(proposal, answer, output)
  return { yes: EXIT.ok, no: EXIT.denied, nobody: EXIT.asked }[answer]
}

type Answer = 'yes' | 'no' | 'nobody'

async function answerTo(proposal: TrustProposal, isYes: boolean): Promise<Answer> {
  if (isYes || proposal.isTrusted) return 'yes'
  if (!hasTerminal()) return 'nobody'
  return (await askTrust(proposal, new AbortController().signal)) ? 'yes' : 'no'
}

function print({ file, sha256, gains }: TrustProposal, answer: Answer, output: Output): void {
  output.line(`${file} (sha256:${sha256})`)
  for (const gain of gains) output.line(`  ${gain}`)
  if (gains.length === 0) output.line('  allows nothing and widens nothing')
  output.line(ENDS[answer])
}

const ENDS: { readonly [A in Answer]: string } = {
  yes: 'trusted, until a byte of it changes or it moves',
  no: 'not trusted',
  nobody: 'not trusted: there is no terminal to ask at; look at it and use --yes',
}

async function revoke(file: string, given: Given, output: Output): Promise<number> {
  const found = await revokeTrust(file)
  if (given.flag('json')) output.json({ file: resolve(file), revoked: found })
  else output.line(found ? `no longer trusted: ${resolve(file)}` : 'it was not trusted')
  return found ? EXIT.ok : EXIT.noInput
}

function list(given: Given, output: Output): number {
  if (given.positionals.length > 0) throw usageFault('`--list` takes no file')
  const entries = listTrusted()
  if (given.flag('json')) output.json({ trusted: entries })
  else for (const { path, sha256, at } of entries) output.line(`${at} sha256:${sha256} ${path}`)
  return EXIT.ok
}

function documentOf({ file, sha256, gains }: TrustProposal): object {
  return { file, sha256, gains }
}
