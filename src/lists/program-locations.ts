/** Folders whose programs are what their names say (rules.md §5 item 2). Data only. */

export const TRUSTED_LOCATIONS: readonly string[] = [
  '/bin',
  '/sbin',
  '/usr/bin',
  '/usr/sbin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
]

/** Nix keeps each program in a folder of its own below this one. */
export const TRUSTED_STORE: RegExp = /^\/nix\/store\/[^/]+\/bin\/[^/]+$/
