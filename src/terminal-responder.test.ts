import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'tsup'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { terminalResponder } from './terminal-responder.js'
import { english } from './words/english.js'
import type { Language } from './words/language.js'
import { loadWords, wordsIn } from './words/speak.js'

for (const language of ['zh', 'es'] as const) await loadWords(language)

const QUESTION = english.prompt.question

/** Gives a real pseudo terminal to a real process (util-linux). */
const hasScript = String(spawnSync('script', ['--version']).stdout).includes('util-linux')
if (!hasScript) console.log('skipped: `script` of util-linux gives the pseudo terminal')

const folder = mkdtempSync(join(tmpdir(), 'terminal-responder-'))
const asker = join(folder, 'asker.mjs')

/** Asks `count` times at once and writes what came of it; `abortMs` aborts all or the last, `delayMs` waits first. */
const ASKER = `
import { writeFileSync } from 'node:fs'
import { terminalResponder } from './terminal-responder.js'
const [file, count, abortMs, delayMs, which, language = 'en'] = process.argv.slice(2)
const controller = new AbortController()
if (Number(abortMs) > 0) setTimeout(() => controller.abort(), Number(abortMs))
await new Promise((resolve) => setTimeout(resolve, Number(delayMs)))
const text = (text) => ({ author: 'model', text, hidden: 0 })
const request = (n) => ({
  approvalId: 'approval-' + n, callId: 'c', sessionId: 's', language, action: 'run 1 command', tool: 'bash',
  paths: [], hosts: [], commands: [text('npm test')], texts: [], reason: null, justification: null,
  scope: 'this_call', proposals: [], risk: 'low', escalations: [], warning: null, decidingRule: 'r1',
  sandbox: { driver: 'none', missing: [] }, policyRevision: '1', expiresAt: 0, displayDigest: '',
})
const responder = terminalResponder()
const never = new AbortController().signal
const signalOf = (n) => (which === 'all' || n === count - 1 ? controller.signal : never)
const asks = Array.from({ length: Number(count) }, (_, n) => responder.ask(request(n), signalOf(n)))
asks.at(-1).then(() => writeFileSync(file + '.last', ''), () => {})
const settled = await Promise.allSettled(asks)
writeFileSync(file, JSON.stringify(settled.map((one) => one.value?.answer ?? one.reason.code)))
`

