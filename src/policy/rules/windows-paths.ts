/** What one Windows path may be called, and what its text cannot settle (rules.md §4). Pure text. */

/**
 * The one spelling of a path: `/` as separator, drives as `C:/…`, shares as `//server/share/…`. The
 * prefixes `\\?\`, `\\.\` and `\??\` go where a folder of a drive or a share follows; any other device is
 * `//?/…`, a drive alone too: that is the raw volume.
 */
export function windowsSpelling(path: string): string {
  const text = path.replace(/\\/g, '/').replace(/^\/\?\?\/+/, '//?/')
  const device = /^\/{2,}[?.]\/+/.exec(text)
  if (device === null)
    return upperDrive(text.replace(/^\/+(?=[A-Za-z]:(?:\/|$))/, '').replace(/^\/{2,}/, '//'))
  const rest = text.slice(device[0].length)
  const share = /^UNC\/+/i.exec(rest)
  if (share !== null) return `//${rest.slice(share[0].length)}`
  return /^[A-Za-z]:\//.test(rest) ? upperDrive(rest) : `//?/${rest}`
}

/** The same file under other names: without its streams, and by its drive instead of an administrative share. */
export function windowsAliases(spelling: string): readonly string[] {
  const share = /^\/\/[^/]+\/([A-Za-z])\$(?=\/|$)/.exec(spelling)
  const local =
    share === null
      ? []
      : [`${(share[1] ?? '').toUpperCase()}:${spelling.slice(share[0].length) || '/'}`]
  return [spelling, ...local].flatMap((path) => {
    const whole = withoutStreams(path)
    return path === spelling ? (whole === path ? [] : [whole]) : [path, whole]
  })
}

/**
 * True where only the volume knows what a name means: short names such as `PROGRA~1`, and names of
 * nothing but dots and blanks, which some calls take for a step up.
 */
export function hasUncertainName(path: string): boolean {
  return path.split('/').some((name) => isShortName(name) || isBlankName(name))
}

/** Devices have no folder of their own; these names are devices in any of them. */
export function namesDevice(folded: string): boolean {
  return DEVICE_PREFIX.test(folded) || DEVICE_NAME.test(folded) || opensStream(folded)
}

const STARTS_WITH_DRIVE = /^[A-Za-z]:(?:\/|$)/
const DEVICE_PREFIX = /^\/\/\?\//
const DEVICE_NAME =
  /^(?:[a-z]:|\/\/[^/]+)\/(?:.*\/)?(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?: *[.:][^/]*)?$/

/** A colon anywhere but behind the drive; on other systems it is a letter like any other. */
function opensStream(folded: string): boolean {
  const isWindows = STARTS_WITH_DRIVE.test(folded) || folded.startsWith('//')
  return isWindows && folded.includes(':', 2)
}

function upperDrive(path: string): string {
  return path.replace(/^[a-z](?=:)/, (letter) => letter.toUpperCase())
}

function withoutStreams(path: string): string {
  const start = STARTS_WITH_DRIVE.test(path) ? 2 : 0
  return path.slice(0, start) + path.slice(start).replace(/:[^/]*/g, '')
}

function isShortName(name: string): boolean {
  const dot = name.lastIndexOf('.')
  const base = dot === -1 ? name : name.slice(0, dot)
  return base.length <= 8 && name.length - base.length <= 4 && /~\d+$/.test(base)
}

function isBlankName(name: string): boolean {
  return /^[. ]+$/.test(name) && name !== '.' && name !== '..'
}
