/**
 * The same rules in four other engines, each as its documentation has it. They are general engines (roles,
 * attributes, schemas, conditions); the ratios say what a specialised index gains on this work alone.
 */

import { createRequire } from 'node:module'
import { createMongoAbility, subject } from '@casl/ability'
import { newEnforcer, newModelFromString, StringAdapter } from 'casbin'

const require = createRequire(import.meta.url)

/** Each peer's `decide(call)`: `deny`, `ask`, `allow` or `none`, maybe as a promise. */
export async function peersOf(rules) {
  return {
    '@google/gemini-cli-core': await gemini(rules),
    '@casl/ability': casl(rules),
    casbin: await casbin(rules),
    '@cedar-policy/cedar-wasm': cedar(rules),
  }
}

const STRICTNESS = { deny: 3, ask: 2, allow: 1 }

/** The pattern as a regular expression, with what stands around it in the text that an engine matches. */
function regExp(pieces, before = '^', after = '$') {
  const source = pieces.map((piece) => piece.replace(/[.\\/]/g, '\\$&')).join('.*')
  // eslint-disable-next-line security/detect-non-literal-regexp -- the engines want one; the pieces are ours
  return new RegExp(before + source + after)
}

/** Its rules match the arguments as JSON, in which NUL parts the members. */
async function gemini(rules) {
  const policy = '@google/gemini-cli-core/dist/src/policy/'
  const { PolicyEngine } = await import(`${policy}policy-engine.js`)
  const { PolicyDecision } = await import(`${policy}types.js`)
  const decisions = {
    deny: PolicyDecision.DENY,
    ask: PolicyDecision.ASK_USER,
    allow: PolicyDecision.ALLOW,
  }
  const names = { deny: 'deny', ask_user: 'ask', allow: 'allow' }
  const engine = new PolicyEngine({
    rules: rules.map(({ tool, effect, pieces }) => ({
      toolName: foreign(tool),
      argsPattern: regExp(pieces, '^\\{\\0"arg":"', '"\\0\\}$'),
      decision: decisions[effect],
      priority: STRICTNESS[effect],
    })),
  })
  return async ({ tool, arg }) => {
    const { rule } = await engine.check({ name: foreign(tool), args: { arg } }, undefined)
    return rule === undefined ? 'none' : names[rule.decision]
  }
}

/** A name without a meaning of its own in the other engines. */
function foreign(tool) {
  return `tool-${TOOL_NUMBERS.get(tool)}`
}

const TOOL_NUMBERS = new Map(['read', 'write', 'web_fetch', 'mcp__srv__tool'].map((n, i) => [n, i]))

/** The last rule that matches counts, so the strictest stand last. */
function casl(rules) {
  const rising = [...rules].sort((a, b) => STRICTNESS[a.effect] - STRICTNESS[b.effect])
  const ability = createMongoAbility(
    rising.map(({ tool, effect, pieces }) => ({
      action: 'use',
      subject: foreign(tool),
      inverted: effect === 'deny',
      reason: effect,
      conditions: pieces.length === 1 ? { arg: pieces[0] } : { arg: { $regex: regExp(pieces) } },
    })),
  )
  return ({ tool, arg }) => {
    const rule = ability.relevantRuleFor('use', subject(foreign(tool), { arg }))
    return rule?.reason ?? 'none'
  }
}

const MODEL = `
[request_definition]
r = tool, arg
[policy_definition]
p = tool, pattern, eft, label
[policy_effect]
e = priority(p.eft) || deny
[matchers]
m = r.tool == p.tool && glob(r.arg, p.pattern)
`

/** The first rule that matches counts, so the strictest stand first; the explanation tells ask from allow. */
async function casbin(rules) {
  const falling = [...rules].sort((a, b) => STRICTNESS[b.effect] - STRICTNESS[a.effect])
  const lines = falling.map(({ tool, effect, pieces }) => {
    const eft = effect === 'deny' ? 'deny' : 'allow'
    return `p, ${foreign(tool)}, ${pieces.join('*')}, ${eft}, ${effect}`
  })
  const enforcer = await newEnforcer(newModelFromString(MODEL), new StringAdapter(lines.join('\n')))
  const compiled = new Map(rules.map(({ pieces }) => [pieces.join('*'), regExp(pieces)]))
  enforcer.addFunction('glob', (text, pattern) => compiled.get(pattern).test(text))
  return ({ tool, arg }) => enforcer.enforceExSync(foreign(tool), arg)[1][3] ?? 'none'
}

/** `forbid` is deny; `permit` is ask or allow, told apart by the policies that decided. */
function cedar(rules) {
  const { preparsePolicySet, statefulIsAuthorized } = require('@cedar-policy/cedar-wasm/nodejs')
  const staticPolicies = Object.fromEntries(
    rules.map(({ tool, effect, pieces }, index) => [
      `${effect}-${index}`,
      `${effect === 'deny' ? 'forbid' : 'permit'}(principal, action == Action::"${foreign(tool)}", resource)` +
        ` when { context.arg like "${pieces.join('*')}" };`,
    ]),
  )
  const parsed = preparsePolicySet('bench', { staticPolicies, templates: {}, templateLinks: [] })
  if (parsed.type !== 'success') throw new TypeError(JSON.stringify(parsed))
  const entity = (type, id) => ({ type, id })
  return ({ tool, arg }) => {
    const answer = statefulIsAuthorized({
      principal: entity('Agent', 'a'),
      action: entity('Action', foreign(tool)),
      resource: entity('Thing', 't'),
      context: { arg },
      preparsedPolicySetId: 'bench',
      entities: [],
    })
    if (answer.type !== 'success') throw new TypeError(JSON.stringify(answer))
    const { decision, diagnostics } = answer.response
    const reasons = diagnostics.reason
    if (decision === 'deny') return reasons.length > 0 ? 'deny' : 'none'
    return reasons.some((id) => id.startsWith('ask')) ? 'ask' : 'allow'
  }
}
