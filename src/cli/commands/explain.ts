/** `sixgate explain`: as `check`, with what each layer judges and how a command splits (rules.md §6). */

import type { Command } from '../command.js'
import { judge } from './judge.js'

/** Runs nothing, asks nobody, records nothing. */
export const explain: Command = {
  name: 'explain',
  usage: "[--policy file] [--workspace folder] [--json] '<tool>(<args>)'",
  summary: 'say why, and which rule would have allowed it: 0 allow, 3 ask, 4 deny',
  run: (args, output) => judge(args, output, true),
}
