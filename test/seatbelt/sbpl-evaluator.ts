/** Answers what a Seatbelt profile permits, as far as the profiles of this library go (sandbox.md §5). */

import { readProfile, type Expression } from './sbpl-reader.js'

/** One thing that a process tries. Paths are real: the kernel follows links and `..` before it asks. */
export interface Query {
  readonly operation: string
  readonly path?: string | undefined
  readonly kind?: 'REGULAR-FILE' | 'DIRECTORY' | 'FIFO' | 'SOCKET' | undefined
  readonly remote?: {
    readonly protocol: 'tcp' | 'udp'
    readonly host: string
    readonly port: number
  }
  readonly local?: {
    readonly protocol: 'tcp' | 'udp'
    readonly host: string
    readonly port: number
  }
  /** A service, a fact of the machine, or whose process it is. */
  readonly name?: string | undefined
}

/**
 * Two readings of rules that disagree. Apple documents neither: in the first the last rule that fits
 * wins; in the second rules about the exact operation win over rules about its family, as was measured
 * on macOS for `file-read-data` against `file-read*`.
 */
export const READINGS = ['last_rule', 'exact_operation'] as const
export type Reading = (typeof READINGS)[number]

/** A profile that can be asked. */
export interface Evaluator {
  readonly permits: (query: Query, reading: Reading) => boolean
  readonly rules: readonly Rule[]
}

export interface Rule {
  readonly action: 'allow' | 'deny'
  readonly operations: readonly string[]
  readonly filter: (query: Query) => boolean
}

/** Reads a profile with its parameters. Throws for a filter or an operation that it does not know. */
export function createEvaluator(
  text: string,
  parameters: Readonly<Record<string, string>>,
): Evaluator {
  const [version, first, ...rest] = readProfile(text)
  if (!isCall(version, 'version') || !isCall(first, 'deny')) throw new SyntaxError('no beginning')
  const rules = [first, ...rest].map((expression) => ruleOf(expression, parameters))
  return {
    rules,
    permits(query, reading) {
      const fits = (rule: Rule, operation: string): boolean =>
        rule.operations.includes(operation) && rule.filter(query)
      const family = familyOf(query.operation)
      if (reading === 'last_rule') {
        return rules.findLast((rule) => family.some((one) => fits(rule, one)))?.action === 'allow'
      }
      for (const operation of family) {
        const rule = rules.findLast((one) => fits(one, operation))
        if (rule !== undefined) return rule.action === 'allow'
      }
      return false
    },
  }
}

const OPERATIONS = new Set([
  ...['default', 'process-fork', 'process-exec*', 'process-exec', 'process-exec-interpreter'],
  ...['process-info*', 'process-info-pidinfo', 'signal', 'ipc-posix-sem', 'mach-lookup'],
  ...['sysctl-read', 'file-read*', 'file-read-data', 'file-read-metadata', 'file-read-xattr'],
  ...['file-test-existence', 'file-map-executable', 'file-ioctl', 'file-link', 'file-clone'],
  ...['file-write*', 'file-write-data', 'file-write-create', 'file-write-unlink'],
  ...['file-write-mode', 'file-write-times', 'file-write-xattr', 'file-write-setugid'],
  ...['network*', 'network-outbound', 'network-inbound', 'network-bind'],
])

/** The operation, then its families, the nearest first. */
function familyOf(operation: string): readonly string[] {
  if (!OPERATIONS.has(operation)) throw new SyntaxError(`unknown operation ${operation}`)
  const parts = operation.split('-')
  const families = parts.map((_, at) => `${parts.slice(0, parts.length - at).join('-')}*`)
  return [operation, ...families, 'default']
}

