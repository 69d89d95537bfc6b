/** What every store must do with snapshots and its key (delegation.md §4): one suite, run by each. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OpenStore, Store } from '../../src/contract/session.js'
import type { SessionId } from '../../src/core/ids.js'
import type { Snapshots } from '../../src/delegation/snapshots.js'
import { expectFault, ids, line, type StoreUnderTest } from './ledger.js'

/** Runs the suite against fresh stores made by `make`. */
export function snapshotsContract(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`the snapshots of the ${name} store`, () => {
    let made: StoreUnderTest
    let open: OpenStore
    beforeEach(async () => {
      made = await make()
      open = await made.store.open('workspace')
    })
    afterEach(async () => {
      await open.close()
      await made.remove()
    })

    describe('putting', () => putting(() => open.snapshots))
    describe('removing', () => removing(() => open.snapshots))
    describe('refusing', () => refusing(() => open.snapshots))
    describe('opening again', () => openingAgain(() => made.store))
  })
}

/** Puts each of these versions as a text that names it. */
export async function putAll(
  snapshots: Snapshots,
  session: SessionId,
  versions: readonly number[],
): Promise<void> {
  for (const version of versions) await snapshots.put(session, version, line(`version ${version}`))
}

/** The snapshot as text; `null` when it is not there. */
export async function snapshotText(
  snapshots: Snapshots,
  session: SessionId,
  version: number,
): Promise<string | null> {
  const bytes = await snapshots.get(session, version)
  return bytes === null ? null : new TextDecoder().decode(bytes)
}

const MIB = 1024 * 1024

function putting(snapshots: () => Snapshots): void {
  it('keeps each version of each session apart', async () => {
    const [one, two] = [ids.session(), ids.session()]

    await putAll(snapshots(), one, [1, 2])
    await snapshots().put(two, 1, line('of two'))

    expect(await snapshotText(snapshots(), one, 1)).toBe('version 1')
    expect(await snapshotText(snapshots(), one, 2)).toBe('version 2')
    expect(await snapshotText(snapshots(), two, 1)).toBe('of two')
    expect(await snapshots().get(two, 2)).toBeNull()
  })

  it('keeps any bytes, none and 8 MiB of them included', async () => {
    const session = ids.session()
    const all = Uint8Array.from({ length: 256 }, (_, n) => n)
    const most = new Uint8Array(8 * MIB).fill(0x61)

    for (const [at, bytes] of [new Uint8Array(), all, most].entries()) {
      await snapshots().put(session, at + 1, bytes)
      const found = await snapshots().get(session, at + 1)
      expect(Buffer.from(found ?? []).equals(bytes)).toBe(true)
    }
  })

  it('lists versions in the order of their numbers', async () => {
    const session = ids.session()

    await putAll(snapshots(), session, [10, 9, Number.MAX_SAFE_INTEGER, 1, 100])

    const sorted = [1, 9, 10, 100, Number.MAX_SAFE_INTEGER]
    expect(await snapshots().versions(session)).toEqual(sorted)
  })

  it('[H-16] never changes a version, and takes the same bytes again', async () => {
    const session = ids.session()
    await snapshots().put(session, 1, line('first'))

    for (const other of ['other', 'firs', 'first ', '']) {
      await expectFault(snapshots().put(session, 1, line(other)), 'store_failed')
    }
    await snapshots().put(session, 1, line('first'))

    expect(await snapshotText(snapshots(), session, 1)).toBe('first')
    expect(await snapshots().versions(session)).toEqual([1])
  })

  it('gives one version to one of many who put it at once', async () => {
    const session = ids.session()

    const ended = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => snapshots().put(session, 1, line(`${n}`))),
    )

    const winner = ended.findIndex((one) => one.status === 'fulfilled')
    expect(ended.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
    expect(await snapshotText(snapshots(), session, 1)).toBe(`${winner}`)
  })

  it('is not changed by what callers do to their bytes', async () => {
    const session = ids.session()
    const given = Buffer.from('given')

    const put = snapshots().put(session, 1, given)
    given.fill(0)
    await put
    const got = await snapshots().get(session, 1)
    got?.fill(0)

    expect(await snapshotText(snapshots(), session, 1)).toBe('given')
  })
}

