/** Sampling: rows take turns, so that what else the machine does falls on all of them alike. */

/**
 * Runs every row in rounds and gives microseconds a run, by name: the median of the processor time of
 * the whole process (collector included, waiting for a core or a disk not), and median and 95th
 * percentile by the clock, all divided by `per` of a row where it has one. A sample of a fast row is the
 * mean of a batch of two milliseconds; a slow row's is one run.
 */
export async function measure(rows, { rounds = 8, samples = 20 } = {}) {
  const taken = new Map(rows.map(({ name }) => [name, []]))
  const batches = new Map()
  for (const { name, run } of rows) batches.set(name, await batchOf(run))
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, run } of rows) {
      globalThis.gc?.()
      for (let sample = 0; sample < samples; sample += 1) {
        taken.get(name).push(await time(run, batches.get(name)))
      }
    }
  }
  return new Map(rows.map(({ name, per = 1 }) => [name, summary(taken.get(name), per)]))
}

/** Warms the row up, and says how many runs take two milliseconds. */
async function batchOf(run) {
  const until = performance.now() + 400
  let quickest = Infinity
  while (performance.now() < until) quickest = Math.min(quickest, (await time(run, 1)).clock)
  return Math.max(1, Math.ceil(2000 / quickest))
}

/** Microseconds a run, by the clock and by the processor. */
async function time(run, batch) {
  const used = process.cpuUsage()
  const began = process.hrtime.bigint()
  for (let index = 0; index < batch; index += 1) {
    const running = run()
    // A synchronous row is not to pay for a promise that it does not make.
    if (running instanceof Promise) await running
  }
  const clock = Number(process.hrtime.bigint() - began) / batch / 1000
  const { user, system } = process.cpuUsage(used)
  return { clock, processor: (user + system) / batch }
}

export function summary(samples, per = 1) {
  const at = (share, of) => {
    const sorted = samples.map((sample) => sample[of]).sort((a, b) => a - b)
    return sorted[Math.floor((sorted.length - 1) * share)] / per
  }
  return { processor: at(0.5, 'processor'), median: at(0.5, 'clock'), p95: at(0.95, 'clock') }
}
