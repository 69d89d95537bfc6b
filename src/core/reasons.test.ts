import { describe, expect, it } from 'vitest'
import { DECISIONS } from './effect.js'
import { LAYER_NAMES, type NodeLayer } from './layer-name.js'
import { isTabled, isTabledReason, REASON_ROWS } from './reasons.js'

describe('the table of ids and reasons', () => {
  it('gives every denial a reason and no other decision one', () => {
    for (const row of REASON_ROWS) expect(row.reason === null).toBe(row.decision !== 'deny')
  })

  it('has at least one id for each layer', () => {
    for (const layer of LAYER_NAMES) {
      expect(REASON_ROWS.some((row) => row.layer === layer)).toBe(true)
    }
  })

  it('takes a fault of any layer, as a denial only', () => {
    const layers: readonly NodeLayer[] = [...LAYER_NAMES, 'guard']
    for (const layer of layers) {
      for (const decision of DECISIONS) {
        expect(isTabled(layer, decision, 'builtin:layer_fault')).toBe(decision === 'deny')
      }
    }
  })

  it('takes families by their prefix, with something behind it', () => {
    expect(isTabled('sandbox', 'allow', 'builtin:driver.bubblewrap')).toBe(true)
    expect(isTabled('sandbox', 'allow', 'builtin:driver.')).toBe(false)
  })

  it('[H-08] takes no reserved prefix for a rule of an author', () => {
    expect(isTabled('user_rule', 'allow', 'r1')).toBe(true)
    expect(isTabled('user_rule', 'allow', 'origin:host')).toBe(false)
    expect(isTabled('user_rule', 'deny', 'grant:x')).toBe(false)
  })

  it('keeps the ends of a question apart', () => {
    expect(isTabledReason('approval_response', 'deny', 'expired')).toBe(true)
    expect(isTabledReason('approval_response', 'deny', 'rule')).toBe(false)
    expect(isTabledReason('work_mode', 'deny', 'expired')).toBe(false)
  })

  it('lets a no_match of the rules say why shell text proved nothing', () => {
    expect(isTabledReason('user_rule', 'no_match', 'refused.redirect_target')).toBe(true)
    expect(isTabledReason('user_rule', 'no_match', 'refused.invented')).toBe(false)
    expect(isTabledReason('network', 'no_match', 'refused.redirect_target')).toBe(false)
  })
})
