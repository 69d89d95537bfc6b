/** Figures as the documentation has them. */

export function table(heads, rows) {
  console.log(`| ${heads.join(' | ')} |`)
  console.log(`| --- |${' --: |'.repeat(heads.length - 1)}`)
  for (const row of rows) console.log(`| ${row.join(' | ')} |`)
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)]
}

export function ratio(value) {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}

export function time(microseconds) {
  if (microseconds < 1) return `${(microseconds * 1000).toFixed(0)} ns`
  if (microseconds < 1000) return `${microseconds.toPrecision(3)} µs`
  return `${(microseconds / 1000).toPrecision(3)} ms`
}
