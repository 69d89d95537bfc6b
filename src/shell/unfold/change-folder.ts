/** `cd`, `pushd`, `popd`: where the rest of the shell goes on (rules.md §5 item 6). */

import type { Context } from '../context.js'
import { readOperands } from '../operations/operands.js'
import type { ShellWord } from './word.js'

/** Moves the shell of this context, if these words do. */
export function changeFolder([program, ...args]: readonly ShellWord[], context: Context): void {
  const { folders, via } = context
  // Another process changes only its own folder.
  if (!via.every((name) => IN_SHELL.has(name) || STARTS_SHELL.has(name))) return
  switch (program?.text ?? '') {
    case 'cd':
      return folders.enter(targetOf(args))
    case 'pushd':
      return folders.push(args.length === 0 ? null : targetOf(args))
    case 'popd':
      return args.length === 0 ? folders.pop() : folders.enter(null)
    case '.':
    case 'source':
      return folders.enter(null)
    default:
      return
  }
}

const IN_SHELL: ReadonlySet<string> = new Set(['builtin', 'command', 'eval', 'trap'])
/** Text of theirs is walked with folders of its own. */
const STARTS_SHELL: ReadonlySet<string> = new Set([
  ...[
    'sh',
    'bash',
    'dash',
    'ash',
    'ksh',
    'mksh',
    'rbash',
    'zsh',
    'timeout',
    'env',
    'nice',
    'nohup',
    'sudo',
    'time',
  ],
  ...['setsid', 'stdbuf', 'exec', 'xargs', 'find', 'su', 'script', 'watch', 'doas'],
])

function targetOf(args: readonly ShellWord[]): string | null {
  const { operands } = readOperands(args, {})
  const [target] = operands
  if (target === undefined) return '~'
  if (target.text === '-' || /^[+-]\d+$/.test(target.text)) return null
  return target.pathUnknown || target.pattern || target.splits ? null : target.path
}
