/** Which files are credentials, whatever name leads to them: a further name of one is one (S1-45). */

import { HOME_CREDENTIALS, RELOCATED_CREDENTIALS } from '../../lists/credentials.js'
import { SEARCH_LIMITS } from '../../lists/searching.js'
import { ToolError } from '../../core/errors.js'
import type { Machine } from '../../platform/machine.js'
import { foldedPath, isSecretName, isUnsearchedStore } from './names.js'

/** Device and inode of every credential of the home and of the folders. Throws `ToolError` at the limits. */
export function knownCredentials(
  machine: Machine,
  folders: readonly string[],
): ReadonlySet<string> {
  const found = new Set<string>()
  const walk = walker(machine)
  for (const store of stores(machine)) {
    walk(
      store,
      ({ id }) => found.add(id),
      () => false,
    )
  }
  for (const folder of folders) {
    walk(
      folder,
      ({ id, path }) => {
        if (isSecretName(foldedPath(path.slice(folder.length + 1)))) found.add(id)
      },
      (name) => isUnsearchedStore(foldedPath(name)),
    )
  }
  return found
}

type Seen = (file: { readonly id: string; readonly path: string }) => void

/** Counts over all walks: together they stay within the limits. */
function walker(
  machine: Machine,
): (top: string, seen: Seen, isSkipped: (name: string) => boolean) => void {
  let entries = 0
  return (top, seen, isSkipped) => {
    const waiting = [{ path: top, depth: 0 }]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { path, depth } = next
      const facts = machine.facts(path)
      if (facts?.kind === 'file') seen({ id: facts.id, path })
      if (facts?.kind !== 'directory') continue
      if (depth > SEARCH_LIMITS.depth) throw tooMuch()
      for (const { name } of machine.list(path).filter((one) => !isSkipped(one.name))) {
        entries += 1
        if (entries > SEARCH_LIMITS.entries) throw tooMuch()
        waiting.push({ path: `${path}/${name}`, depth: depth + 1 })
      }
    }
  }
}

function stores(machine: Machine): readonly string[] {
  const { home, environment } = machine
  const own = HOME_CREDENTIALS.flatMap((store) => {
    const path = `${home}/${store}`
    if (!store.endsWith('*')) return [path]
    const folder = path.slice(0, path.lastIndexOf('/'))
    const start = path.slice(folder.length + 1, -1)
    const names = machine.list(folder).filter(({ name }) => name.startsWith(start))
    return names.map(({ name }) => `${folder}/${name}`)
  })
  return [...own, ...relocatedStores(environment)]
}

/** Where variables moved stores of credentials to. */
export function relocatedStores(environment: Readonly<Record<string, string>>): readonly string[] {
  return RELOCATED_CREDENTIALS.flatMap(({ variable, store }) =>
    (environment[variable] ?? '')
      .split(':')
      .filter((path) => path.startsWith('/'))
      .map((path) => (store === undefined ? path : `${path}/${store}`)),
  )
}

// Denied: what may be a further name of something that was not found yet.
function tooMuch(): ToolError {
  return new ToolError('too_large', 'there is too much to search for credentials')
}
