/** Seatbelt's profile for one view, in the order that matters (sandbox.md §5). Pure text. */

import { depth, isInside } from '../paths.js'
import {
  BASE,
  MACHINE,
  OWN_FILES,
  OWN_FILES_FOLDER,
  READ_DEVICES,
  WRITTEN_DEVICES,
} from './base.js'
import { exactly, inAnyCase, withoutCase } from './any-case.js'
import { NO_NETWORK } from './network.js'
import { createParameters, type Parameters } from './parameters.js'
import { spellings } from './spellings.js'
import { ancestors, type ProtectedName, type View } from './view.js'
import { nearest, type Zone } from './zones.js'

/** A profile, and the paths that it names by parameter. */
export interface ProfileText {
  readonly text: string
  readonly parameters: readonly { readonly name: string; readonly value: string }[]
}

// INVARIANT: what is allowed by one name of an operation is denied by the same name ("means the same
// whether the last rule wins or the more exact operation"): macOS takes a rule about `file-read-data`
// before any rule about `file-read*`, wherever either stands.
const READ = 'file-read* file-test-existence file-map-executable process-exec*'
const LOOK = 'file-read-metadata file-test-existence'
const WRITE = 'file-write*'
const MOVE = 'file-write-unlink file-write-create'

/** Deny, base, reads, read denies, writes, write denies, what is pinned, network. */
export function profileText(view: View, network: readonly string[] = []): ProfileText {
  const parameters = createParameters()
  const rules = [
    ...BASE,
    ...MACHINE,
    ...reads(view, parameters),
    ...writes(view, parameters),
    ...pins(view, parameters),
    // A second name or a copy would carry a file to where other rules hold.
    '(deny file-link file-clone)',
    '(deny file-write-setugid)',
    NO_NETWORK,
    ...network,
  ]
  return { text: `${rules.join('\n')}\n`, parameters: parameters.all() }
}

function reads(view: View, parameters: Parameters): readonly string[] {
  const shown = view.zones.filter(({ path, access }) => access !== 'none' && !isCovered(path, view))
  const above = shown.flatMap(({ path }) => spellings(path)).flatMap(ancestors)
  return [
    ...byDepth(view.zones, parameters, {
      operations: READ,
      isOpen: ({ access }) => access !== 'none',
    }),
    rule(`deny ${READ}`, [
      ...view.hidden.flatMap(spellings).map(parameters.subpath),
      ...view.veiled.flatMap(spellings).map((path) => parameters.regex(belowInAnyCase(path))),
    ]),
    // The start of a path: programs look at each folder on the way, and the loader opens `/`. A secret's
    // own entry as well: whoever walks through a folder, git above all, would fail at it.
    rule(`allow ${LOOK}`, [...new Set([...above, ...entries(view)])].map(parameters.literal)),
    rule('allow file-read*', spellings('/').map(parameters.literal)),
    rule('allow file-read* file-test-existence', [
      ...[...READ_DEVICES, ...OWN_FILES].map(parameters.literal),
      parameters.subpath(OWN_FILES_FOLDER),
    ]),
  ].flat()
}

/** Secrets whose folder is shown. */
function entries(view: View): readonly string[] {
  return view.hidden
    .filter((path) => nearest(path, view.zones) !== 'none')
    .filter(
      (path) => !isCovered(path, { ...view, hidden: view.hidden.filter((one) => one !== path) }),
    )
    .flatMap(spellings)
}

function isCovered(path: string, { hidden, veiled }: View): boolean {
  return (
    hidden.some((one) => isInside(path, one)) ||
    veiled.some((one) => isInside(withoutCase(path), withoutCase(one)))
  )
}

