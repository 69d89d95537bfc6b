/** Reads the options of `createSixgate` once (api.md): what is missing or of the wrong kind is a `ConfigError`. */

import type { Responder } from './contract/approval.js'
import type { Policy } from './contract/policy.js'
import type { SandboxDriver } from './contract/sandbox.js'
import type { SixgateOptions, Store } from './contract/session.js'
import type { Tool } from './contract/tool.js'
import { ConfigError } from './core/errors.js'
import { RESPONDER_KINDS, type ResponderKind } from './core/facts.js'
import { LANGUAGES, type Language } from './words/language.js'
import { isPolicy } from './policy/compile.js'
import { nearest } from './policy/nearest.js'

/** Options that can be built from. */
export interface ReadOptions {
  readonly policies: readonly Policy[]
  readonly workspace: string
  readonly tools: readonly Tool[]
  readonly sandbox: SandboxDriver | null
  readonly responder: Responder | 'suspend' | null
  readonly store: Store | null
  readonly language: Language
}

export function readOptions(options: SixgateOptions): ReadOptions {
  const given = fieldsOf(options)
  refuseUnknown(given)
  return {
    policies: policiesOf(given['policy']),
    workspace: typeof given['workspace'] === 'string' ? given['workspace'] : '',
    tools: listOf(given['tools'], 'tools') as readonly Tool[],
    sandbox: driverOf(given['sandbox']),
    responder: responderOf(given['responder']),
    store: storeOf(given['store']),
    language: languageOf(given['language']),
  }
}

type Fields = Readonly<Record<string, unknown>>

const KNOWN: readonly (keyof SixgateOptions)[] = [
  'policy',
  'workspace',
  'tools',
  'sandbox',
  'responder',
  'store',
  'language',
]

/** A mistyped `store` would be a memory that nobody wanted. */
function refuseUnknown(given: Fields): void {
  const unknown = Object.keys(given).find((name) => !(KNOWN as readonly string[]).includes(name))
  if (unknown === undefined) return
  throw new ConfigError('invalid_option', `unknown option \`${unknown}\``, {
    path: [unknown],
    allowed: KNOWN,
    suggestion: nearest(unknown, KNOWN),
  })
}

function policiesOf(given: unknown): readonly Policy[] {
  const policies = Array.isArray(given) ? listOf(given, 'policy') : [given]
  if (policies.length === 0) throw wrong('policy', 'no policy is given')
  for (const policy of policies) {
    if (!isPolicy(policy)) {
      throw wrong('policy', 'the policy was not made by definePolicy or loadPolicy')
    }
  }
  return policies as readonly Policy[]
}

/** A copy: what is added to the host's own list later was never registered. */
function listOf(given: unknown, option: string): readonly unknown[] {
  if (!Array.isArray(given)) throw wrong(option, `\`${option}\` is no list`)
  return [...(given as readonly unknown[])]
}

function driverOf(given: unknown): SandboxDriver | null {
  if (given === undefined) return null
  const { name, probe, confine } = fieldsOf(given)
  const isDriver = typeof probe === 'function' && typeof confine === 'function'
  // The name stands in rule ids and records.
  if (isDriver && typeof name === 'string' && /^[a-z0-9][a-z0-9._-]{0,63}$/.test(name)) {
    return given as SandboxDriver
  }
  throw wrong('sandbox', 'the sandbox is no driver with a name, `probe` and `confine`')
}

/** Its kind is fixed here, whatever the object says of itself later (pipeline.md §5). */
function responderOf(given: unknown): Responder | 'suspend' | null {
  if (given === undefined) return null
  if (given === 'suspend') return given
  const { kind, ask } = fieldsOf(given)
  if (typeof ask !== 'function') throw wrong('responder', 'the responder has no `ask`')
  if (!(RESPONDER_KINDS as readonly unknown[]).includes(kind)) {
    throw wrong('responder', 'the responder has no known `kind`', RESPONDER_KINDS)
  }
  const responder = given as Responder
  return Object.freeze<Responder>({
    kind: kind as ResponderKind,
    ask: (request, signal) => responder.ask(request, signal),
  })
}

function storeOf(given: unknown): Store | null {
  if (given === undefined) return null
  const { folder, open } = fieldsOf(given)
  if (typeof folder === 'function' && typeof open === 'function') return given as Store
  throw wrong('store', 'the store has no `folder` and `open`')
}

function languageOf(given: unknown): Language {
  if (given === undefined) return 'en'
  const language = LANGUAGES.find((name) => name === given)
  if (language === undefined) throw wrong('language', 'no words of this language', LANGUAGES)
  return language
}

function fieldsOf(given: unknown): Fields {
  if (typeof given === 'object' && given !== null) return given as Fields
  return {}
}

function wrong(option: string, message: string, allowed?: readonly string[]): ConfigError {
  return new ConfigError('invalid_option', message, { path: [option], allowed })
}
