/** `ssh`: what it runs elsewhere is text for deny and ask, never proof (rules.md §5 item 1). */

import type { ShellWord } from '../unfold/word.js'
import { readOptions, type OptionSpec } from './options.js'
import { unreadable, type Unwrapped } from './unwrapped.js'

export const SSH_OPTIONS: OptionSpec = {
  flags: '46AaCfGgKkMNnqsTtVvXxYy',
  valued: 'BbcDEeiJLlmOopQRSWw',
}

/** `-F` names a file of settings, `-I` a library that is loaded, and some settings do either or run a command. */
const RUNS_HERE =
  /^(?:proxycommand|localcommand|permitlocalcommand|knownhostscommand|include|match|pkcs11provider|securitykeyprovider|xauthlocation)/i

export function unwrapRemote(words: readonly ShellWord[]): Unwrapped {
  const options = readOptions(words, 1, SSH_OPTIONS)
  if (options === null) return unreadable('exec_option')
  if (
    (options.values.get('-o') ?? []).some(
      ({ text, dynamic }) => dynamic || RUNS_HERE.test(text.trim()),
    )
  ) {
    return unreadable('exec_option')
  }
  const remote = words.slice(options.end + 1)
  if (remote.length === 0) return { transparent: false, runs: [], refusals: [] }
  const text = remote.map((word) => word.text).join(' ')
  return {
    transparent: false,
    runs: [{ kind: 'text', text, suspected: true }],
    refusals: ['remote_text'],
  }
}
