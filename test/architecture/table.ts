/** The form of the import table; the table itself stands in architecture.test.ts. */

/** What one folder of src may import. Its own files are always open to it. */
export interface FolderRule {
  /** Folders, or files written with their folder, whose code and types it may import. */
  readonly imports: readonly string[]
  /** Folders or files of which it may import types only. */
  readonly types?: readonly string[]
  /** Why; the failure message ends with it. */
  readonly reason: string
}

/** An npm package or a built-in module, and the files and folders that may import it. */
export interface PackageRule {
  /** The name, or a name ending in `*` for everything that begins so. */
  readonly name: string
  readonly only: readonly string[]
  readonly reason: string
}

export interface Architecture {
  readonly folders: Readonly<Record<string, FolderRule>>
  /** Folders that may import everything but these. */
  readonly openFolders: Readonly<
    Record<string, { readonly except: readonly string[]; readonly reason: string }>
  >
  /** Everyone may import types of these, except those whose own row opens nothing. */
  readonly openTypes: readonly string[]
  readonly packages: readonly PackageRule[]
  /** Folders in which a cycle made of `import type` alone is allowed. */
  readonly typeCycles: readonly string[]
  readonly limits: { readonly codeLines: number; readonly filesInFolder: number }
}

/** Source texts by path from the root of the repository, with `/`. */
export type Sources = ReadonlyMap<string, string>

/** True when `file` (below src) is `place` itself or lies in it. */
export function lies(file: string, place: string): boolean {
  return file === place || file.startsWith(place.endsWith('/') ? place : `${place}/`)
}
