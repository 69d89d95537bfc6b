/** What every store must do (trace.md §1, §4): one suite, run by each of them. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../src/contract/session.js'
import type { RecordCode } from '../../src/core/errors.js'
import type { IdSource, RunId } from '../../src/core/ids.js'
import { systemIds } from '../../src/platform/ids.js'
import type { Ledger, RunLog } from '../../src/trace/ledger.js'

/** A store of its own for one test, and how to be rid of it. */
export interface StoreUnderTest {
  readonly store: Store
  readonly remove: () => Promise<void>
}

/** Runs the suite against fresh stores made by `make`. */
export function ledgerContract(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`the ${name} store`, () => {
    let made: StoreUnderTest
    let ledger: Ledger
    beforeEach(async () => {
      made = await make()
      ledger = await made.store.open('workspace')
    })
    afterEach(async () => {
      await ledger.close()
      await made.remove()
    })

    describe('writing', () => writing(() => ledger))
    describe('failing', () => failing(() => ledger))
    describe('owning', () => owning(() => ledger))
    describe('reading', () => reading(() => ledger))
    describe('opening', () => opening(() => made.store))
  })
}

export const ids: IdSource = systemIds()

/** A line of text as bytes. */
export function line(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** The accepted lines of a run as text. */
export async function textOf(ledger: Ledger, run: RunId): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const bytes of ledger.read(run)) lines.push(new TextDecoder().decode(bytes))
  return lines
}

/** Expects a rejection with a `RecordError` of this code. */
export async function expectFault(action: Promise<unknown>, code: RecordCode): Promise<void> {
  await expect(action).rejects.toMatchObject({ name: 'RecordError', code })
}

const TOO_LONG = new Uint8Array(1024 * 1024 + 1).fill(0x61)

function writing(ledger: () => Ledger): void {
  it('keeps lines in call order whatever their durability', async () => {
    const run = ids.run()
    const log = await ledger().createRun(run)

    const given = Array.from({ length: 500 }, (_, n) => `{"n":${n}}`)
    await Promise.all(
      given.map((text, n) => log.append([line(text)], n % 3 === 0 ? 'durable' : 'written')),
    )

    expect(await textOf(ledger(), run)).toEqual(given)
  })

  it('keeps the lines of one append together among concurrent appends', async () => {
    const run = ids.run()
    const log = await ledger().createRun(run)

    await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        await Promise.resolve()
        await log.append([line(`a${n}`), line(`b${n}`), line(`c${n}`)], 'durable')
      }),
    )

    const read = await textOf(ledger(), run)
    expect(read).toHaveLength(300)
    for (let at = 0; at < 300; at += 3) {
      const n = read[at]?.slice(1)
      expect(read.slice(at, at + 3)).toEqual([`a${n}`, `b${n}`, `c${n}`])
    }
  })

  it('acknowledges durable appends in call order', async () => {
    const log = await ledger().createRun(ids.run())

    const order: number[] = []
    await Promise.all(
      [0, 1, 2, 3].map(async (n) => {
        await log.append([line(`${n}`)], 'durable')
        order.push(n)
      }),
    )

    expect(order).toEqual([0, 1, 2, 3])
  })

  it('makes a line readable before a written append resolves', async () => {
    const run = ids.run()
    const log = await ledger().createRun(run)

    await log.append([line('first')], 'written')

    expect(await textOf(ledger(), run)).toEqual(['first'])
  })

  it('takes an append of no lines as a wait for what came before', async () => {
    const run = ids.run()
    const log = await ledger().createRun(run)

    const first = log.append([line('first')], 'written')
    await log.append([], 'durable')
    await first

    expect(await textOf(ledger(), run)).toEqual(['first'])
  })

  it('is not moved by what a caller does to its lines afterwards', async () => {
    const run = ids.run()
    const log = await ledger().createRun(run)
    const bytes = line('original')

    const appended = log.append([bytes], 'written')
    bytes.fill(0x78)
    await appended

    expect(await textOf(ledger(), run)).toEqual(['original'])
  })
}

function failing(ledger: () => Ledger): void {
  const refused: readonly (readonly [string, Uint8Array])[] = [
    ['an empty line', line('')],
    ['a line with LF in it', line('a\nb')],
    ['a line over 1 MiB', TOO_LONG],
  ]
  it.each(refused)('refuses %s, all of its append, and every later one', async (_, bad) => {
    const run = ids.run()
    const log = await ledger().createRun(run)
    await log.append([line('kept')], 'durable')

    await expectFault(log.append([line('lost'), bad], 'durable'), 'malformed_record')
    await expectFault(log.append([line('late')], 'written'), 'writer_poisoned')

    expect(await textOf(ledger(), run)).toEqual(['kept'])
  })

  it('accepts what was appended in the same moment before a refused append', async () => {
    const run = ids.run()
    const log = await ledger().createRun(run)

    await Promise.all([
      log.append([line('before')], 'durable'),
      expectFault(log.append([line('')], 'durable'), 'malformed_record'),
      expectFault(log.append([line('after')], 'durable'), 'writer_poisoned'),
    ])

    expect(await textOf(ledger(), run)).toEqual(['before'])
  })

  it('can be closed when poisoned, reopened, and goes on after the last accepted line', async () => {
    const run = ids.run()
    const log = await ledger().createRun(run)
    await log.append([line('kept')], 'written')
    await expectFault(log.append([line('')], 'written'), 'malformed_record')

    await log.close()
    const reopened = await ledger().reopenRun(run)
    await reopened.log.append([line('recovery')], 'durable')

    expect(reopened.torn).toBeNull()
    expect(await textOf(ledger(), run)).toEqual(['kept', 'recovery'])
  })
}

