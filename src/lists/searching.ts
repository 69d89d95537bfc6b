/** Where a workspace is not searched for secrets and repositories, and how far it is (sandbox.md §3). Data only. */

/** Folders that hold what a package manager or a compiler made. */
export const PACKAGE_STORES: readonly string[] = [
  'node_modules',
  'target',
  '.venv',
  'venv',
  '.tox',
  '.nox',
  '__pypackages__',
]

/** A folder with this file is a virtual environment, whatever its name; it is searched all the same. */
export const VIRTUAL_ENVIRONMENT = 'pyvenv.cfg'

/** Names looked at in one search, and folders below each other. More refuses the run. */
export const SEARCH_LIMITS = { entries: 1_000_000, depth: 64 } as const
