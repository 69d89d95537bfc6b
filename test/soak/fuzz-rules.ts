/** Hostile match texts: whatever comes, it is a rule or refused with its column and what is allowed, and soon. */

import { ConfigError } from '../../src/core/errors.js'
import type { Roots } from '../../src/core/facts.js'
import type { Subject } from '../../src/core/subject.js'
import { bindMatch, compileMatch } from '../../src/policy/rules/match.js'
import { fuzz, type Fuzzed } from './fuzz.js'
import { mutate, type Random } from './mutate.js'

/** A text that is a rule is bound as well, on each platform in turn, and asked about each kind of subject. */
export function fuzzRules(cases: number, seed: number): Fuzzed {
  return fuzz({
    cases,
    seed,
    input: (random) => (random.below(2) === 0 ? fromPieces(random) : fromRules(random)),
    read: (text, index) => meet(text, ROOTS[index % ROOTS.length] ?? LINUX),
    isRefusal: (fault) =>
      fault instanceof ConfigError &&
      fault.code === 'malformed_rule' &&
      (fault.column ?? 0) >= 1 &&
      (fault.allowed ?? []).length > 0,
  })
}

const LINUX: Roots = {
  workspace: '/ws',
  home: '/home/u',
  temporary: ['/tmp'],
  platform: 'linux',
}
const ROOTS: readonly Roots[] = [
  LINUX,
  { ...LINUX, platform: 'darwin' },
  { workspace: 'C:/ws', home: 'C:/Users/u', temporary: ['C:/Temp'], platform: 'win32' },
]

const ARGV = ['git', 'push', '-f', 'a b', '(x)']
const PATHS = ['/ws/src/a.ts', 'C:/ws/src/A.ts', '//srv/share/a', '/ws/e\u0301. ']
const SUBJECTS: readonly Subject[] = [
  ...PATHS.map((path): Subject => {
    return { kind: 'path', access: 'read', given: path, forms: [path], real: path, resolved: true }
  }),
  {
    kind: 'command',
    command: ARGV.join(' '),
    shell: 'bash',
    analysis: { commands: [{ argv: ARGV }], refusals: [] },
  },
  { kind: 'host', host: 'x.a.test', port: null, path: '/docs/%61' },
  { kind: 'text', text: '{"a":"(*?)"}' },
]

function meet(text: string, roots: Roots): void {
  const match = bindMatch(compileMatch(text), roots, new Map([['/ws/src', '/real']]))
  for (const subject of SUBJECTS) {
    match.namesTool('mcp__a__b')
    // What is proved is suspected too, or a deny would miss what an allow lets through.
    if (match.proves(subject) && !match.suspects(subject))
      throw new TypeError('proved, not suspected')
  }
}

const PIECES = [
  ...['bash', 'read', 'write', 'web_fetch', 'search', 'mcp__a__b', 'grep', 'custom', '*', 'r?ad'],
  ...[
    '(',
    ')',
    '()',
    '(**)',
    ':*',
    '**',
    '*',
    '?',
    '[',
    ']',
    '[a-z]',
    '{a,b}',
    '{1..9}',
    '!',
    '\\',
  ],
  ...['@workspace', '@credentials', '~', '$HOME', '..', '/', '//', 'C:\\', '*.', 'example.com'],
  ...[
    '\\\\?\\',
    '\\\\.\\UNC\\',
    'C:',
    'con',
    'a~1',
    ':$DATA',
    '@',
    '~u',
    'mcp__',
    '__',
    'https://',
  ],
  ...[' ', '\t', '\n', '\0', '\u202e', '\u{1f600}', 'é', 'e\u0301', '\ud800', '::1', ':443', '%2e'],
] as const

function fromPieces(random: Random): string {
  const pieces = Array.from({ length: random.below(12) }, () => random.pick(PIECES))
  const text = pieces.join('')
  // Long repetitions are where a matcher of globs would go wrong.
  return random.below(200) === 0 ? text.repeat(1 + random.below(400)) : text
}

const RULES = [
  'bash(git push:*)',
  'read(src/{a,b{c,d}}/**/*.[ts])',
  'write(C:\\Users\\u\\**)',
  'web_fetch(*.example.com/docs/**)',
  'mcp__server__get*({"id":*})',
  'search(grep **)',
  'read(~/.ssh/**)',
  'bash(echo \\(a\\) "*"?)',
] as const

function fromRules(random: Random): string {
  return mutate(random.pick(RULES), random, PIECES)
}
