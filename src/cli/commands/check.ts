/** `sixgate check`: what the policy says of one call, layer by layer (hosts.md §5). */

import type { Command } from '../command.js'
import { judge } from './judge.js'

/** Runs nothing, asks nobody, records nothing. */
export const check: Command = {
  name: 'check',
  usage: "[--policy file] [--workspace folder] [--json] '<tool>(<args>)'",
  summary: 'say what the policy decides of a call: 0 allow, 3 ask, 4 deny',
  run: (args, output) => judge(args, output, false),
}
