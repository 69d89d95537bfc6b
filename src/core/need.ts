/** What a call would touch, as its tool states it (pipeline.md §3, api.md `Need`). */

import type { Capability } from './capability.js'
import type { Escalation } from './escalation.js'

/** Shells whose text a `command` need can hold. */
export const SHELLS = ['bash', 'powershell', 'cmd'] as const
export type Shell = (typeof SHELLS)[number]

/**
 * One simple command of a shell text. `argv` has its quotes removed; where the text does not fix a word
 * it holds `${}`, `$()`, `$(())`, `<()` or `>()`, and globs, braces and tildes as written. A command
 * without words stands for redirections or assignments alone.
 */
export interface SimpleCommand {
  readonly argv: readonly string[]
  /** Which words the text does not fix; of a pattern only `**` covers one. */
  readonly dynamic?: readonly number[] | undefined
  /** Operands follow that the text does not tell, as behind `xargs`. */
  readonly open?: boolean | undefined
  readonly redirects?: readonly string[] | undefined
  readonly assigns?: readonly string[] | undefined
  /** The wrappers that run it, outermost first. */
  readonly via?: readonly string[] | undefined
  /**
   * `transparent`: a wrapper that needs no allow of its own, only what it runs does. `suspected`: text
   * that may run somewhere, for deny and ask alone.
   */
  readonly role?: 'transparent' | 'suspected' | undefined
  /** The words without the program's global options; deny and ask meet them as well. */
  readonly short?: readonly string[] | undefined
  /**
   * Set where the program is a relative path and the text has left its first folder: where it may be by
   * then, `null` for anywhere. A pattern that spells such a path means the one in the first folder.
   */
  readonly from?: readonly string[] | null | undefined
  /** No table knows the program: it may run any of its words. */
  readonly unknown?: boolean | undefined
}

/** Why a shell text proves nothing to an allow rule, and where (offset in UTF-16 units). */
export interface Refusal {
  readonly code: RefusalCode
  readonly at: number
}

/** Reason codes of refused shell text; they appear as `refused.<code>` (rules.md §5 item 3). */
export const REFUSAL_CODES = [
  'syntax',
  'oversize',
  'unread',
  'control_character',
  'open_heredoc',
  'heredoc_line',
  'array_tail',
  'hidden_opener',
  'extglob',
  'ansi_c',
  'dynamic_program',
  'dynamic_option',
  'variable',
  'shadowing',
  'evaluated_operand',
  'arithmetic',
  'indirection',
  'redirect_target',
  'program_text',
  'piped_program',
  'sourced_file',
  'remote_text',
  'exec_option',
  'wrapper_option',
  'unsupported_shell',
  'unanalysed',
] as const
export type RefusalCode = (typeof REFUSAL_CODES)[number]

/** What a command would do to a file. Listing a name is not reading it. */
export interface FileOperation {
  readonly access: 'read' | 'write'
  /** As the command's own folder reads it, that folder in front. */
  readonly path: string
  /** An operand only tightens; a redirection needs an allow of its own. */
  readonly origin: PathOrigin
  /**
   * `walked`: everything below it as well; `moved`: it, with everything below it, elsewhere;
   * `matched`: every path that its glob matches.
   */
  readonly tree?: Tree | undefined
  /** Nobody knows the folder that it is relative to. */
  readonly adrift?: boolean | undefined
  /** The ruin that this would be of a root, a home or the workspace. */
  readonly hazard?: PathHazard | undefined
}

/**
 * How a path need came out of a shell text. `argument`: not of a shell text, but of an argument that
 * may mean a path; nobody knows whether it is read or written, or neither.
 */
export const PATH_ORIGINS = ['operand', 'listing', 'redirect', 'argument'] as const
export type PathOrigin = (typeof PATH_ORIGINS)[number]

export const TREES = ['walked', 'moved', 'matched'] as const
export type Tree = (typeof TREES)[number]

