/** Rules and calls that are made of the same few pieces, so that they meet often, for the index and its oracle. */

import fc from 'fast-check'
import type { Effect } from '../../src/core/effect.js'
import type { Roots } from '../../src/core/facts.js'
import type { DerivedPath, SimpleCommand } from '../../src/core/need.js'
import type {
  CommandSubject,
  HostSubject,
  PathSubject,
  Subject,
  TextSubject,
} from '../../src/core/subject.js'
import { makeLasting } from '../../src/encoding/plain-json.js'
import type { BoundMatch, BoundRule } from '../../src/policy/effective-policy.js'
import { bindMatch, compileMatch } from '../../src/policy/rules/match.js'
import { lexicalForms } from '../../src/policy/rules/path-forms.js'
import type { Question } from '../../src/policy/rules/question.js'

export interface Meeting {
  readonly rules: BoundRule[]
  readonly questions: readonly Question[]
}

/** A policy as it is bound, some of whose matches throw, and calls that it is asked about. */
export function meetings(): fc.Arbitrary<Meeting> {
  return fc.constantFrom(...SETTINGS).chain((setting) => setting)
}

/** One arbitrary a place and a few names: with all names at once a rule and a call would hardly meet. */
function meetingsAt(place: Place, names: readonly string[]): fc.Arbitrary<Meeting> {
  const pieces = piecesOf(names)
  return fc.record({
    rules: fc.array(rules(place, pieces), { maxLength: 12 }).map(numbered),
    questions: fc.array(questions(place.roots, pieces), { minLength: 1, maxLength: 4 }),
  })
}

interface Place {
  readonly roots: Roots
  readonly realFolders: ReadonlyMap<string, string>
}

const POSIX = { workspace: '/ws', home: '/home/u', temporary: ['/tmp'] }
const LINUX: Roots = { ...POSIX, platform: 'linux' }
const WINDOWS: Roots = {
  workspace: 'C:\\Work',
  home: 'C:\\Users\\u',
  temporary: ['C:\\tmp'],
  platform: 'win32',
}
const NOWHERE: ReadonlyMap<string, string> = new Map()
const LINKED: ReadonlyMap<string, string> = new Map([
  ['/ws/src', '/ws/Real'],
  ['/ws/a', '/home/u/b/'],
  ['/ws', '/private/ws'],
  ['/home/u/src', '/'],
  ['/ws/src/a', '/tmp/\u00e9'],
])
const PLACES: readonly Place[] = [
  { roots: LINUX, realFolders: NOWHERE },
  { roots: LINUX, realFolders: LINKED },
  { roots: { ...POSIX, platform: 'darwin' }, realFolders: LINKED },
  { roots: WINDOWS, realFolders: new Map([['C:/Work/src', 'D:\\Real']]) },
]

const POOLS: readonly (readonly string[])[] = [
  ['src', 'SRC', 'a', '.env'],
  ['a', 'b', '.git', 'a.ts'],
  ['key', 'key.', 'KEY', '\u212aey'],
  ['e\u0301', '\u00e9', '\u00c9', 'a'],
  ['src', '\u017frc', 's\u200brc', 'b'],
  ['a b', 'a', 'x\ny', '..'],
  ['key. .', 'key', 'src', 'real'],
]

interface Pieces {
  readonly matchText: fc.Arbitrary<string>
  readonly given: fc.Arbitrary<string>
  readonly texts: fc.Arbitrary<TextSubject>
}

const base = fc.constantFrom(
  '',
  '',
  '',
  '/',
  '/ws/',
  '/ws/src/',
  '~/',
  '/tmp/',
  '/proc/',
  'C:/Work/',
)
const wild = fc.constantFrom(
  '*',
  '**',
  '?',
  '*.ts',
  's*',
  '*b',
  's*c',
  '{a,b}',
  '[*]',
  '**b',
  'k?y',
)
const word = fc.constantFrom(
  'git',
  'rm',
  'npm',
  '-rf',
  'push',
  'a',
  'b',
  './a',
  '/usr/bin/git',
  'x y',
)
const textPattern = fc
  .oneof(
    fc.array(fc.oneof(word, fc.constantFrom('*', '**', '?', 'g*', '*h')), {
      minLength: 1,
      maxLength: 3,
    }),
    fc.array(word, { minLength: 1, maxLength: 2 }),
  )
  .chain((words) => fc.constantFrom('', ':*', '*', ' **').map((end) => words.join(' ') + end))
const hostName = fc.constantFrom(
  'a.com',
  'x.a.com',
  'y.x.a.com',
  'A.COM',
  'a.com.',
  '127.0.0.1',
  '[::1]',
  'b.org',
)
const hostPattern = fc.oneof(
  fc
    .tuple(fc.constantFrom('', '*.'), hostName, fc.constantFrom('', '/', '/api/**', '/*'))
    .map((parts) => parts.join('')),
  fc.constantFrom('*', '**', '*/api/*'),
)