beforeAll(async () => {
  await build({
    entry: [join(import.meta.dirname, 'terminal-responder.ts')],
    outDir: folder,
    format: 'esm',
    target: 'node20',
    config: false,
    silent: true,
    dts: false,
  })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(asker, ASKER)
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

interface Asking {
  readonly count?: number
  readonly abortMs?: number
  readonly delayMs?: number
  readonly abort?: 'all' | 'last'
  readonly language?: Language
  /** What standard input of the asking process holds; absent: the terminal. */
  readonly piped?: string
}

interface Conversation {
  readonly type: (text: string) => void
  /** Resolves when the question was shown `times` times. */
  readonly asked: (times?: number) => Promise<void>
  readonly answers: () => Promise<unknown>
  readonly screen: () => string
  /** Resolves when the last question has an answer, whatever the others have. */
  readonly lastAnswered: () => Promise<void>
}

let conversations = 0

function converse(asking: Asking = {}): Conversation {
  const { count = 1, abortMs = 0, delayMs = 0, abort = 'all', language = 'en', piped } = asking
  conversations += 1
  const result = join(folder, `answers-${conversations}.json`)
  const input = piped === undefined ? '' : `printf '${piped}' | `
  const command = `${input}'${process.execPath}' '${asker}' '${result}' ${count} ${abortMs} ${delayMs} ${abort} ${language}`
  const child: ChildProcessWithoutNullStreams = spawn('script', ['-qec', command, '/dev/null'])
  onTestFinished(() => void child.kill('SIGKILL'))
  let screen = ''
  child.stdout.on('data', (chunk: Buffer) => (screen += chunk.toString()))
  const ended = new Promise((resolve) => child.on('close', resolve))
  return {
    type: (text) => void child.stdin.write(text),
    asked: (times = 1) =>
      expect
        .poll(() => screen.split(wordsIn(language).prompt.question).length - 1, { timeout: 8000 })
        .toBe(times),
    async answers() {
      await ended
      const answers: unknown = existsSync(result)
        ? JSON.parse(readFileSync(result, 'utf8'))
        : screen
      return answers
    },
    screen: () => screen,
    lastAnswered: () =>
      expect.poll(() => existsSync(`${result}.last`), { timeout: 8000 }).toBe(true),
  }
}

describe.runIf(hasScript)('the terminal responder', { timeout: 20_000 }, () => {
  test.each([
    ['yes', 'yes\n', 'approve'],
    ['yes between blanks', '  yes \n', 'approve'],
    ['no', 'no\n', 'reject'],
    ['an empty line', '\n', 'reject'],
    ['a single letter', 'y\n', 'reject'],
    ['another case', 'YES\n', 'reject'],
    ['yes and more', 'yes please\n', 'reject'],
    ['yes on the second line', '\nyes\n', 'reject'],
    ['end of file', '\u0004', 'reject'],
    ['a corrected word', 'no\u007f\u007fyes\n', 'approve'],
    ['a very long line', `${'yes '.repeat(2000)}\n`, 'reject'],
  ])('%s typed after the question is taken as it stands', async (_, typed, expected) => {
    const conversation = converse()

    await conversation.asked()
    conversation.type(typed)

    expect(await conversation.answers()).toEqual([expected])
  })

  test.each([
    ['zh', '是\n', 'approve'],
    ['zh', 'yes\n', 'approve'],
    ['zh', '不\n', 'reject'],
    ['zh', '\n', 'reject'],
    ['es', 'sí\n', 'approve'],
    ['es', 'yes\n', 'approve'],
    ['es', 'si\n', 'reject'],
  ] as const)('asks in %s, where %j means %s', async (language, typed, expected) => {
    const conversation = converse({ language })

    await conversation.asked()
    conversation.type(typed)

    expect(await conversation.answers()).toEqual([expected])
  })

  test('shows the request before it asks, without any escape sequence', async () => {
    const conversation = converse()

    await conversation.asked()
    conversation.type('no\n')
    await conversation.answers()

    const [request = ''] = conversation.screen().split(QUESTION)
    expect(request).toContain('  | npm test')
    expect(request).toContain('action:      run 1 command')
    expect(conversation.screen()).not.toContain('\u001b')
  })

  test('a whole yes that was typed ahead is no answer', async () => {
    const conversation = converse({ delayMs: 300 })

    conversation.type('yes\n')
    await conversation.asked()
    conversation.type('\n')

    expect(await conversation.answers()).toEqual(['reject'])
  })

  test('half a word that was typed ahead does not complete the answer', async () => {
    const conversation = converse({ delayMs: 300 })

    conversation.type('ye')
    await conversation.asked()
    conversation.type('s\n')

    expect(await conversation.answers()).toEqual(['reject'])
  })

  test('a word that was typed ahead does not spoil the answer', async () => {
    const conversation = converse({ delayMs: 300 })

    conversation.type('no\nn')
    await conversation.asked()
    conversation.type('yes\n')

    expect(await conversation.answers()).toEqual(['approve'])
  })

  test('standard input that is a pipe answers nothing', async () => {
    const conversation = converse({ piped: 'yes\\nyes\\n' })

    await conversation.asked()
    conversation.type('no\n')

    expect(await conversation.answers()).toEqual(['reject'])
  })

  test('the person is asked at the terminal even when standard input is a pipe', async () => {
    const conversation = converse({ piped: 'no\\n' })

    await conversation.asked()
    conversation.type('yes\n')

    expect(await conversation.answers()).toEqual(['approve'])
  })

  test('two questions are asked one after the other', async () => {
    const conversation = converse({ count: 2 })

    await conversation.asked(1)
    conversation.type('yes\nyes\n')
    await conversation.asked(2)
    conversation.type('no\n')

    expect(await conversation.answers()).toEqual(['approve', 'reject'])
  })

  test('an abort ends the question, and those that wait behind it', async () => {
    const conversation = converse({ count: 2, abortMs: 1500 })

    await conversation.asked(1)

    expect(await conversation.answers()).toEqual(['reject', 'reject'])
  })

  test('an abort withdraws a question that still waits, and leaves the one before it', async () => {
    const conversation = converse({ count: 2, abortMs: 300, abort: 'last' })

    await conversation.lastAnswered()
    await conversation.asked(1)
    conversation.type('yes\n')

    expect(await conversation.answers()).toEqual(['approve', 'reject'])
  })

  test('without a terminal it rejects instead of answering', () => {
    const result = join(folder, 'no-terminal.json')

    const run = spawnSync(
      'setsid',
      ['--wait', process.execPath, asker, result, '1', '0', '0', 'all'],
      {
        input: 'yes\n',
      },
    )

    expect(run.stderr.toString()).toBe('')
    expect(JSON.parse(readFileSync(result, 'utf8'))).toEqual(['invalid_option'])
  })
})

test('the terminal responder is a human one, for good', () => {
  const responder = terminalResponder()

  expect(responder.kind).toBe('human')
  expect(Object.isFrozen(responder)).toBe(true)
})
