/** Where a command may run: the set of folders that `cd`, `pushd` and `popd` can have led to (rules.md §5 item 6). */

/** Possible folders, relative to the call's own (`''`) or absolute; `null` when nobody knows. */
export type FolderSet = readonly string[] | null

const MOST = 16

/** The folders of one shell; a subshell works on a copy. */
export class Folders {
  current: FolderSet
  readonly #stack: FolderSet[]

  constructor(current: FolderSet = [''], stack: readonly FolderSet[] = []) {
    this.current = current
    this.#stack = [...stack]
  }

  copy(): Folders {
    return new Folders(this.current, this.#stack)
  }

  /** `cd` that succeeds. */
  enter(target: string | null): void {
    this.current =
      target === null || this.current === null
        ? anchored(target)
        : distinct(this.current.map((folder) => joinFolder(folder, target)))
  }

  push(target: string | null): void {
    this.#stack.push(this.current)
    this.enter(target)
  }

  pop(): void {
    this.current = this.#stack.pop() ?? null
  }

  /** What may have failed leaves the shell where it was. */
  orElse(before: FolderSet): void {
    this.current =
      this.current === null || before === null ? null : distinct([...before, ...this.current])
  }
}

/** A path seen from a folder. */
export function joinFolder(folder: string, path: string): string {
  if (folder === '' || isAnchored(path)) return path
  // It is the folder that the shell has come to.
  if (/^\$PWD(?:\/|$)/.test(path)) return folder + path.slice('$PWD'.length)
  return `${folder}/${path}`
}

/** True for a path that does not depend on the current folder. */
export function isAnchored(path: string): boolean {
  return /^(?:\/|~(?:\/|$)|\$(?:HOME|TMPDIR)(?:\/|$))/.test(path)
}

function anchored(target: string | null): FolderSet {
  return target !== null && isAnchored(target) ? [target] : null
}

function distinct(folders: readonly string[]): FolderSet {
  const set = [...new Set(folders)]
  return set.length > MOST ? null : set
}