const PATH_TOOLS = ['read', 'write', 'edit', 'ls', 'READ', 'download', 'patch']
const OTHER_TOOLS = [
  'search',
  'grep',
  'custom',
  'mcp__srv__tool',
  'mcp__srv',
  'mcp__s*__t*',
  'delegate',
]
const toolPart = fc.constantFrom('bash', 'web_fetch', ...PATH_TOOLS, ...OTHER_TOOLS)
const bareText = fc.constantFrom('*', 'r*', 'mcp__*', '?ead', 'w*')
const hostText = fc.tuple(fc.constant('web_fetch'), hostPattern).map(written)
const argumentText = fc.tuple(fc.constantFrom('bash', ...OTHER_TOOLS), textPattern).map(written)

function piecesOf(names: readonly string[]): Pieces {
  const name = fc.constantFrom(...names)
  const segment = fc.oneof({ weight: 3, arbitrary: name }, wild)
  const segments = fc.array(segment, { minLength: 1, maxLength: 3 })
  const pathPattern = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(base, segments).map(([start, parts]) => start + parts.join('/')),
    },
    fc.constantFrom('@workspace', '@outside', '@home', '@protected', '@credentials', '@kernel'),
    fc.constantFrom('**', '*', 'src/**', '/ws/src/**', '/**', '~', '**/', 'src\\a', '/ws/'),
  )
  const pathText = fc.tuple(fc.constantFrom(...PATH_TOOLS), pathPattern).map(written)
  const anyText = fc.tuple(fc.constant('custom'), fc.oneof(pathPattern, hostPattern)).map(written)
  return {
    matchText: fc.oneof(
      { weight: 5, arbitrary: pathText },
      { weight: 3, arbitrary: argumentText },
      { weight: 2, arbitrary: hostText },
      { weight: 2, arbitrary: anyText },
      { weight: 1, arbitrary: toolPart },
      { weight: 1, arbitrary: bareText },
    ),
    given: fc
      .tuple(
        base,
        fc.array(name, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('', '/', '.', ' '),
      )
      .map(([start, parts, end]) => start + parts.join('/') + end),
    texts: fc
      .tuple(
        fc.constantFrom('', ' ', 'grep ', 'glob '),
        fc.array(fc.oneof(word, name), { maxLength: 3 }),
      )
      .map(([start, words]) => ({ kind: 'text', text: start + words.join(' ') + start.trimEnd() })),
  }
}

function written([tool, pattern]: readonly [string, string]): string {
  return `${tool}(${pattern})`
}

function rules(place: Place, { matchText }: Pieces): fc.Arbitrary<BoundRule> {
  const fields = fc.record({
    effect: fc.constantFrom<Effect>('deny', 'ask', 'allow'),
    match: matches(place, matchText),
    except: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(matches(place, matchText), { minLength: 1, maxLength: 2 }) },
    ),
    effective: fc.oneof({ weight: 8, arbitrary: fc.constant(true) }, fc.constant(false)),
  })
  return fields.map(({ effective, effect, ...rest }) => {
    const counts = effective || effect !== 'allow'
    return { id: '', source: 'user', reason: null, effect, effective: counts, ...rest }
  })
}

function numbered(given: readonly BoundRule[]): BoundRule[] {
  return given.map((rule, index) => ({ ...rule, id: `r${index}` }))
}

/** One match in twelve throws, wherever it is asked or in one place only. */
function matches(
  { roots, realFolders }: Place,
  matchText: fc.Arbitrary<string>,
): fc.Arbitrary<BoundMatch> {
  const fault = fc.integer({ min: 0, max: 47 })
  return fc.tuple(matchText, fault).map(([text, number]) => {
    const match = bindMatch(compiled(text), roots, realFolders)
    return number < 4 ? broken(match, number) : match
  })
}

function compiled(text: string): ReturnType<typeof compileMatch> {
  try {
    return compileMatch(text)
  } catch {
    // What is no rule is none: a bare name stands for it.
    return compileMatch(text.split('(')[0] ?? 'read')
  }
}

function broken(match: BoundMatch, place: number): BoundMatch {
  const fail = (): never => {
    throw new RangeError('broken')
  }
  const { text, argumentFree } = match
  return {
    text,
    argumentFree,
    namesTool: place === 0 ? fail : (tool) => match.namesTool(tool),
    proves: place < 2 ? fail : (subject) => match.proves(subject),
    suspects: place % 2 === 0 ? fail : (subject) => match.suspects(subject),
  }
}

function questions(roots: Roots, { given, texts }: Pieces): fc.Arbitrary<Question> {
  const some = (subject: fc.Arbitrary<Subject>): fc.Arbitrary<readonly Subject[]> =>
    fc.array(subject, { maxLength: 3 })
  const path = paths(roots, given)
  const asked = fc.oneof(
    { weight: 4, arbitrary: about(fc.constantFrom(...PATH_TOOLS), some(path)) },
    { weight: 3, arbitrary: about(fc.constant('bash'), shellSubjects(path)) },
    { weight: 2, arbitrary: about(fc.constantFrom('web_fetch', 'download'), some(hosts)) },
    {
      weight: 3,
      arbitrary: about(
        fc.constantFrom('search', 'Custom', 'mcp__srv__tool', 'mcp__srv__other', 'delegate'),
        some(fc.oneof(texts, path, hosts)),
      ),
    },
    { weight: 1, arbitrary: about(toolPart, oversize(fc.oneof(path, hosts, texts))) },
  )
  return fc
    .tuple(asked, fc.boolean())
    .map(([question, unconfined]) => ({ ...question, roots, unconfined }))
}

