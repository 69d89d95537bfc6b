/** Commands that ruin a machine whatever their operands are (rules.md §5 item 8). */

import type { CommandHazard } from '../../core/need.js'
import type { Piped } from '../context.js'
import type { ShellWord } from '../unfold/word.js'
import { BASH_LIKE, OTHER_SHELLS } from '../wrappers/table.js'
import { programName } from './name.js'

/** The hazard of one command, or `null`. */
export function hazardOf(words: readonly ShellWord[], piped: Piped): CommandHazard | null {
  const name = programName(words[0]?.text ?? '')
  const args = words.slice(1).map((word) => word.text)
  if (
    /^mkfs(?:\..+)?$/.test(name) ||
    name === 'wipefs' ||
    (name === 'diskutil' && /^erase/i.test(args[0] ?? ''))
  ) {
    return 'mkfs'
  }
  if (piped === 'download' && reads(name, args)) return 'piped_download'
  if (SHUTDOWN.has(name)) return 'shutdown'
  if ((name === 'init' || name === 'telinit') && /^[06]$/.test(args[0] ?? '')) return 'shutdown'
  if (name === 'systemctl' && args.some((arg) => SYSTEMCTL.has(arg))) return 'shutdown'
  return name === 'killall5' || (name === 'kill' && killsAll(args)) ? 'kill_all' : null
}

/** An interpreter without a script file takes its program from its input. */
function reads(name: string, args: readonly string[]): boolean {
  if (!BASH_LIKE.has(name) && !OTHER_SHELLS.has(name) && !INTERPRETERS.has(name)) return false
  if (args.includes('-c') || args.includes('-e')) return false
  return args.includes('-s') || args.every((arg) => arg.startsWith('-'))
}

/** `-1` is every process where a signal or `--` stands before it. */
function killsAll(args: readonly string[]): boolean {
  const at = args.lastIndexOf('-1')
  return at > 0 && args.slice(0, at).some((arg) => /^-/.test(arg))
}

const SHUTDOWN: ReadonlySet<string> = new Set(['shutdown', 'reboot', 'halt', 'poweroff'])
const SYSTEMCTL: ReadonlySet<string> = new Set([
  'poweroff',
  'reboot',
  'halt',
  'kexec',
  'suspend',
  'hibernate',
])
const INTERPRETERS: ReadonlySet<string> = new Set([
  'python',
  'pypy',
  'node',
  'nodejs',
  'perl',
  'ruby',
  'php',
  'lua',
])
