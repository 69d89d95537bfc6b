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
import { COMPARED, isSameQuestion, labelOf } from './same-question.js'

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

describe('a question that was asked before', () => {
  const rows = (['path', 'host', 'text', 'command'] as const).flatMap((kind) =>
    Object.entries(COMPARED[kind])
      .filter(([field]) => field !== 'kind')
      .map(([field, use]) => [kind, field, use] as const),
  )

  it.each(Object.entries(CHANGED.derived))('of a derived path: its `%s` is in', (field, value) => {
    const derived: DerivedPath = { origin: 'operand' }
    const other = { ...derived, [field]: value }

    expect(COMPARED.derived).toHaveProperty(field, 'in')
    expect(isSameQuestion(asked({ ...PATH, derived: other }), asked({ ...PATH, derived }))).toBe(
      false,
    )
    expect(
      isSameQuestion(asked({ ...PATH, derived: { ...derived } }), asked({ ...PATH, derived })),
    ).toBe(true)
  })

  it.each(rows)('of a %s: its `%s` is %s', (kind, field, use) => {
    const subject = { path: PATH, host: HOST, text: TEXT, command: COMMAND }[kind]
    const other = { ...subject, [field]: Reflect.get(CHANGED[kind], field) }

    expect(isSameQuestion(asked({ ...subject }), asked(subject))).toBe(true)
    expect(isSameQuestion(asked(other), asked(subject))).toBe(use === 'out')
    expect(isSameQuestion(asked(subject), asked(other))).toBe(use === 'out')
  })

  it.each(Object.entries(COMPARED.question).filter(([field]) => field !== 'subjects'))(
    'its `%s` is %s',
    (field, use) => {
      const other = { ...asked(PATH), [field]: Reflect.get(CHANGED.question, field) }

      expect(isSameQuestion(other, asked(PATH))).toBe(use === 'out')
    },
  )

  it('has as many subjects, of the same kinds, in the same order', () => {
    const [a, b] = [TEXT, { ...TEXT, text: 'b' }]
    const questions = [[], [a], [b], [a, b], [b, a], [PATH], [HOST], [COMMAND], [a, PATH]]

    for (const [at, one] of questions.entries()) {
      const same = questions.filter((other) => isSameQuestion(asked(...one), asked(...other)))
      expect(same).toEqual([questions[at]])
    }
  })

  it('has the same label', () => {
    expect(labelOf(asked({ ...PATH, forms: [...PATH.forms] }))).toBe(labelOf(asked(PATH)))
    expect(labelOf(asked(COMMAND))).not.toBeNull()
  })

  it('is not remembered with an analysis that may change, many subjects or long ones', () => {
    expect(labelOf(asked(aCommand('ls')))).toBeNull()
    expect(labelOf(asked(...new Array<Subject>(17).fill(TEXT)))).toBeNull()
    expect(labelOf(asked({ ...TEXT, text: 'x'.repeat(5000) }))).toBeNull()
  })
})
