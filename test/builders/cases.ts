/** How many random cases a property runs: the figure with SIXGATE_SOAK, a part with a fresh seed without. */

/** Parameters for `fc.assert`; the seed is printed, so that a failure can be repeated. */
export function cases(
  figure: number,
  part = 10,
): { readonly numRuns: number; readonly seed: number } {
  const seed = Number(process.env['SIXGATE_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
  const numRuns = process.env['SIXGATE_SOAK'] === '1' ? figure : Math.ceil(figure / part)
  process.stdout.write(`property: ${numRuns} cases, SIXGATE_SEED=${seed}\n`)
  return { numRuns, seed }
}