function owning(ledger: () => Ledger): void {
  it('creates a run once', async () => {
    const run = ids.run()
    const log = await ledger().createRun(run)

    await expectFault(ledger().createRun(run), 'run_exists')
    await log.close()
    await expectFault(ledger().createRun(run), 'run_exists')
  })

  it('lets one of many concurrent creators have the run', async () => {
    const run = ids.run()

    const made = await Promise.allSettled(Array.from({ length: 10 }, () => ledger().createRun(run)))

    expect(made.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
  })

  it('lets one of many concurrent heirs have the run', async () => {
    const run = ids.run()
    await (await ledger().createRun(run)).close()

    const made = await Promise.allSettled(Array.from({ length: 10 }, () => ledger().reopenRun(run)))

    expect(made.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
    for (const one of made) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'locked' })
    }
  })

  it('does not reopen a run that has an owner', async () => {
    const run = ids.run()
    await ledger().createRun(run)

    await expectFault(ledger().reopenRun(run), 'locked')
  })

  it('does not reopen a run that never was', async () => {
    await expectFault(ledger().reopenRun(ids.run()), 'run_missing')
  })

  it('takes appends made before close and none after', async () => {
    const run = ids.run()
    const log = await ledger().createRun(run)

    const pending = [log.append([line('1')], 'durable'), log.append([line('2')], 'written')]
    const closed = log.close()
    await expectFault(log.append([line('3')], 'written'), 'writer_closed')
    await Promise.all([...pending, closed, log.close()])

    expect(await textOf(ledger(), run)).toEqual(['1', '2'])
  })

  it('closes its logs with the ledger, and opens no more', async () => {
    const run = ids.run()
    const log = await ledger().createRun(run)
    const opening = ledger().createRun(ids.run())

    await ledger().close()

    await expectFault(log.append([line('late')], 'written'), 'writer_closed')
    await expectFault(appendTo(opening), 'writer_closed')
    await expectFault(ledger().createRun(ids.run()), 'writer_closed')
    await expectFault(ledger().reopenRun(run), 'writer_closed')
  })
}

async function appendTo(opening: Promise<RunLog>): Promise<void> {
  await (await opening).append([line('late')], 'written')
}

function reading(ledger: () => Ledger): void {
  it('gives back exactly the bytes, up to the longest line', async () => {
    const run = ids.run()
    const log = await ledger().createRun(run)
    const given = [
      Uint8Array.of(0x0d, 0x00, 0xff, 0xef, 0xbb, 0xbf),
      TOO_LONG.subarray(1),
      Uint8Array.from({ length: 255 }, (_, n) => (n === 0x0a ? 0 : n)),
    ]

    await log.append(given, 'written')

    const read: Uint8Array[] = []
    for await (const bytes of ledger().read(run)) read.push(bytes)
    expect(read.map((bytes) => Buffer.from(bytes).toString('hex'))).toEqual(
      given.map((bytes) => Buffer.from(bytes).toString('hex')),
    )
  })

  it('hands out copies', async () => {
    const run = ids.run()
    await (await ledger().createRun(run)).append([line('kept')], 'written')

    for await (const bytes of ledger().read(run)) bytes.fill(0)

    expect(await textOf(ledger(), run)).toEqual(['kept'])
  })

  it('reads an empty run as no lines, and a run that never was as a fault', async () => {
    const run = ids.run()
    await ledger().createRun(run)

    expect(await textOf(ledger(), run)).toEqual([])
    await expectFault(textOf(ledger(), ids.run()), 'run_missing')
  })

  it('lists its runs in the order of their ids', async () => {
    const runs = Array.from({ length: 5 }, () => ids.run())
    for (const run of runs.toReversed()) await ledger().createRun(run)

    expect(await ledger().runs()).toEqual(runs)
  })

  const hostile = [
    '',
    '../../../etc/passwd',
    '01ARZ3NDEKTSV4RRFFQ69G5FA/',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV\n',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV\0',
    '01arz3ndektsv4rrffq69g5fav',
    '81ARZ3NDEKTSV4RRFFQ69G5FAV',
    '01ARZ3NDEKTSV4RRFFQ69G5FAU',
    { toString: () => '01ARZ3NDEKTSV4RRFFQ69G5FAV' },
  ]
  it.each(hostile)('refuses the run id %j', async (text) => {
    const run = text as RunId

    await expectFault(ledger().createRun(run), 'malformed_record')
    await expectFault(ledger().reopenRun(run), 'malformed_record')
    await expectFault(textOf(ledger(), run), 'malformed_record')
    expect(await ledger().runs()).toEqual([])
  })
}

function opening(store: () => Store): void {
  it('finds a workspace again under the id of its ledger', async () => {
    const run = ids.run()
    const first = await store().open('again')
    await (await first.createRun(run)).append([line('kept')], 'written')
    await first.close()

    const second = await store().open('again')

    expect(second.id).toBe(first.id)
    expect(await textOf(second, run)).toEqual(['kept'])
    expect((await second.reopenRun(run)).torn).toBeNull()
    await second.close()
  })

  it('names its ledger with a ULID and says whether it lasts', async () => {
    const ledger = await store().open('named')

    expect(ledger.id).toMatch(/^[0-9A-Z]{26}$/)
    expect(ledger.durable).toBe(store().durable)
    await ledger.close()
  })
}
