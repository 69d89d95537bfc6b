/** Random texts about one thing: expansions in one another, with quotes, in every place where a word may stand. */

import { randomOf, type Random } from '../../soak/mutate.js'

/** The same seed gives the same texts. */
export function expansions(seed: number, count: number): readonly string[] {
  const random = randomOf(seed)
  return Array.from({ length: count }, () => filled(random.pick(PLACES), random, 4))
}

/** Where a word may stand: `W` is one, `C` is a command. */
const PLACES: readonly [string, ...string[]] = [
  ...(['p W', 'p "W"', 'p aW; C', 'p "aW" b\nC', 'p <<E\nW\nE\nC', 'p <<E\naWb\nWc\nE'] as const),
  ...['p <<-E\n\tW\n\tE\nC', "p <<'E'\nW\nE\nC", 'x=W C', 'x="W"; C', 'p >g W', 'p <<<W | C'],
  ...['[[ W == "W" ]]', '[[ a =~ W ]] && C', 'case W in W) C;; *) C; esac', 'p=(W "W"); C'],
  ...['for i in W "W"; do C; done', 'p `p W`; C', 'p "`p W`"; C', 'p $(p W; C) W', '{ p W; } >g'],
  ...['p {W,b}', 'p $((1 + W))', 'if C; then p "W"; fi', 'p "W" "W"\nC', "sh -c 'W'; C", 'C W'],
]

const OPERATORS: readonly [string, ...string[]] = [
  ...([
    ':-',
    '-',
    ':+',
    '+',
    ':=',
    ':?',
    '#',
    '##',
    '%',
    '%%',
    '/',
    '//',
    '/#',
    '^',
    ',,',
  ] as const),
  ...[':', '@'],
]

const PIECES: readonly [string, ...string[]] = [
  ...([
    'a',
    'b',
    ' ',
    '/',
    '#',
    '*',
    '?',
    '$(C)',
    '$(C /; C)',
    '"$(C)"',
    '`C`',
    '"W"',
    'X',
  ] as const),
  ...['X', 'X', "'", '"', "\\'", '\\"', '\\}', '\\$', '\\\\', '\\`', "'W'", "$'a'", "$'W'", '$"W"'],
  ...[
    '{W,c}',
    '$x',
    '"$x"',
    '$',
    '~',
    '(',
    ')',
    '{',
    '\n',
    '\\\n',
    ';',
    '&',
    '|',
    '<(C)',
    '$((1))',
  ],
  ...['# W\n', '!', '[a]', '[W]', '=', ':', ',', "''", '""', '$(p W)', '$(p "W" # W\n)'],
]

/** Where words may hold none. */
const LEAVES: readonly [string, ...string[]] = [
  ...(['a', 'a', '$(C)', '$(C / ; C)', '$(C : C; C)', '`C`', '`C /; C`', '/', '}', '$x'] as const),
]

function filled(text: string, random: Random, depth: number): string {
  return text.replace(/[WXC]/g, (place) => {
    if (place === 'C') return `z${random.below(8)}`
    if (place === 'W') return word(random, depth)
    return depth === 0
      ? '${x}'
      : `\${${random.pick(['x', 'y'])}${random.pick(OPERATORS)}${word(random, depth - 1)}}`
  })
}

function word(random: Random, depth: number): string {
  const pieces = Array.from({ length: 1 + random.below(depth + 1) }, () => random.pick(PIECES))
  if (depth <= 0) return filled(random.pick(LEAVES), random, 0)
  return pieces.map((piece) => filled(piece, random, depth - 1)).join('')
}
