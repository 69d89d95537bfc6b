import { describe, expect, it } from 'vitest'
import type { DerivedPath } from '../../../core/need.js'
import type {
  CommandSubject,
  HostSubject,
  PathSubject,
  Subject,
  TextSubject,
} from '../../../core/subject.js'
import { makeLasting } from '../../../encoding/plain-json.js'
import { aCommand, ROOTS } from '../../../../test/property/policy-builders.js'
import type { Question } from '../question.js'
import { KEY_FIELDS, keyOf } from './question-key.js'

const PATH: PathSubject = {
  kind: 'path',
  access: 'read',
  given: 'a',
  forms: ['/ws/a'],
  real: '/ws/a',
  resolved: true,
}
const HOST: HostSubject = { kind: 'host', host: 'a.com', port: 443, path: '/' }
const TEXT: TextSubject = { kind: 'text', text: 'a' }
const COMMAND: CommandSubject = aLasting('ls')

/** Another value of every field. */
const CHANGED: {
  readonly question: Required<Omit<Question, 'subjects'>>
  readonly path: Required<PathSubject>
  readonly derived: Required<DerivedPath>
  readonly host: Required<HostSubject>
  readonly text: TextSubject
  readonly command: Required<CommandSubject>
} = {
  question: {
    tool: 'Read',
    runsIn: 'sandbox',
    unconfined: true,
    roots: { ...ROOTS, workspace: '/x' },
  },
  path: {
    kind: 'path',
    access: 'write',
    given: 'b',
    forms: ['/ws/a', '/ws/b'],
    real: null,
    resolved: false,
    derived: { origin: 'operand' },
  },
  derived: { origin: 'listing', tree: 'walked', adrift: true, hazard: 'recursive_delete' },
  host: { kind: 'host', host: null, port: null, path: null, derived: true, suspected: true },
  text: { kind: 'text', text: 'b' },
  command: {
    kind: 'command',
    command: 'cat',
    shell: 'cmd',
    analysis: aLasting('ls').analysis,
    untrusted: ['ls'],
  },
}

/** As `runs` makes it. */
function aLasting(text: string): CommandSubject {
  const command = aCommand(text)
  makeLasting(command.analysis)
  return command
}

function asked(...subjects: readonly Subject[]): Question {
  return { tool: 'read', runsIn: 'process', subjects, roots: ROOTS }
}

describe('the key of a question', () => {
  const rows = (['path', 'host', 'text', 'command'] as const).flatMap((kind) =>
    Object.entries(KEY_FIELDS[kind])
      .filter(([field]) => field !== 'kind')
      .map(([field, use]) => [kind, field, use] as const),
  )

  it.each(Object.entries(CHANGED.derived))('of a derived path: its `%s` is in', (field, value) => {
    const derived: DerivedPath = { origin: 'operand' }
    const other = { ...derived, [field]: value }

    expect(KEY_FIELDS.derived).toHaveProperty(field, 'in')
    expect(keyOf(asked({ ...PATH, derived: other }))).not.toBe(keyOf(asked({ ...PATH, derived })))
  })

  it.each(rows)('of a %s: its `%s` is %s', (kind, field, use) => {
    const subject = { path: PATH, host: HOST, text: TEXT, command: COMMAND }[kind]
    const other = { ...subject, [field]: Reflect.get(CHANGED[kind], field) }

    const key = keyOf(asked(subject))
    expect(key).not.toBeNull()
    expect(keyOf(asked(other)) === key).toBe(use === 'out')
  })

  it.each(Object.entries(KEY_FIELDS.question).filter(([field]) => field !== 'subjects'))(
    'its `%s` is %s',
    (field, use) => {
      const other = { ...asked(PATH), [field]: Reflect.get(CHANGED.question, field) }

      expect(keyOf(other) === keyOf(asked(PATH))).toBe(use === 'out')
    },
  )

  it('tells one text from two, whatever they hold', () => {
    const texts = [
      asked({ ...TEXT, text: 'at1:b' }),
      asked({ ...TEXT, text: 'a' }, { ...TEXT, text: 'b' }),
      asked({ ...TEXT, text: 'a1:b' }),
      asked({ ...TEXT, text: '' }, { ...TEXT, text: 'a' }, { ...TEXT, text: 'b' }),
    ]

    expect(new Set(texts.map(keyOf)).size).toBe(texts.length)
  })

  it('is none for an analysis that stands beside another text', () => {
    expect(keyOf(asked(COMMAND))).not.toBeNull()
    expect(keyOf(asked({ ...COMMAND, command: 'rm' }))).toBeNull()
  })

  it('is none for an analysis that may change, for many subjects and for long ones', () => {
    expect(keyOf(asked(aCommand('ls')))).toBeNull()
    expect(keyOf(asked(...new Array<Subject>(17).fill(TEXT)))).toBeNull()
    expect(keyOf(asked({ ...TEXT, text: 'x'.repeat(3000) }))).toBeNull()
  })
})
