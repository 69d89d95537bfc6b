/** The path port (rules.md §4): follows links the way the backend that will act would. */

/** Where a path really leads. */
export type PathResolution =
  | {
      readonly status: 'resolved'
      /** Absolute; every link followed, the target need not exist. */
      readonly real: string
      /** Link count of the target file; 1 when it does not exist or identity is not dependable. */
      readonly links: number
      /** The same for every name of a file that has several; absent where that cannot be told. */
      readonly identity?: string | undefined
    }
  /** More than 40 links, or a component that cannot be read. */
  | { readonly status: 'unresolvable'; readonly cause: string }

/** A name in a folder, links not followed. */
export interface FolderName {
  readonly name: string
  readonly kind: 'folder' | 'link' | 'other'
}

/** Resolves component by component, from the unfolded path. Never rejects. */
export interface PathResolver {
  /** `path` is absolute; `..` in it means the parent of where the links before it led. */
  readonly resolve: (path: string) => Promise<PathResolution>
  /** PATH folders and so on are looked up on this system; the same answer, without waiting. */
  readonly resolveNow: (path: string) => PathResolution
  /** The names in a folder; none for what cannot be listed. Absent where nothing has an identity. */
  readonly namesIn?: ((folder: string) => readonly FolderName[]) | undefined
}