function ruleOf(expression: Expression, parameters: Readonly<Record<string, string>>): Rule {
  if (expression.kind !== 'list') throw new SyntaxError('a rule is a list')
  const [action, ...rest] = expression.items
  if (action?.kind !== 'word' || (action.value !== 'allow' && action.value !== 'deny')) {
    throw new SyntaxError('a rule allows or denies')
  }
  const operations = rest.flatMap((one) => (one.kind === 'word' ? [one.value] : []))
  const unknown = operations.find((one) => !OPERATIONS.has(one))
  if (unknown !== undefined || operations.length === 0) {
    throw new SyntaxError(`unknown operation ${unknown ?? ''}`)
  }
  const filters = rest.filter((one) => one.kind === 'list').map((one) => filterOf(one, parameters))
  return {
    action: action.value,
    operations,
    filter: (query) => filters.length === 0 || filters.some((fits) => fits(query)),
  }
}

type Filter = (query: Query) => boolean

function filterOf(expression: Expression, parameters: Readonly<Record<string, string>>): Filter {
  if (expression.kind !== 'list') throw new SyntaxError('a filter is a list')
  const [head, ...args] = expression.items
  const name = head?.kind === 'word' ? head.value : ''
  const inner = (): readonly Filter[] => args.map((one) => filterOf(one, parameters))
  switch (name) {
    case 'require-any': {
      const all = inner()
      return (query) => all.some((fits) => fits(query))
    }
    case 'require-all': {
      const all = inner()
      return (query) => all.every((fits) => fits(query))
    }
    case 'require-not': {
      const all = inner()
      return (query) => !all.some((fits) => fits(query))
    }
    default:
      return leafOf(name, args, parameters)
  }
}

function leafOf(
  name: string,
  args: readonly Expression[],
  parameters: Readonly<Record<string, string>>,
): Filter {
  const value = textOf(args.at(-1), parameters)
  switch (name) {
    case 'literal':
      return ({ path }) => path === value
    case 'subpath':
      return ({ path }) => path !== undefined && (path === value || path.startsWith(below(value)))
    case 'regex': {
      const regex = plainRegex(value)
      return ({ path }) => path !== undefined && regex.test(path)
    }
    case 'vnode-type':
      return ({ kind }) => (kind ?? 'REGULAR-FILE') === value
    case 'global-name':
    case 'sysctl-name':
    case 'target':
      return (query) => query.name === value
    case 'sysctl-name-prefix':
      return (query) => query.name?.startsWith(value) ?? false
    case 'remote':
    case 'local': {
      const [protocol] = args
      const word = protocol?.kind === 'word' ? protocol.value : ''
      return (query) => fitsAddress(query[name], word, value)
    }
    default:
      throw new SyntaxError(`unknown filter ${name}`)
  }
}

function below(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}

/** Only what POSIX and this library's own language of patterns read in the same way. */
function plainRegex(text: string): RegExp {
  const dialect = /^\^(?:[^\\[\](){}|.*+?^$]|\\[$()*+.?[\\\]^{|}]|\(|\)|\||\[\^\/\]\+|\*|\$)*$/u
  if (!dialect.test(text)) throw new SyntaxError(`no plain pattern: ${text}`)
  return new RegExp(text, 'su')
}

function fitsAddress(address: Query['remote'], protocol: string, pattern: string): boolean {
  const [host, port] = pattern.split(':')
  if (address === undefined || (protocol !== 'ip' && protocol !== address.protocol)) return false
  const isLoopback = /^(?:127\.|::1$)/.test(address.host)
  return (host === '*' || isLoopback) && (port === '*' || Number(port) === address.port)
}

function textOf(
  expression: Expression | undefined,
  parameters: Readonly<Record<string, string>>,
): string {
  if (expression === undefined) throw new SyntaxError('a filter without a value')
  if (expression.kind !== 'list') return expression.value
  const [head, name] = expression.items
  if (head?.kind !== 'word' || head.value !== 'param' || name?.kind !== 'text') {
    throw new SyntaxError('no parameter')
  }
  const value = parameters[name.value]
  if (value === undefined) throw new SyntaxError(`parameter ${name.value} is not given`)
  return value
}

function isCall(expression: Expression | undefined, name: string): expression is Expression {
  const head = expression?.kind === 'list' ? expression.items[0] : undefined
  return head?.kind === 'word' && head.value === name
}
