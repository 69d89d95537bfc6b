/**
 * The fold (pipeline.md §4): walks the layers in order over (call, policy, facts) and says how the
 * call ends. Pure and synchronous. It knows kinds of layers, never their names.
 */

import { isUnconfined, type Escalation } from '../core/escalation.js'
import { isTrusted } from '../core/call.js'
import type { Ask, GuardAnswer } from '../core/facts.js'
import type { NodeLayer } from '../core/layer-name.js'
import { unreachable } from '../core/unreachable.js'
import type { Verdict, Visit } from '../core/verdict.js'
import { escalationsOf } from './escalations.js'
import type { AnyLayer, Layer, LayerKind, Question, Sayings, Standing } from './layer.js'
import { LAYERS } from './layers.js'

/** Admitted, denied or suspended, with every layer visited. Never throws. */
export function fold(question: Question, layers: readonly AnyLayer[] = LAYERS): Verdict {
  const walker = new Walker(question)
  const guarded = walker.hearGuards()
  if (guarded !== undefined) return guarded
  const walked = walker.isTrusted ? layers.filter((layer) => layer.everyOrigin) : layers
  if (walker.isTrusted) walker.trust()
  for (const [index, layer] of walked.entries()) {
    const ended = walker.visit(layer, walked.slice(index + 1))
    if (ended !== undefined) return ended
  }
  return walker.admit()
}

/** The mutable part of one fold; it never leaves this file. */
class Walker {
  /** The host's own call; what cannot be judged at all is denied by layer 1 for every origin. */
  readonly isTrusted: boolean
  private readonly question: Question
  private readonly escalations: readonly Escalation[]
  private readonly visits: Visit[] = []
  private readonly asks: Ask[] = []
  private standing: Standing = 'open'
  private admittedBy: Visit | null = null

  constructor(question: Question) {
    this.question = question
    this.isTrusted = isTrusted(question.call.origin) && question.call.defect === null
    this.escalations = escalationsOf(question)
  }

  /** Guards stand before all layers: the strictest answer is the root of the chain. */
  hearGuards(): Verdict | undefined {
    const answers = this.question.facts.guards.map((answer) => this.asHeard(answer))
    const denial = answers.find((answer) => answer.decision === 'deny')
    const answer = denial ?? answers[0]
    if (answer === undefined) return undefined
    const visit = this.note('guard', { ...answer, reason: denial ? guardReason(answer) : null })
    if (denial !== undefined) return this.deny(visit)
    for (const { matchedRule } of answers) this.ask('guard', matchedRule, null)
    return undefined
  }

  /** Nobody is asked about a call of the host: what a hook would ask about is denied. */
  private asHeard(answer: GuardAnswer): GuardAnswer {
    return this.isTrusted ? { ...answer, decision: 'deny' } : answer
  }

  /** The origin is what grants a call of the host; the layers that hear it can still stop it. */
  trust(): void {
    const { origin } = this.question.call
    const saying = { decision: 'allow', matchedRule: `origin:${origin}` } as const
    this.grant(this.note('guard', saying))
  }

  visit(layer: AnyLayer, later: readonly AnyLayer[]): Verdict | undefined {
    switch (layer.kind) {
      case 'gate':
        return this.visitGate(layer)
      case 'rule':
        return this.visitRule(layer)
      case 'fallback':
        return this.visitFallback(layer)
      case 'answer':
        return this.standing === 'asking' ? this.visitAnswer(layer, later) : undefined
      default:
        return unreachable(layer)
    }
  }

  admit(): Verdict {
    const { visits, asks, escalations } = this
    // INVARIANT: a fallback must settle, so nothing reaches this line open or asking; see fold.property.test.ts
    if (this.standing !== 'granted' || this.admittedBy === null) {
      return this.deny(this.note('sandbox', FAULT))
    }
    const unconfined = escalations.some(isUnconfined)
    return {
      status: 'admitted',
      visits,
      asks,
      escalations,
      admittedBy: this.admittedBy,
      unconfined,
    }
  }

  private visitGate(layer: Layer<'gate'>): Verdict | undefined {
    const visit = this.note(layer.name, this.hear(layer))
    return visit.decision === 'deny' ? this.deny(visit) : undefined
  }

  private visitRule(layer: Layer<'rule'>): Verdict | undefined {
    const visit = this.note(layer.name, this.hear(layer))
    if (visit.decision === 'deny') return this.deny(visit)
    if (visit.decision === 'ask') this.ask(layer.name, visit.matchedRule ?? '', null)
    if (visit.decision === 'allow') this.grant(visit)
    return undefined
  }

