/** Hosts that the words of a program name anywhere, in an option as well: for deny and ask rules alone (rules.md §5). */

import type { Context } from '../context.js'
import { programName } from '../programs/name.js'
import { fixedWord, type ShellWord } from '../unfold/word.js'
import { NAMES_ONLY } from './arguments.js'
import { expandBraces } from './braces.js'
import { isFileProgram } from './files.js'
import { isNetworkProgram } from './hosts.js'
import { isSpecialFileProgram } from './special-files.js'
import { hostOfUrl } from './url.js'

/** Notes them; nothing for programs that only open files, or whose words are text. `-m pip` is pip. */
export function recordNamedHosts(words: readonly ShellWord[], context: Context): void {
  const [program, ...args] = words
  const name = programName(program?.text ?? '')
  const isReaching = isNetworkProgram(name) || args[0]?.text === '-m'
  if (NAMES_ONLY.has(name)) return
  if (!isReaching && name !== 'git' && (isFileProgram(name) || isSpecialFileProgram(name))) return
  const { findings } = context
  for (const word of new Map(args.map((one) => [one.text, one])).values()) {
    if (!MAY_NAME.test(word.text)) continue
    // A sentence that mentions a host is not one; text for another machine is looked at by itself.
    const texts = /\s/.test(word.text.trim()) && !OPTION_TEXT.test(word.text) ? [] : textsOf(word)
    for (const text of texts) {
      // Every deny and ask rule counts then, whatever else is told.
      if (text !== word.text && !findings.spend(text.length)) return
      for (const host of hostsIn(text, word.at)) findings.host({ ...host, suspected: true })
    }
  }
}

function textsOf({ text }: ShellWord): readonly string[] {
  const decoded = text.includes('%') ? [decode(text)] : []
  // `-xhost` has its value attached.
  const glued = /^-[A-Za-z]./.test(text) ? [text.slice(2)] : []
  return [text, ...decoded, ...glued].flatMap((one) => expandBraces(one) ?? [one])
}

function hostsIn(text: string, at: number): ReturnType<typeof hostOfUrl> {
  const urls = (text.match(URL) ?? []).flatMap((url) => hostOfUrl(fixedWord(url, at)))
  // What stands behind the first slash is a path of that host.
  const names = text
    .split(/[=,{}\s]+/)
    .map((chunk) => chunk.replace(SCHEME, '').split('/', 1)[0] ?? '')
    .flatMap((authority) => authority.split(/[@:\\#?]+/))
    .filter((name) => HOST.test(name))
  const bare = names.map((host) => ({ host: host.toLowerCase() }))
  return [...urls.filter(({ host }) => host !== null), ...bare]
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Not decodable: the spelling as given is what rules meet.
    return text
  }
}

const URL = /[a-z]{2,10}:\/\/[^\s'"]+/gi
/** Every host has a dot, or stands behind a scheme. */
const MAY_NAME = /[.%]|:\/\//
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:[/\\]+/
/** A name with a dot that ends in letters, or an address. */
const HOST = /^(?:(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]{1,62}\.?|\d{1,3}(?:\.\d{1,3}){3})$/i
/** `-o 'HostName x'` is one word with a blank. */
const OPTION_TEXT = /^(?:-o)?\s*(?:hostname|proxyjump)\s/i
