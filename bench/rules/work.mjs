/** The work that every engine gets: rules in a language that all of them can say, calls, and an oracle that is none of them. */

/** A seeded generator (mulberry32), so that every run and every engine has the same work. */
export function generator(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/**
 * `count` rules: tool, effect and a pattern given as its literal pieces, between which any run of
 * characters may stand. 40 % exact, 35 % prefixes, 5 % suffixes, 20 % with runs inside and a short
 * literal in front; 20 % deny, 30 % ask, 50 % allow. Hosts are exact or `*.parent` alone.
 */
export function rulesOf(count, random) {
  const rules = []
  const seen = new Set()
  while (rules.length < count) {
    const tool = pick(TOOLS, random)
    const pieces = tool === 'web_fetch' ? hostPieces(random) : textPieces(tool, random)
    const effect = pick(EFFECTS, random)
    const key = `${effect} ${tool} ${pieces.join('*')}`
    if (seen.has(key)) continue
    seen.add(key)
    rules.push({ tool, effect, pieces })
  }
  return rules
}

/** `count` distinct calls: six of ten made from a rule, the rest made up. */
export function callsOf(count, rules, random) {
  const calls = new Map()
  while (calls.size < count) {
    const rule = pick(rules, random)
    const made = rule.pieces.join(rule.pieces.length === 1 ? '' : word(random))
    const arg = random() < 0.6 ? made : madeUp(rule.tool, random)
    calls.set(`${rule.tool} ${arg}`, { tool: rule.tool, arg })
  }
  return [...calls.values()]
}

/** What the rules say of a call, deny over ask over allow, by trying each of them. */
export function oracle(rules, { tool, arg }) {
  const met = rules.filter((rule) => rule.tool === tool && matches(rule.pieces, arg))
  return (
    ['deny', 'ask', 'allow'].find((effect) => met.some((rule) => rule.effect === effect)) ?? 'none'
  )
}

/** The rule as a policy of the library states it. */
export function ruleText({ tool, effect, pieces }) {
  // `*` crosses no separator; the shared language has none, so it is `**` here. Hosts have one star of their own.
  return `${effect} ${tool}(${pieces.join(tool === 'web_fetch' ? '*' : '**')})`
}

export const TOOLS = ['read', 'write', 'web_fetch', 'mcp__srv__tool']

const EFFECTS = [
  ...new Array(2).fill('deny'),
  ...new Array(3).fill('ask'),
  ...new Array(5).fill('allow'),
]
const SHORT = ['src/', 'lib/', 'app/', 'doc/', 'pkg/']

function textPieces(tool, random) {
  const path = `${pick(SHORT, random)}${word(random)}/${word(random)}`
  const kind = random()
  if (kind < 0.4) return [`${path}.ts`]
  if (kind < 0.75) return [path, '']
  if (kind < 0.8) return ['', `${word(random)}/${word(random)}.ts`]
  return [pick(SHORT, random), word(random), `${word(random)}.ts`]
}

function hostPieces(random) {
  const host = `${word(random)}.${word(random)}.example`
  return random() < 0.6 ? [host] : ['', `.${host}`]
}

function madeUp(tool, random) {
  if (tool === 'web_fetch') return `${word(random)}.${word(random)}.example`
  return `${pick(SHORT, random)}${word(random)}/${word(random)}/${word(random)}.ts`
}

function word(random) {
  const length = 3 + Math.floor(random() * 5)
  return Array.from({ length }, () => LETTERS[Math.floor(random() * 26)]).join('')
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

function pick(list, random) {
  return list[Math.floor(random() * list.length)]
}

function matches(pieces, text) {
  if (pieces.length === 1) return pieces[0] === text
  const [first, ...rest] = pieces
  const last = rest.pop()
  if (!text.startsWith(first) || !text.slice(first.length).endsWith(last)) return false
  let at = first.length
  for (const piece of rest) {
    const found = text.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return at + last.length <= text.length
}