function about(
  tool: fc.Arbitrary<string>,
  subjects: fc.Arbitrary<readonly Subject[]>,
): fc.Arbitrary<Pick<Question, 'tool' | 'runsIn' | 'subjects'>> {
  return fc.record({ tool, runsIn: fc.constantFrom('process', 'sandbox'), subjects })
}

function paths(roots: Roots, given: fc.Arbitrary<string>): fc.Arbitrary<PathSubject> {
  const real = fc.oneof(fc.constant([]), fc.array(given, { minLength: 1, maxLength: 2 }))
  return fc
    .record({
      access: fc.constantFrom('read', 'write'),
      given,
      real,
      resolved: fc.oneof({ weight: 6, arbitrary: fc.constant(true) }, fc.constant(false)),
    })
    .map((fields) => pathOf(fields, roots))
}

function pathOf(
  fields: Pick<PathSubject, 'access' | 'given' | 'resolved'> & { readonly real: readonly string[] },
  roots: Roots,
): PathSubject {
  const { access, given: text, resolved, real } = fields
  const place = { ...roots, cwd: roots.workspace }
  const formsOf = (path: string): readonly string[] => lexicalForms(path, place).folded
  const forms = [...new Set([text, ...real].flatMap(formsOf))]
  return { kind: 'path', access, given: text, forms, real: forms[0] ?? null, resolved }
}

const derivations = fc.constantFrom<DerivedPath>(
  { origin: 'operand' },
  { origin: 'listing', tree: 'walked' },
  { origin: 'redirect' },
  { origin: 'operand', tree: 'walked' },
  { origin: 'operand', tree: 'moved' },
  { origin: 'operand', tree: 'matched' },
)

function shellSubjects(path: fc.Arbitrary<PathSubject>): fc.Arbitrary<readonly Subject[]> {
  const derived = fc.tuple(path, derivations).map(([one, mark]) => ({ ...one, derived: mark }))
  const host = hosts.map((one) => ({ ...one, derived: true }) as const)
  return fc
    .tuple(commands, fc.array(fc.oneof(derived, host), { maxLength: 2 }))
    .map(([command, rest]) => [command, ...rest])
}

const simple: fc.Arbitrary<SimpleCommand> = fc.record(
  {
    argv: fc.array(word, { maxLength: 4 }),
    unknown: fc.boolean(),
    role: fc.constantFrom('transparent', 'suspected'),
    short: fc.array(word, { minLength: 1, maxLength: 2 }),
    dynamic: fc.constantFrom([1], [0]),
    open: fc.boolean(),
  },
  { requiredKeys: ['argv'] },
)

const commands: fc.Arbitrary<CommandSubject> = fc
  .record({
    parts: fc.array(simple, { maxLength: 2 }),
    shell: fc.constantFrom('bash', 'bash', 'bash', 'powershell'),
    refused: fc.integer({ min: 0, max: 4 }),
    untrusted: fc.constantFrom([], ['git']),
  })
  .map(({ parts, shell, refused, untrusted }) => ({
    kind: 'command',
    command: parts.map(({ argv }) => argv.join(' ')).join(' && '),
    shell,
    // As `runs` makes it, so that verdicts are remembered.
    analysis: lasting({
      commands: parts,
      refusals: refused === 0 ? [{ code: 'indirection', at: 0 }] : [],
    }),
    untrusted,
  }))

function lasting(analysis: CommandSubject['analysis']): CommandSubject['analysis'] {
  if (!makeLasting(analysis)) throw new TypeError('the analysis is no plain JSON')
  return analysis
}

const hosts: fc.Arbitrary<HostSubject> = fc.record({
  kind: fc.constant('host'),
  host: fc.oneof(
    { weight: 5, arbitrary: hostName },
    fc.constantFrom(null, 'a b', 'A.com', 'xn--a'),
  ),
  port: fc.constant(null),
  path: fc.constantFrom(null, '/', '/api/x', '/a%70i/x'),
})

/** More than matching looks at: too many subjects, or one that is too long. */
function oversize(subject: fc.Arbitrary<Subject>): fc.Arbitrary<readonly Subject[]> {
  return fc.oneof(
    subject.map((one) => new Array<Subject>(257).fill(one)),
    subject.map((one): Subject[] => [one, { kind: 'text', text: 'x'.repeat(65_537) }]),
  )
}

const SETTINGS = PLACES.flatMap((place) => POOLS.map((names) => meetingsAt(place, names)))