  /** Reached while the standing is open, when it insists, and when it would deny an asking call. */
  private visitFallback(layer: Layer<'fallback'>): Verdict | undefined {
    const reached = this.standing === 'open' || this.insists(layer)
    if (!reached && this.standing === 'granted') return undefined
    const saying = this.hear(layer)
    if (!reached && saying.decision !== 'deny') return undefined
    const visit = this.note(layer.name, saying)
    if (visit.decision === 'deny') return this.deny(visit)
    if (visit.decision === 'allow') this.grant(visit)
    if (visit.decision === 'ask' && this.escalations.length === 0) {
      this.ask(layer.name, visit.matchedRule ?? '', null)
    }
    for (const name of this.escalations) this.ask(layer.name, `builtin:escalation.${name}`, name)
    return undefined
  }

  /** Nobody is asked in vain: a later gate that would deny after a yes denies instead (note 1). */
  private visitAnswer(layer: Layer<'answer'>, later: readonly AnyLayer[]): Verdict | undefined {
    for (const gate of later) {
      if (gate.kind !== 'gate') continue
      const saying = this.hear(gate)
      if (saying.decision === 'deny') return this.deny(this.note(gate.name, saying, true))
    }
    const saying = this.hear(layer)
    if (saying.decision === 'suspend') {
      const { visits, asks, escalations } = this
      return { status: 'suspended', visits, asks, escalations }
    }
    const visit = this.note(layer.name, saying)
    if (visit.decision === 'deny') return this.deny(visit)
    this.standing = 'granted'
    this.admittedBy = visit
    return undefined
  }

  private insists(layer: Layer<'fallback'>): boolean {
    const { standing, asks, escalations } = this
    try {
      return layer.insists(this.question, { standing, asks, escalations })
    } catch {
      // It is heard, and whatever makes it throw again then denies the call.
      return true
    }
  }

  private hear<K extends LayerKind>(layer: Layer<K>): Sayings[K] | typeof FAULT {
    const { standing, asks, escalations } = this
    try {
      const saying = layer.decide(this.question, { standing, asks, escalations })
      return isSaying(layer.kind, saying) ? saying : FAULT
    } catch {
      // A layer that throws denies the call (note 7); what it threw is no fact and is not recorded.
      return FAULT
    }
  }

  private note(layer: NodeLayer, saying: Said, moot = false): Visit {
    const { decision, matchedRule, reason = null } = saying
    const visit: Visit = { layer, decision, matchedRule, reason, moot }
    this.visits.push(visit)
    return visit
  }

  /** Only an answer clears a question: a later allow leaves an asking call asking. */
  private grant(visit: Visit): void {
    if (this.standing !== 'open') return
    this.standing = 'granted'
    this.admittedBy = visit
  }

  private ask(layer: NodeLayer, matchedRule: string, escalation: Escalation | null): void {
    this.standing = 'asking'
    this.asks.push({ layer, matchedRule, escalation })
  }

  private deny(by: Visit): Verdict {
    const { visits, asks, escalations } = this
    return { status: 'denied', visits, asks, escalations, by }
  }
}

type Said = Pick<Visit, 'decision' | 'matchedRule'> & { readonly reason?: Visit['reason'] }

const FAULT = {
  decision: 'deny',
  matchedRule: 'builtin:layer_fault',
  reason: 'layer_fault',
} as const satisfies Said

/** The types say the same; a layer that says something else has failed, and cannot admit by it. */
const SAYABLE: { readonly [K in LayerKind]: readonly string[] } = {
  gate: ['allow', 'deny', 'no_match'],
  rule: ['allow', 'ask', 'deny', 'no_match'],
  fallback: ['allow', 'ask', 'deny'],
  answer: ['allow', 'deny', 'suspend'],
}

function isSaying(kind: LayerKind, saying: unknown): boolean {
  const { decision, matchedRule } = Object(saying) as Readonly<Record<string, unknown>>
  if (typeof decision !== 'string' || !SAYABLE[kind].includes(decision)) return false
  if (decision === 'suspend') return true
  return decision === 'no_match' ? matchedRule === null : typeof matchedRule === 'string'
}

/** The reason of a guard's denial is its id; a hook's is `hook` (the table in core/reasons). */
function guardReason(answer: { readonly matchedRule: string }): Visit['reason'] {
  if (answer.matchedRule.startsWith('guard:')) return 'hook'
  return answer.matchedRule.replace(/^builtin:/, '') as Visit['reason']
}
