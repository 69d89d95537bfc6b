/** Random bash programs: a grammar of every construct, then a few characters changed. */

/** Programs from a seed; the same seed gives the same programs. */
export function shellPrograms(seed: number, count: number): readonly string[] {
  const draw = random(seed)
  return Array.from({ length: count }, () => mutate(list(draw, 3), draw))
}

/** A number below `limit`. */
type Draw = (limit: number) => number

/** Mulberry32: small, and good enough to vary text. */
function random(seed: number): Draw {
  let state = seed >>> 0
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

function pick(draw: Draw, ...choices: readonly string[]): string {
  return choices[draw(choices.length)] ?? ''
}

function list(draw: Draw, depth: number): string {
  const parts = Array.from({ length: 1 + draw(3) }, () => command(draw, depth))
  return parts.reduce(
    (text, part) => text + pick(draw, '; ', ' && ', ' || ', ' | ', ' & ', '\n', ' |& ') + part,
  )
}

function command(draw: Draw, depth: number): string {
  if (depth === 0 || draw(3) > 0) return simple(draw, depth)
  const inner = (): string => list(draw, depth - 1)
  switch (draw(16)) {
    case 0:
      return `( ${inner()} )`
    case 1:
      return `{ ${inner()}; }`
    case 2:
      return `if ${inner()}; then ${inner()}; else ${inner()}; fi`
    case 3:
      return `for i in ${word(draw, depth)} b; do ${inner()}; done`
    case 4:
      return `case ${word(draw, depth)} in a|b) ${inner()};; *) ${inner()}; esac`
    case 5:
      return `f() { ${inner()}; }; f`
    case 6:
      return `! ${inner()}`
    case 7:
      return `time -p ${inner()}`
    case 8:
      return `eval '${quotable(draw)}'`
    case 9:
      return `${pick(draw, 'command', 'builtin', 'exec', 'nohup', 'env A=1')} ${simple(draw, depth)}`
    case 10:
      return `${simple(draw, depth)} <<${pick(draw, 'E', "'E'", '\\E', '-E')}\n${word(draw, depth)} text\nE\n`
    case 11:
      return `A=(${word(draw, depth)} ${word(draw, depth)})${pick(draw, '', '', 'x', ' ')} ${simple(draw, 0)}`
    case 12:
      return `[[ ${word(draw, depth)} ${pick(draw, '==', '=~', '-nt', '<')} ${word(draw, depth)} ]]`
    case 13:
      return `declare A=${word(draw, depth)}`
    case 14:
      return `(( 1 ${pick(draw, '+', '<<', '?')} ${word(draw, depth)} ))`
    default:
      return `trap '${quotable(draw)}' EXIT`
  }
}

function simple(draw: Draw, depth: number): string {
  const assigns = draw(6) === 0 ? `${pick(draw, 'A', 'B')}=${word(draw, depth)} ` : ''
  const args = Array.from({ length: draw(3) }, () => ` ${word(draw, depth)}`).join('')
  const redirect =
    draw(6) === 0 ? ` ${pick(draw, '>', '>>', '2>', '<<<', '&>', '>|')}${word(draw, 0)}` : ''
  return `${assigns}${program(draw)}${args}${redirect}`
}

function program(draw: Draw): string {
  const name = pick(draw, 'aa', 'bb', 'cc', 'dd', 'ee')
  return pick(
    draw,
    name,
    name,
    name,
    `"${name}"`,
    `'${name}'`,
    `\\${name}`,
    `${name}''`,
    `$'${name}'`,
    `a''a`,
  )
}

function word(draw: Draw, depth: number): string {
  if (depth === 0)
    return pick(draw, 'x', "'y z'", '"w"', 'a\\ b', '$x', '"$x"', '*', '{p,q}', '~', '#n', 'k=v')
  const inner = (): string => list(draw, depth - 1)
  switch (draw(14)) {
    case 0:
      return `$(${inner()})`
    case 1:
      return `"$(${inner()})"`
    case 2:
      return `\`${simple(draw, 0)}\``
    case 3:
      return `<(${inner()})`
    case 4:
      return `\${x:-${word(draw, depth - 1)}}`
    case 5:
      return `"\${x//${word(draw, depth - 1)}/y}"`
    case 6:
      return `$((1 + ${word(draw, 0)}))`
    case 7:
      return `$'${pick(draw, 'a\\x62', "it\\'s", '\\n', 'z')}'`
    case 8:
      return `"a${word(draw, depth - 1)}b"`
    default:
      return word(draw, 0)
  }
}

/** Text that single quotes hold. */
function quotable(draw: Draw): string {
  return list(draw, 1).replaceAll("'", '')
}

/** No slash: what is written stays in the folder. */
const CHARACTERS = [...`'"\`$\\(){}[];&|<>#!*?=\n\t -@:x,^%+`]

function mutate(text: string, draw: Draw): string {
  let result = text
  for (let round = draw(4); round > 0; round -= 1) {
    const at = draw(result.length + 1)
    const char = CHARACTERS[draw(CHARACTERS.length)] ?? ''
    const kept = draw(3)
    result = result.slice(0, at) + (kept === 0 ? '' : char) + result.slice(kept === 1 ? at : at + 1)
  }
  return result
}
