/** What an analysis has found so far: grows while a text is walked, and never past its limits. */

import type {
  CommandAnalysis,
  CommandHazard,
  FileOperation,
  HostOperation,
  Refusal,
  RefusalCode,
  SimpleCommand,
} from '../core/need.js'

/** Limits of proof (rules.md §5 items 3 and 4): past one the text is refused, never read more kindly. */
export const SHELL_LIMITS: {
  /** Of a text that can be proved. */
  readonly bytes: number
  /** Of a text that is taken apart for deny and ask. */
  readonly read: number
  readonly commands: number
  readonly operations: number
  readonly depth: number
  /** How often one wrapper may stand within another. */
  readonly wrappers: number
  /** How many tails of a wrapper's words are told as commands of their own. */
  readonly tails: number
  /** UTF-16 units of nested texts, all together. */
  readonly work: number
  /** Nodes of all trees together. */
  readonly nodes: number
} = {
  bytes: 16 * 1024,
  read: 64 * 1024,
  commands: 1000,
  operations: 200,
  depth: 32,
  wrappers: 8,
  tails: 32,
  work: 192 * 1024,
  nodes: 12_000,
}

/** The mutable part of one analysis; it never leaves this folder. */
export class Findings {
  readonly #commands: SimpleCommand[] = []
  readonly #operations = new Map<string, FileOperation>()
  readonly #hosts = new Map<string, HostOperation>()
  readonly #hazards = new Set<CommandHazard>()
  readonly #refusals = new Map<RefusalCode, number>()
  #work = 0
  #nodes = 0

  /** Notes the first place of each code. */
  refuse(code: RefusalCode, at: number): void {
    if (!this.#refusals.has(code)) this.#refusals.set(code, at)
  }

  isRefused(code: RefusalCode): boolean {
    return this.#refusals.has(code)
  }

  /** How many commands there are so far. */
  get count(): number {
    return this.#commands.length
  }

  since(count: number): readonly SimpleCommand[] {
    return this.#commands.slice(count)
  }

  command(command: SimpleCommand): void {
    if (this.#commands.length >= SHELL_LIMITS.commands) return this.refuse('unread', 0)
    this.#commands.push(command)
  }

  operation(operation: FileOperation): void {
    if (this.#operations.size >= SHELL_LIMITS.operations) return this.refuse('unread', 0)
    this.#operations.set(JSON.stringify(operation), operation)
  }

  host(host: HostOperation): void {
    if (this.#hosts.size >= SHELL_LIMITS.operations) return this.refuse('unread', 0)
    this.#hosts.set(JSON.stringify(host), host)
  }

  hazard(name: CommandHazard): void {
    this.#hazards.add(name)
  }

  /** True when this much more text may be read. */
  spend(units: number): boolean {
    this.#work += units
    if (this.#work <= SHELL_LIMITS.work) return true
    this.refuse('unread', 0)
    return false
  }

  /** True when one more node may be looked at. */
  step(): boolean {
    this.#nodes += 1
    if (this.#nodes <= SHELL_LIMITS.nodes) return true
    if (this.#nodes === SHELL_LIMITS.nodes + 1) this.refuse('unread', 0)
    return false
  }

  /** The refusals in the order of their places. */
  analysis(): CommandAnalysis {
    const refusals: readonly Refusal[] = [...this.#refusals]
      .map(([code, at]) => ({ code, at }))
      .sort((left, right) => left.at - right.at)
    return {
      commands: this.#commands,
      refusals,
      ...(this.#operations.size > 0 ? { operations: [...this.#operations.values()] } : {}),
      ...(this.#hosts.size > 0 ? { hosts: [...this.#hosts.values()] } : {}),
      ...(this.#hazards.size > 0 ? { hazards: [...this.#hazards] } : {}),
    }
  }
}