function writes(view: View, parameters: Parameters): readonly string[] {
  const fixed = [...view.hidden, ...view.fixed].flatMap(spellings)
  return [
    ...byDepth(view.zones, parameters, {
      operations: WRITE,
      isOpen: ({ access }) => access === 'write',
    }),
    rule(`deny ${WRITE}`, [
      ...fixed.map(parameters.subpath),
      ...view.veiled.flatMap(spellings).map((path) => parameters.regex(belowInAnyCase(path))),
      ...view.protected.flatMap(nameRegexes).map(parameters.regex),
    ]),
    rule('allow file-write-data', [
      ...[...WRITTEN_DEVICES, ...OWN_FILES].map(parameters.literal),
      parameters.subpath(OWN_FILES_FOLDER),
    ]),
    rule('allow file-ioctl', [...WRITTEN_DEVICES].map(parameters.literal)),
    specialFiles(view.roots, parameters),
  ].flat()
}

/** Pipes and sockets that other programs made: a way around every rule about the network. */
function specialFiles(roots: readonly string[], parameters: Parameters): readonly string[] {
  const own = roots.flatMap(spellings)
  const kinds = ['FIFO', 'SOCKET'].map((kind) => `(vnode-type ${kind})`).join(' ')
  const places = [...own, OWN_FILES_FOLDER].map(
    (path) => `(require-not ${parameters.subpath(path)})`,
  )
  return [
    `(deny file-read-data file-write-data (require-all (require-any ${kinds})\n  ${places.join('\n  ')}))`,
  ]
}

function pins(view: View, parameters: Parameters): readonly string[] {
  const veils = view.veiled.flatMap(ancestors).filter((path) => path !== '/')
  const folders = view.protected.flatMap(({ root, name }) => {
    const parts = name.split('/')
    const above = parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'))
    return above.flatMap((one) =>
      spellings(root).map((path) => `^${exactly(path)}/${inAnyCase(one)}$`),
    )
  })
  return rule(`deny ${MOVE}`, [
    ...view.pinned.flatMap(spellings).map(parameters.literal),
    ...[...new Set(folders)].map(parameters.regex),
    ...[...new Set(veils)].flatMap(spellings).map((path) => parameters.regex(inAnyCaseOnly(path))),
  ])
}

/** What a run of zones is asked. */
interface Question {
  readonly operations: string
  readonly isOpen: (zone: Zone) => boolean
}

/** Rules for zones, parents first: the last rule that fits is then that of the nearest zone. */
function byDepth(
  zones: readonly Zone[],
  parameters: Parameters,
  { operations, isOpen }: Question,
): readonly string[] {
  // What nothing around it opens is closed by default.
  const isNeeded = (zone: Zone): boolean =>
    isOpen(zone) || zones.some((one) => isOpen(one) && isInside(zone.path, one.path))
  const spelled = zones
    .filter(isNeeded)
    .flatMap((zone) => spellings(zone.path).map((path) => ({ ...zone, path })))
    .sort((a, b) => depth(a.path) - depth(b.path))
  const runs: { readonly open: boolean; readonly filters: string[] }[] = []
  for (const zone of spelled) {
    const open = isOpen(zone)
    const last = runs.at(-1)
    if (last?.open === open) last.filters.push(parameters.subpath(zone.path))
    else runs.push({ open, filters: [parameters.subpath(zone.path)] })
  }
  return runs.flatMap(({ open, filters }) =>
    rule(`${open ? 'allow' : 'deny'} ${operations}`, filters),
  )
}

function nameRegexes({ root, name, at }: ProtectedName): readonly string[] {
  const between = at === 'top' ? '/' : '/([^/]+/)*'
  return spellings(root).map((path) => `^${exactly(path)}${between}${inAnyCase(name)}(/|$)`)
}

function inAnyCaseOnly(path: string): string {
  return `^${inAnyCase(path)}$`
}

function belowInAnyCase(path: string): string {
  return `^${inAnyCase(path)}(/|$)`
}

/** No filter would fit everything: a rule about nothing is left out. */
function rule(head: string, filters: readonly string[]): readonly string[] {
  return filters.length === 0 ? [] : [`(${head}\n  ${filters.join('\n  ')})`]
}