/** The catastrophic floor (rules.md §5 item 8): what ruins by its target. */
export const PATH_HAZARDS = ['recursive_delete', 'ownership_change'] as const
export type PathHazard = (typeof PATH_HAZARDS)[number]

/** The catastrophic floor: what ruins whatever its target is. */
export const COMMAND_HAZARDS = [
  'mkfs',
  'fork_bomb',
  'shutdown',
  'kill_all',
  'piped_download',
] as const
export type CommandHazard = (typeof COMMAND_HAZARDS)[number]

/** A host that a command would reach; `null` when its text does not tell. */
export interface HostOperation {
  readonly host: string | null
  readonly port?: number | undefined
  readonly path?: string | undefined
  /** A word names it; whether it is reached nobody knows. */
  readonly suspected?: true | undefined
}

/** What `runs()` found in a shell text. With a refusal, `commands` serve deny and ask only. */
export interface CommandAnalysis {
  readonly commands: readonly SimpleCommand[]
  readonly refusals: readonly Refusal[]
  readonly operations?: readonly FileOperation[] | undefined
  readonly hosts?: readonly HostOperation[] | undefined
  readonly hazards?: readonly CommandHazard[] | undefined
  /** The folder that an argument of the call has the text start in, where that is not the call's own. */
  readonly folder?: string | undefined
}

/** A file operation as a need carries it. */
export type DerivedPath = Pick<FileOperation, 'origin' | 'tree' | 'adrift' | 'hazard'>

/** One thing that a call needs. A `null` host is a host that nobody knows before the call runs. */
export type Need =
  | {
      readonly kind: 'path'
      readonly access: 'read' | 'write'
      readonly path: string
      /** Set by `runs()` and `unstatedNeeds()`: what the path came from, and what happens there. */
      readonly derived?: DerivedPath | undefined
    }
  | {
      readonly kind: 'command'
      readonly command: string
      readonly shell?: Shell | undefined
      /** Made by `runs()`; without it no allow rule covers the command. */
      readonly analysis?: CommandAnalysis | undefined
    }
  | {
      readonly kind: 'host'
      readonly host: string | null
      /** Set by `runs()` and `unstatedNeeds()`: an allow of the call need not cover it. */
      readonly derived?: true | undefined
      readonly port?: number | undefined
      /** Set by `runs()`: a word of the text names the host, for deny and ask rules alone. */
      readonly suspected?: true | undefined
      /** The path of the URL, for rules of the form `web_fetch(host/pattern)`. */
      readonly path?: string | undefined
    }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'capability'; readonly name: Capability }
  | { readonly kind: 'escalation'; readonly name: Escalation; readonly detail: string }

/**
 * The host of an http or https URL, with port and path. Of anything else nobody knows what it reaches:
 * the need is an unknown host, and beside it any host that the text may mean, so that a deny finds it.
 */
export function reaches(url: string): Need[] {
  const parsed = parse(url)
  const known = parsed === null ? [] : hostNeeds(parsed)
  if (parsed !== null && parsed.protocol in DEFAULT_PORTS && known.length > 0) return known
  const guessed = known.length > 0 ? known : hostNeeds(parse(`http://${url}`))
  return [{ kind: 'host', host: null }, ...guessed]
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

function parse(url: string): URL | null {
  return URL.canParse(url) ? new URL(url) : null
}

function hostNeeds(url: URL | null): Need[] {
  // `example.com.` reaches the same server as `example.com`: one spelling, or a deny would miss it.
  const host = withoutDots(url?.hostname.toLowerCase() ?? '')
  if (url === null || host === '') return []
  const port = url.port === '' ? DEFAULT_PORTS[url.protocol] : Number(url.port)
  const need = { kind: 'host', host, path: url.pathname } as const
  return [port === undefined ? need : { ...need, port }]
}

function withoutDots(host: string): string {
  let end = host.length
  while (host.charAt(end - 1) === '.') end -= 1
  return host.slice(0, end)
}
