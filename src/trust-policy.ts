/** Trusting a policy file that a session could write (pipeline.md §2, H-01): shown, asked, recorded. */

import type { Policy } from './contract/policy.js'
import { ConfigError } from './core/errors.js'
import { loadPolicy } from './load-policy.js'
import { systemClock } from './platform/clock.js'
import { absolutePath } from './platform/disk/private-files.js'
import { homeFolder } from './platform/folders.js'
import { linksOn, mayChangeElsewhere, nodePathResolver } from './platform/node-path-resolver.js'
import { openTerminal, type Terminal } from './platform/terminal.js'
import { folderOf, replaceTrustFile } from './platform/trust-file.js'
import { sha256 } from './encoding/digest.js'
import { originOf } from './policy/compile.js'
import { gainsOf, type Gain } from './policy/trust/gains.js'
import { parseTrustList, writeTrustList, type TrustEntry } from './policy/trust/trust-list.js'
import { untrusted } from './responders/escape.js'
import { renderText } from './responders/render.js'
import { english } from './words/english.js'
import { isInside } from './sandbox/paths.js'
import { refusedWorkspace } from './sandbox/workspace.js'
import { isTrusted, ownTrustFile, trustedPolicies } from './trusted-policies.js'

/** What a person is asked to trust. */
export interface TrustProposal {
  /** Where the file really lies. */
  readonly file: string
  /** SHA-256 of the bytes that were read, lower-case hexadecimal. */
  readonly sha256: string
  /** True when these bytes are trusted already. */
  readonly isTrusted: boolean
  /** Every allow rule and every wider axis, escaped: safe to show. Nothing is left out. */
  readonly gains: readonly string[]
}

/**
 * Reads a policy file and says what trusting it would make effective; changes nothing. Rejects with
 * `ConfigError` for a file that is no policy, and where the list of trust would lie in the workspace.
 */
export async function proposeTrust(
  path: string,
  options: { readonly workspace?: string | undefined } = {},
): Promise<TrustProposal> {
  const policy = await loadPolicy(path)
  const file = realPath(policy.file ?? path)
  const list = requiredList()
  const folders = [options.workspace ?? '.', folderOf(file), folderOf(folderOf(file))]
  // `.sixgate/policy.jsonc` lies one folder below the workspace that it is for.
  const count = folderOf(file).endsWith('/.sixgate') ? 3 : 2
  for (const folder of folders.slice(0, count)) refuseExposed(list, folder)
  const { bytes = '' } = originOf(policy)
  const trusted = isTrusted(bytes, { real: file, list })
  return { file, sha256: bytes, isTrusted: trusted, gains: gainsOf(policy).map(shown) }
}

/**
 * Asks the person at the controlling terminal; only the whole word `yes`, typed after the question, is
 * one. Rejects with `ConfigError invalid_option` when there is no terminal.
 */
export async function askTrust(
  proposal: TrustProposal,
  signal: AbortSignal,
  open: () => Terminal = openTerminal,
): Promise<boolean> {
  const terminal = open()
  try {
    terminal.write(`\n${question(proposal, terminal.columns).join('\n')}\n`)
    // What was typed before the question could be read is no answer to it.
    await terminal.drain(signal)
    terminal.write('Type the whole word yes to trust it; anything else does not: ')
    const line = await terminal.readLine(signal)
    if (line === null) terminal.write('\n')
    return line?.trim() === 'yes'
  } finally {
    terminal.close()
  }
}

/** Trusts the bytes of the proposal at their place, instead of any others there. On the medium when it resolves. */
export async function trustPolicy({ file, sha256 }: TrustProposal): Promise<void> {
  const at = new Date(systemClock().wallMs()).toISOString()
  await change((entries) => [
    ...entries.filter((entry) => entry.path !== file),
    { path: file, sha256, at },
  ])
}

