/** Sampling: rows take turns, so that what else the machine does falls on all of them alike. */

/**
 * Runs every row in rounds and gives microseconds by name: the median and the 95th percentile of the
 * samples, by `per` of a row where it has one. A sample of a fast row is the mean of a batch of about a millisecond; a slow row's is one run.
 */
export async function measure(rows, { rounds = 8, samples = 25 } = {}) {
  const taken = new Map(rows.map(({ name }) => [name, []]))
  const batches = new Map()
  for (const { name, run } of rows) batches.set(name, await batchOf(run))
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, run, count = samples } of rows) {
      globalThis.gc?.()
      for (let sample = 0; sample < count; sample += 1) {
        taken.get(name).push(await time(run, batches.get(name)))
      }
    }
  }
  return new Map(rows.map(({ name, per = 1 }) => [name, summary(taken.get(name), per)]))
}

/** Warms the row up, and says how many runs take a millisecond. */
async function batchOf(run) {
  const until = performance.now() + 300
  let slowest = Infinity
  while (performance.now() < until) slowest = Math.min(slowest, await time(run, 1))
  return Math.max(1, Math.ceil(1000 / slowest))
}

/** Microseconds a run. */
async function time(run, batch) {
  const began = process.hrtime.bigint()
  for (let index = 0; index < batch; index += 1) {
    const running = run()
    // A synchronous row is not to pay for a promise that it does not make.
    if (running instanceof Promise) await running
  }
  return Number(process.hrtime.bigint() - began) / batch / 1000
}

export function summary(values, per = 1) {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share) => sorted[Math.floor((sorted.length - 1) * share)] / per
  return { median: at(0.5), p95: at(0.95) }
}
