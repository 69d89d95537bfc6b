/** Lines of a run with a few bytes wrong: each is a canonical record or a `RecordError`, and soon. */

import { RecordError } from '../../src/core/errors.js'
import { canonicalBytes, canonicalText } from '../../src/encoding/canonical.js'
import { parseRecord } from '../../src/trace/parse-record.js'
import { fuzz, type Fuzzed } from './fuzz.js'
import { mutate, type Random } from './mutate.js'

export function fuzzRecords(cases: number, seed: number): Fuzzed {
  return fuzz({
    cases,
    seed,
    input: aLine,
    read: (line) => {
      const again = canonicalBytes(parseRecord(line))
      // What is read says exactly what stood there.
      if (Buffer.compare(again, line) !== 0) throw new TypeError('read as something else')
    },
    isRefusal: (fault) => fault instanceof RecordError,
  })
}

const ENVELOPE = {
  v: 1,
  run_id: '01JABCDEFGHJKMNPQRSTVWXYZ0',
  seq: 7,
  prev: 'ab'.repeat(32),
  wall_ms: 1_796_000_000_000,
  mono_us: 1234,
  epoch: '0123456789abcdef',
}

const LINES: readonly [string, ...string[]] = [
  canonicalText({
    ...ENVELOPE,
    kind: 'decision',
    node_id: '01JABCDEFGHJKMNPQRSTVWXYZ1',
    parent_id: null,
    call_id: 'c1',
    layer: 'user_rule',
    decision: 'allow',
    matched_rule: 'allow read(@workspace)',
    policy_revision: `1:sha256:${'cd'.repeat(32)}`,
    pass: 0,
  }),
  canonicalText({
    ...ENVELOPE,
    kind: 'terminal',
    event_id: '01JABCDEFGHJKMNPQRSTVWXYZ2',
    call_id: 'call \u{1f600} "quoted" \\',
    trace_head_id: '01JABCDEFGHJKMNPQRSTVWXYZ1',
    event: 'denied',
    timestamp: '2026-11-30T00:00:00.000Z',
  }),
  canonicalText({
    ...ENVELOPE,
    kind: 'run_end',
    counts: { calls: 1e21, denied: 0.1 },
    in_doubt: [],
  }),
]

const TOKENS: readonly [string, ...string[]] = [
  ...(['{', '}', '[', ']', '"', ',', ':', 'null', '-0', '1e400', '1.0', '"\\u0041"'] as const),
  ...['"kind":1,', '"__proto__":{},', '\n', '\r', ' ', '\u{feff}', '\u2028', '9007199254740993'],
]

/** Edited as text, and one time in four as bytes as well, which need not be UTF-8 any more. */
function aLine(random: Random): Uint8Array {
  if (random.below(5000) === 0) return Buffer.from('[{"a":'.repeat(random.below(20_000)))
  const bytes = Buffer.from(mutate(random.pick(LINES), random, TOKENS))
  if (random.below(4) === 0 && bytes.length > 0) {
    bytes[random.below(bytes.length)] = random.below(256)
  }
  return bytes
}
