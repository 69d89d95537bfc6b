/** The name under which tables know a program: no folder, no version, no `.exe`, no capitals. */

/** `/usr/bin/Python3.11` is `python`, `./x` is `x`. */
export function programName(word: string): string {
  const base = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1)
  const lower = base.toLowerCase()
  const plain = lower.endsWith('.exe') ? lower.slice(0, -'.exe'.length) : lower
  return /[\d.]$/.test(plain) ? (VERSIONED.exec(plain)?.[1] ?? plain) : plain
}

/** Names of many versions; elsewhere a digit is part of the name, as in `7z`. */
const VERSIONED =
  /^(python|pypy|node|nodejs|ruby|perl|php|lua|bash|ksh|pip|java|tclsh|wish)[-.]?\d[\d.]*$/
