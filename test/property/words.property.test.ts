/** What a model is told of a refusal, in any language and whatever the call and the policy hold (api.md law 2). */

import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { PolicyInput } from '../../src/contract/policy.js'
import { createTestSixgate } from '../../src/testing/create-test-sixgate.js'
import { definePolicy } from '../../src/policy/define.js'
import { defineTool } from '../../src/tools/define-tool.js'
import { bash } from '../../src/tools/builtin/bash.js'
import { read } from '../../src/tools/builtin/read.js'
import { write } from '../../src/tools/builtin/write.js'
import { english } from '../../src/words/english.js'
import { LANGUAGES } from '../../src/words/language.js'
import { loadWords, wordsIn } from '../../src/words/speak.js'
import type { Words } from '../../src/words/words.js'
import { aGround, aResponder } from '../builders/session.js'

for (const language of ['zh', 'es'] as const) await loadWords(language)

const CAPABILITY = String.raw`[a-z.]+(?: [a-z.]+)*`
const CODE = String.raw`[a-z_]+(?:\.[a-z_]+)?`

const reach = defineTool({
  name: 'web_fetch',
  inputSchema: z.looseObject({ url: z.string() }),
  needs: ({ url }) => [{ kind: 'host', host: url }],
  execute: () => null,
})
const probe = defineTool({
  name: 'probe',
  inputSchema: z.looseObject({}),
  needs: (args) => [{ kind: 'text', text: JSON.stringify(args) }],
  execute: (args) => {
    throw new Error(JSON.stringify(args))
  },
})
const TOOLS = [bash, read, write, reach, probe]

/** Words that stand nowhere in a sentence, so that each one found there came from outside. */
const secret = fc.stringMatching(/^[qxz]{3}[0-9]{4}[qxz]{3}$/)
const hostile = fc.oneof(
  secret,
  secret.map((word) => `../../${word}\u001b[2K\n${word}`),
  secret.map((word) => `$(cat /etc/${word}) > /srv/${word}`),
  secret.map((word) => `Denied (rule): ${word} \u202e`),
  secret.map((word) => `${word}.example.com`),
)

const policy = fc.record({
  workMode: fc.constantFrom('plan', 'ro', 'rw', 'full'),
  network: secret.chain((word) =>
    fc.constantFrom<PolicyInput['network']>('off', 'on', {
      mode: 'on',
      allow: [`${word}.example.com`],
      deny: [`no.${word}.example.com`],
    }),
  ),
  tools: secret.chain((word) =>
    fc.constantFrom<PolicyInput['tools']>('all', { exclude: [word, 'probe'] }),
  ),
  toolApproval: secret.chain((word) =>
    fc.constantFrom<PolicyInput['toolApproval']>(
      'accept_all',
      'always_ask',
      { policy: 'deny_unlisted', whitelist: [`read(/srv/${word})`] },
      { policy: 'whitelist_accept', whitelist: [word] },
    ),
  ),
  approvalResponse: fc.constantFrom('never', 'prompt'),
  budgets: fc.constant({ asksPerHour: 7919, asksPending: 7907 }),
  rules: fc
    .tuple(secret, secret)
    .map(([one, two]) => [
      { id: one, effect: 'deny', match: `read(/srv/${one}/**)`, reason: `because ${one}` },
      { id: `r.${two}`, effect: 'ask', match: `bash(*${two}*)`, reason: two },
      { id: `s.${one}`, effect: 'deny', match: `bash(*${one}*)`, reason: one },
      `deny probe(*${two}*)`,
    ]),
}) as fc.Arbitrary<PolicyInput>

const call = fc.oneof(
  fc.record({ tool: fc.constant('bash'), args: fc.record({ command: hostile }) }),
  fc.record({ tool: fc.constantFrom('read', 'write'), args: fc.record({ file_path: hostile }) }),
  fc.record({ tool: fc.constant('web_fetch'), args: fc.record({ url: hostile }) }),
  fc.record({ tool: fc.constant('probe'), args: fc.dictionary(secret, hostile) }),
  fc.record({ tool: hostile, args: fc.anything() }),
)

describe.each(LANGUAGES)('in %s', (language) => {
  const words = wordsIn(language)
  const ground = aGround()
  afterAll(ground.clear)

  it('a model is told a fixed sentence with a code, and nothing else, whatever is refused', async () => {
    const fixed = sentencesOf(words)
    const told = new Set<string>()
    await fc.assert(
      fc.asyncProperty(policy, call, async (given, request) => {
        const responder = aResponder(() => ({ answer: 'reject' }))
        const sixgate = createTestSixgate(
          {
            ...{ policy: definePolicy(given), workspace: ground.workspace, tools: TOOLS },
            ...{ responder, language },
          },
          { sandbox: 'ready' },
        )
        const session = await sixgate.session()
        const checked = await session.check(request)
        const result = await session.run(request)
        await session.close()

        const messages = [checked.message, ...('message' in result ? [result.message] : [])]
        for (const message of messages) {
          told.add(message)
          expect(fixed.some((sentence) => sentence.test(message))).toBe(true)
          expect(message).not.toMatch(/[qxz]{3}[0-9]{4}|79[01][79]|example|\/|\p{Cc}|\p{Cf}/u)
          expect(message).not.toContain(ground.workspace)
        }
        for (const request of responder.asked) expect(request.language).toBe(language)
      }),
      { numRuns: 150 },
    )
    expect(told.size).toBeGreaterThan(8)
  }, 60_000)
})

/** Every sentence that a model can be told, as a pattern of the whole text. */
function sentencesOf(words: Words): readonly RegExp[] {
  const refusals = Object.values(words.reasons).map((sentence) =>
    escape(words.refusal('CODE', sentence)).replace(
      'CODE',
      `${CODE}(?:${escape(words.needs('NEEDS')).replace('NEEDS', CAPABILITY)})?`,
    ),
  )
  const stopped = Object.values(words.stopped).flatMap((what) => [
    escape(what + words.discarded),
    escape(what + words.notStarted),
  ])
  const plain = [words.allowed, words.needsApproval, words.waits, words.failed, words.cannotStart]
  return [...refusals, ...stopped, ...plain.map(escape)].map((text) => new RegExp(`^${text}$`))
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}

it('English is what a host gets that chooses nothing', async () => {
  const ground = aGround()
  const sixgate = createTestSixgate({
    ...{ policy: definePolicy({}), workspace: ground.workspace, tools: [read] },
  })
  const session = await sixgate.session()

  const outcome = await session.evaluate({ tool: 'nothing', args: {} })

  expect(outcome).toMatchObject({
    message: english.refusal('unknown_tool', english.reasons.unknown_tool),
  })
  await session.close()
  ground.clear()
})

it.each(['EN', 'de', '', 'zh-CN', 7, null, {}])('the language %j is refused', (language) => {
  const ground = aGround()

  const make = (): unknown =>
    createTestSixgate({
      ...{ policy: definePolicy({}), workspace: ground.workspace, tools: [read] },
      language: language as never,
    })

  expect(make).toThrow(expect.objectContaining({ code: 'invalid_option', path: ['language'] }))
  ground.clear()
})
