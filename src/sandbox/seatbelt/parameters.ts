/** Paths of a profile by parameter: no path can end a text and begin a rule (sandbox.md §5). */

/** Filters that name their text by parameter, each text once. */
export interface Parameters {
  readonly literal: (path: string) => string
  readonly subpath: (path: string) => string
  readonly regex: (text: string) => string
  readonly all: () => readonly { readonly name: string; readonly value: string }[]
}

/** The parameters of one profile, numbered as they are first named. */
export function createParameters(): Parameters {
  const names = new Map<string, string>()
  const filter = (kind: string) => (value: string) => {
    const name = names.get(value) ?? `P${names.size}`
    names.set(value, name)
    return `(${kind} (param "${name}"))`
  }
  return {
    literal: filter('literal'),
    subpath: filter('subpath'),
    regex: filter('regex'),
    all: () => Array.from(names, ([value, name]) => ({ name, value })),
  }
}
