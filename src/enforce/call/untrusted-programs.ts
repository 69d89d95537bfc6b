/** Bare program names that PATH leads into a folder which calls can write (rules.md §5 item 2). */

import type { CommandAnalysis } from '../../core/need.js'
import type { Surroundings } from '../surroundings.js'

/** Looked up anew for each call: what stands in a writable folder may have changed. */
export function untrustedPrograms(
  { commands }: CommandAnalysis,
  around: Pick<Surroundings, 'programs' | 'roots'>,
  writable: readonly string[],
): readonly string[] {
  const { workspace, temporary } = around.roots
  const roots = [workspace, ...temporary, ...writable]
  const names = new Set(
    commands.flatMap(({ argv, role }) => (role === 'suspected' ? [] : (argv[0] ?? []))),
  )
  return [...names].filter((name) => {
    if (name.includes('/') || name === '' || BUILTINS.has(name)) return false
    const place = around.programs.find(name)
    switch (place.status) {
      case 'missing':
        return false
      case 'relative':
        return true
      case 'found':
        return place.folders.some((folder) => roots.some((root) => isInside(folder, root)))
    }
  })
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

/** Builtins of bash come before PATH. */
const BUILTINS: ReadonlySet<string> = new Set([
  ...[
    '.',
    ':',
    '[',
    'alias',
    'bg',
    'break',
    'builtin',
    'cd',
    'command',
    'continue',
    'declare',
    'dirs',
  ],
  ...[
    'disown',
    'echo',
    'enable',
    'eval',
    'exec',
    'exit',
    'export',
    'false',
    'fg',
    'getopts',
    'hash',
  ],
  ...[
    'help',
    'history',
    'jobs',
    'kill',
    'let',
    'local',
    'logout',
    'mapfile',
    'popd',
    'printf',
    'pushd',
  ],
  ...[
    'pwd',
    'read',
    'readarray',
    'readonly',
    'return',
    'set',
    'shift',
    'shopt',
    'source',
    'suspend',
  ],
  ...[
    'test',
    'times',
    'trap',
    'true',
    'type',
    'typeset',
    'ulimit',
    'umask',
    'unalias',
    'unset',
    'wait',
  ],
])
