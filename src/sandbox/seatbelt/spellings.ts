/** The names that macOS has for one file: links of the root and firmlinks of the data volume (sandbox.md §5). */

import { isInside } from '../paths.js'

/** Where everything that is not the system's lies as well. */
const DATA_VOLUME = '/System/Volumes/Data'

/** Folders that the root names a second time, without `/private`. */
const LINKED = ['/private/var', '/private/tmp', '/private/etc'] as const

/** Parts of the root that the data volume does not show a second time. */
const SHOWN_ONCE = ['/System', '/bin', '/dev', '/sbin'] as const

/** One spelling for each file: without the data volume's folder, with `/private`. */
export function canonicalPath(path: string): string {
  const rest = isInside(path, DATA_VOLUME) ? path.slice(DATA_VOLUME.length) || '/' : path
  const short = isShownOnce(rest) ? path : rest
  const linked = LINKED.find((real) => isInside(short, real.slice('/private'.length)))
  return linked === undefined ? short : `/private${short}`
}

/** Every spelling of a path that a rule may be asked about, the canonical one first. */
export function spellings(path: string): readonly string[] {
  const real = canonicalPath(path)
  if (isShownOnce(real)) return [real]
  const linked = LINKED.some((one) => isInside(real, one)) ? [real.slice('/private'.length)] : []
  return [real, ...linked, real === '/' ? DATA_VOLUME : `${DATA_VOLUME}${real}`]
}

function isShownOnce(path: string): boolean {
  return SHOWN_ONCE.some((one) => isInside(path, one))
}
