/** Texts to compare: the corpus of everyday and hostile shell text, as it is and with a few things changed. */

import { readFileSync } from 'node:fs'
import { mutate, randomOf, type Random } from '../../soak/mutate.js'

/** The command of every row of the corpus. */
export function corpus(): readonly string[] {
  return readFileSync('test/cases/shell.jsonl', 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly command: string }).command)
}

/**
 * Rows set into one another and edited; the same seed gives the same texts. Their paths lose their
 * slashes, so that the judge can run them.
 */
export function editedCorpus(seed: number, count: number): readonly string[] {
  const random = randomOf(seed)
  const rows = corpus().map((row) => row.replaceAll('/', '_'))
  const row = (): string => rows[random.below(rows.length)] ?? ''
  return Array.from({ length: count }, () => mutate(composed(row, random), random, TOKENS))
}

function composed(row: () => string, random: Random): string {
  return random.pick(FRAMES).replace(/[AB]/g, row)
}

/** Where rows may stand: for `A` and `B`. */
const FRAMES: readonly [string, ...string[]] = [
  ...(['A', 'A', 'A', 'A; B', 'A\nB', 'A && B', 'A || B', 'A | B', '(A)', '{ A; }'] as const),
  ...['p "$(A)"', 'p $(A) q', 'p <(A)', 'p `A`', 'p ${x:-$(A)}', 'if A; then B; fi', '! A'],
  ...['p ${x:-A}', 'p "${x:-A}"; B', 'p "${ A; }"\nB', 'p "${x//A/B}"', "p $'A'", 'p "A"; B'],
  ...['while A; do break; done', 'for i in $(A); do B; done', 'case $(A) in p) B;; *) A; esac'],
  ...['p <<E\n$(A)\nE\nB', 'p <<-"E"\nA\nE\nB', 'p <<E\nA\nE\nB', "sh -c 'A'", "eval 'A'; B"],
  ...['p "${x:+`A`}" && B', '[[ -n $(A) ]]', 'p=(q $(A) r); B', 'p $(( $(A) + 1 ))', 'p[$(A)]=1'],
  ...['coproc { A; }', 'time A', 'A &\nB', 'p <<<"$(A)" | B', 'until A; do B; break; done'],
]

const TOKENS: readonly [string, ...string[]] = [
  ...(['$(zz)', '`zz`', '<(zz)', '; zz ', '\nzz ', ' && zz ', ' | zz ', '${x:-$(zz)}'] as const),
  ...['"', "'", '\\', '\\\n', '#', ' #', '$', '$(', '`', ')', '}', '{', ' ; }', '((', '))', '!'],
  ...['<<E\n', '\nE\n', '<<<', '>&', '2>', ' in ', ' do ', ' done', ' then ', ' fi', ' esac'],
  ...['=', '=(', '+=', '[[ ', ' ]]', '&', '|&', ';;', "$'", '$"', '~', '*', '{a,b}', '\t', '\n'],
  ...['${', '${ ', '${x:-', '$[', '\\"', "\\'", '"\n', "'\n", '${#', '${!', '(', '<(', '>('],
]
