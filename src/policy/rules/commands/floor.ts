/** The catastrophic floor (rules.md §5 item 8): commands that no policy, mode or origin lets through. */

import type { Roots } from '../../../core/facts.js'
import type { PathSubject, Subject } from '../../../core/subject.js'
import { foldForSuspicion } from '../compare.js'
import { normalFolder } from '../path-forms.js'

/** The name of the first ruin among the subjects of a call, or `null`. */
export function floorOf(subjects: readonly Subject[], roots: Roots): string | null {
  for (const subject of subjects) {
    const name =
      subject.kind === 'command' ? (subject.analysis.hazards?.[0] ?? null) : ruinOf(subject, roots)
    if (name !== null) return name
  }
  return null
}

function ruinOf(subject: Subject, roots: Roots): string | null {
  if (subject.kind !== 'path' || subject.derived === undefined) return null
  const { access, derived, forms } = subject
  if (access !== 'write') return null
  if (forms.some((form) => RAW_DEVICE.test(form))) return 'raw_device'
  return derived.hazard !== undefined && derived.adrift !== true && holdsEverything(subject, roots)
    ? derived.hazard
    : null
}

/** The root, a home directory, the workspace, or a folder above one of the last two. */
function holdsEverything({ forms }: PathSubject, roots: Roots): boolean {
  const kept = [roots.home, roots.workspace].map((folder) =>
    foldForSuspicion(normalFolder(folder, roots.platform)),
  )
  return forms.map(foldForSuspicion).some((form) => {
    const below = form.endsWith('/') ? form : `${form}/`
    return HOMES.test(form) || kept.some((folder) => folder === form || folder.startsWith(below))
  })
}

const RAW_DEVICE =
  /^\/dev\/(?:[shv]d[a-z]|xvd[a-z]|nvme\d|mmcblk\d|r?disk\d|dm-\d|mapper\/|loop\d|md\d|sr\d|mem$|kmem$)/
/** Folded: lower case. */
const HOMES =
  /^(?:\/|[a-z]:\/?|\/root|\/home(?:\/[^/]+)?|\/users(?:\/[^/]+)?|[a-z]:\/users(?:\/[^/]+)?)$/