function removing(snapshots: () => Snapshots): void {
  it('prunes what is below a version and nothing else', async () => {
    const [session, other] = [ids.session(), ids.session()]
    await putAll(snapshots(), session, [1, 2, 9, 10])
    await putAll(snapshots(), other, [1])

    await snapshots().prune(session, 9)

    expect(await snapshots().versions(session)).toEqual([9, 10])
    expect(await snapshots().get(session, 2)).toBeNull()
    expect(await snapshotText(snapshots(), session, 9)).toBe('version 9')
    expect(await snapshots().versions(other)).toEqual([1])
  })

  it('removes every version of a session, which may then begin again', async () => {
    const [session, other] = [ids.session(), ids.session()]
    await putAll(snapshots(), session, [1, 2])
    await putAll(snapshots(), other, [1])

    await snapshots().remove(session)
    expect(await snapshots().versions(session)).toEqual([])
    await snapshots().put(session, 1, line('again'))

    expect(await snapshotText(snapshots(), session, 1)).toBe('again')
    expect(await snapshots().versions(other)).toEqual([1])
  })

  it('takes a session that never was for an empty one', async () => {
    const session = ids.session()

    await snapshots().prune(session, 5)
    await snapshots().remove(session)

    expect(await snapshots().versions(session)).toEqual([])
    expect(await snapshots().get(session, 1)).toBeNull()
  })

  it('takes changes of one session in call order', async () => {
    const session = ids.session()

    await Promise.all([
      snapshots().put(session, 1, line('first')),
      snapshots().remove(session),
      snapshots().put(session, 1, line('second')),
      snapshots().put(session, 2, line('third')),
      snapshots().prune(session, 2),
    ])

    expect(await snapshots().versions(session)).toEqual([2])
  })
}

function refusing(snapshots: () => Snapshots): void {
  const hostile = [
    '',
    '..',
    '../../../etc/passwd',
    '01ARZ3NDEKTSV4RRFFQ69G5FA/',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV\n',
    '01arz3ndektsv4rrffq69g5fav',
    { toString: () => '01ARZ3NDEKTSV4RRFFQ69G5FAV' },
  ]
  it.each(hostile)('refuses the session id %j', async (text) => {
    const session = text as SessionId

    await expectFault(snapshots().put(session, 1, line('x')), 'malformed_record')
    await expectFault(snapshots().get(session, 1), 'malformed_record')
    await expectFault(snapshots().versions(session), 'malformed_record')
    await expectFault(snapshots().prune(session, 1), 'malformed_record')
    await expectFault(snapshots().remove(session), 'malformed_record')
  })

  const versions = [0, -1, 1.5, NaN, Infinity, 2 ** 53, '1', '../1', null]
  it.each(versions)('refuses the version %j', async (given) => {
    const version = given as number
    const session = ids.session()

    await expectFault(snapshots().put(session, version, line('x')), 'malformed_record')
    await expectFault(snapshots().get(session, version), 'malformed_record')
    await expectFault(snapshots().prune(session, version), 'malformed_record')
    expect(await snapshots().versions(session)).toEqual([])
  })

  it('refuses more than 8 MiB', async () => {
    const session = ids.session()

    const put = snapshots().put(session, 1, new Uint8Array(8 * MIB + 1))

    await expectFault(put, 'malformed_record')
    expect(await snapshots().versions(session)).toEqual([])
  })
}

function openingAgain(store: () => Store): void {
  it('finds the snapshots and the key of a workspace again', async () => {
    const session = ids.session()
    const first = await store().open('again')
    await putAll(first.snapshots, session, [1, 2])
    await first.close()

    const second = await store().open('again')

    expect(await snapshotText(second.snapshots, session, 2)).toBe('version 2')
    expect(second.secret).toEqual(first.secret)
    await second.close()
  })

  it('keeps its key of 32 bytes whatever a caller does to it', async () => {
    const first = await store().open('key')
    const kept = Uint8Array.from(first.secret)
    first.secret.fill(0)

    const second = await store().open('key')

    expect(kept).toHaveLength(32)
    expect(new Set(kept).size).toBeGreaterThan(8)
    expect(second.secret).toEqual(kept)
    await first.close()
    await second.close()
  })
}
