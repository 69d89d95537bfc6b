/** What `curl` and `wget` read from files and write to them (rules.md §5 item 6). */

import type { Context } from '../context.js'
import type { ShellWord } from '../unfold/word.js'
import { readOperands, valuesOf, type Valued } from './operands.js'
import { baseOf, belowEach, output, read } from './record.js'

export function curl(args: readonly ShellWord[], context: Context): void {
  const given = readOperands(args, CURL)
  const { operands, flags } = given
  const of = valuesOf(given)
  const isNamed = ['-O', '--remote-name', '--remote-name-all'].some((flag) => flags.has(flag))
  const stored = [...of('-o', '--output'), ...(isNamed ? operands.map(baseOf) : [])]
  for (const word of storedIn(of('--output-dir'), stored, context)) output(context, word)
  for (const word of of('-D', '-c', ...CURL_OUTPUTS)) output(context, word)
  for (const word of of('-T', '-b', '-E', '-K', ...CURL_INPUTS)) read(context, word)
  for (const word of of('-d', '-F', '-H', '-w', ...CURL_DATA)) {
    // `@file`, `name@file` and `name=@file` send a file, `%output{file}` writes one.
    const file = /^[^=@<]*=?[@<]([^;]+)/.exec(word.text)?.[1]
    if (file !== undefined) read(context, { ...word, text: file, path: file })
    const written = /%output\{(?:>>)?([^}]+)\}/.exec(word.text)?.[1]
    if (written !== undefined) output(context, { ...word, text: written, path: written })
  }
  for (const word of [...operands, ...of('--url')]) {
    const file = /^file:(?:\/\/[^/]*)?(\/.+)/i.exec(word.text)?.[1]
    if (file !== undefined) read(context, { ...word, text: file, path: file })
  }
}

const CURL_OUTPUTS = [
  ...['--dump-header', '--cookie-jar', '--trace', '--trace-ascii', '--stderr'],
  ...['--libcurl', '--hsts', '--alt-svc', '--etag-save'],
] as const
const CURL_INPUTS = [
  ...['--upload-file', '--cookie', '--cert', '--key', '--cacert', '--netrc-file', '--config'],
  ...['--etag-compare'],
] as const
const CURL_DATA = [
  ...['--data', '--data-ascii', '--data-binary', '--data-urlencode', '--json', '--url-query'],
  ...['--form', '--header', '--proxy-header', '--write-out', '--variable'],
] as const

/** Options of curl with a value, as far as they matter here. */
export const CURL: Valued = {
  valued: 'odDcbTEFHXuAemxUwrCPQYyztK',
  longValued: [
    ...[...CURL_OUTPUTS, ...CURL_INPUTS, ...CURL_DATA].map((option) => option.slice(2)),
    ...['output', 'output-dir', 'data-raw', 'form-string', 'request', 'user', 'user-agent'],
    ...['connect-timeout', 'retry', 'retry-delay', 'retry-max-time', 'url', 'resolve'],
    ...['proxy', 'preproxy', 'proxy1.0', 'socks4', 'socks4a', 'socks5', 'socks5-hostname'],
    ...['doh-url', 'connect-to', 'limit-rate', 'max-filesize', 'range', 'referer', 'max-time'],
  ],
}

export const WGET: Valued = {
  valued: 'OPoaiUTtwQ',
  longValued: [
    'output-document',
    'directory-prefix',
    'output-file',
    'input-file',
    'post-file',
    'header',
    'tries',
    ...['append-output', 'save-cookies', 'rejected-log', 'warc-file', 'hsts-file'],
    ...['body-file', 'load-cookies', 'base', 'timeout', 'user', 'password', 'user-agent'],
  ],
}

export function wget(args: readonly ShellWord[], context: Context): void {
  const given = readOperands(args, WGET)
  const { operands } = given
  const of = valuesOf(given)
  const named = of('-O', '--output-document')
  const logs = of('-o', '--output-file', '-a', '--append-output', '--save-cookies')
  const more = of('--rejected-log', '--warc-file', '--hsts-file')
  for (const word of [...named, ...logs, ...more]) output(context, word)
  const folders = of('-P', '--directory-prefix')
  const stored = named.length === 0 ? operands.map(baseOf) : []
  for (const word of storedIn(folders, stored, context)) output(context, word)
  for (const word of of(...['-i', '--input-file', '--post-file', '--body-file', '--load-cookies']))
    read(context, word)
}

/** Files in the folder that an option names; standard output stays what it is. */
function storedIn(
  folders: readonly ShellWord[],
  words: readonly ShellWord[],
  context: Context,
): readonly ShellWord[] {
  if (folders.length === 0) return words
  const files = words.filter(({ text }) => text !== '-')
  return belowEach(folders, files, context)
}
