/** Stores of credentials in the home, or where a variable moved them, that a profile would show (sandbox.md §3). */

import type { SandboxProfile } from '../../contract/sandbox.js'
import { HOME_CREDENTIALS, RELOCATED_CREDENTIALS } from '../../lists/credentials.js'
import type { Machine } from '../../platform/machine.js'
import { isInside } from '../paths.js'
import type { Mask } from './guard.js'
import { matches } from './names.js'

/** What of them exists inside a root of the profile, at its real path. */
export function credentialMasks(profile: SandboxProfile, machine: Machine): readonly Mask[] {
  const { mode, workspace, writable, readable } = profile.fileSystem
  const roots = mode === 'open' ? ['/'] : [workspace, ...writable, ...readable]
  const isShown = (path: string): boolean => roots.some((root) => isInside(path, root))
  const places = [...homeStores(machine, isShown), ...relocated(machine)].filter(isShown)
  return [...new Set(places)].flatMap((place): readonly Mask[] => {
    const path = machine.realPath(place)
    const kind = path === null ? undefined : machine.facts(path)?.kind
    if (path === null || kind === undefined || kind === 'link' || !isShown(path)) return []
    // A root that is itself a store was opened by name; what holds the workspace cannot be covered.
    if (roots.some((root) => isInside(root, path))) return []
    return [{ path, kind: kind === 'directory' ? 'directory' : 'file' }]
  })
}

function homeStores(machine: Machine, isShown: (path: string) => boolean): readonly string[] {
  return HOME_CREDENTIALS.flatMap((store) => {
    const path = `${machine.home}/${store}`
    if (!store.endsWith('*')) return [path]
    const folder = path.slice(0, path.lastIndexOf('/'))
    const pattern = path.slice(folder.length + 1)
    if (!isShown(folder)) return []
    const names = machine.list(folder).filter(({ name }) => matches(name, pattern))
    return names.map(({ name }) => `${folder}/${name}`)
  })
}

function relocated(machine: Machine): readonly string[] {
  return RELOCATED_CREDENTIALS.flatMap(({ variable, store }) => {
    const value = machine.environment[variable] ?? ''
    // KUBECONFIG is a list.
    const folders = value.split(':').filter((path) => path.startsWith('/'))
    return folders.map((path) => (store === undefined ? path : `${path}/${store}`))
  })
}