/** Takes trust back; false when there was none. The file need not be there any more. */
export async function revokeTrust(path: string): Promise<boolean> {
  const places = [absolutePath(path), realPath(absolutePath(path))]
  let found = false
  await change((entries) => {
    const kept = entries.filter((entry) => !places.includes(entry.path))
    found = kept.length < entries.length
    return kept
  })
  return found
}

/** Every trusted file, by path. Throws `ConfigError` for a list that cannot be believed; then nothing is trusted. */
export function listTrusted(): readonly TrustEntry[] {
  return trustedPolicies(requiredList())
}

/** Whether what a file allows counts: `outside` of a workspace it does, within only where it is `trusted`. */
export type Standing = 'outside' | 'untrusted' | 'trusted'

/** The standing of a loaded file in a workspace. */
export function standingOf(policy: Policy, workspace: string): Standing {
  if (policy.file === null) return 'outside'
  return standing(policy.file, originOf(policy).bytes, workspace)
}

/** As `standingOf` for a file of this text, which need not load. */
export function fileStandingOf(file: string, text: string, workspace: string): Standing {
  return standing(absolutePath(file), sha256(text), workspace)
}

function standing(file: string, bytes: string | undefined, workspace: string): Standing {
  const real = realPath(file)
  const root = realPath(absolutePath(workspace))
  const isWithin = [real, ...linksOn(file)].some((path) => isInside(path, root))
  if (!isWithin && !mayChangeElsewhere(real)) return 'outside'
  return isTrusted(bytes, { real, list: ownTrustFile() }) ? 'trusted' : 'untrusted'
}

async function change(
  next: (entries: readonly TrustEntry[]) => readonly TrustEntry[],
): Promise<void> {
  const file = requiredList()
  await replaceTrustFile(file, (text) =>
    writeTrustList(next(text === null ? [] : parseTrustList(text, file))),
  )
}

function shown(gain: Gain): string {
  const text =
    gain.kind === 'rule' ? gain.text : `${gain.axis}: ${gain.to} (without trust ${gain.from})`
  return untrusted('policy', text, text.length).text
}

/** The file's own words stand behind a bar; none of them can begin a line. */
function question({ file, sha256, gains }: TrustProposal, columns: number): readonly string[] {
  const path = untrusted('policy', file, file.length)
  const texts = gains.map((text) => ({ author: 'policy' as const, text, hidden: 0 }))
  return [
    'A policy file that a session could write asks for trust.',
    ...renderText(english, { label: 'file', item: path, columns }),
    `sha256: ${sha256}`,
    gains.length === 0
      ? 'It allows nothing and widens nothing: trust would change nothing.'
      : 'With trust, and only with it, this counts:',
    ...texts.flatMap((item) => renderText(english, { label: 'allows or widens', item, columns })),
    '',
    'Trust ends when a byte of the file changes, or the file moves.',
  ]
}

/** A session that could write the list could trust itself (H-02). */
function refuseExposed(list: string, folder: string): void {
  const root = realPath(absolutePath(folder))
  // No folder of this kind is a workspace, so no session writes all of it.
  if (refusedWorkspace(root, realPath(homeFolder())) !== null) return
  if (!isInside(list, root)) return
  throw new ConfigError(
    'control_plane_exposed',
    'the list of trusted policy files would lie where a session writes',
    { file: list, suggestion: 'set the state directory outside of the workspace' },
  )
}

function requiredList(): string {
  const list = ownTrustFile()
  if (list !== null) return list
  throw new ConfigError('unreadable_file', 'there is no place for the list of trusted files', {
    suggestion: 'set `HOME`, or the state directory, to a folder of your own',
  })
}

function realPath(path: string): string {
  const resolution = nodePathResolver().resolveNow(path)
  if (resolution.status === 'resolved') return resolution.real
  throw new ConfigError('invalid_option', `the path \`${path}\` cannot be resolved`, {
    cause: resolution.cause,
  })
}
