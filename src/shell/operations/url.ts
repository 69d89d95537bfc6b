/** The host in a word: a URL, `user@host:path`, or a bare name (rules.md §5 item 6). */

import type { HostOperation } from '../../core/need.js'
import type { ShellWord } from '../unfold/word.js'

const UNKNOWN: HostOperation = { host: null }
const PORTS: Readonly<Record<string, number>> = {
  http: 80,
  https: 443,
  ftp: 21,
  ssh: 22,
  git: 9418,
}

/** The host of a URL whose scheme may be left out; unknown where it is filled in later. */
export function hostOfUrl(word: ShellWord): readonly HostOperation[] {
  const { text } = word
  const scheme = SCHEME.exec(text)?.[1] ?? 'http'
  const rest = text.replace(SCHEME, '')
  const [authority = ''] = rest.split(/[/?#]/, 1)
  const path = rest.slice(authority.length)
  const host = authority.replace(/^.*@/s, '')
  if (host === '' || /[${}()*?[\]]/.test(host.replace(/^\[[0-9a-fA-F:.]+\]/, ''))) return [UNKNOWN]
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(host) ?? []
  if (name === '') return [UNKNOWN]
  const number = port === undefined ? PORTS[scheme.toLowerCase()] : Number(port)
  const known =
    word.dynamic && path.includes('$')
      ? {}
      : { path: path === '' ? '/' : (path.split(/[?#]/, 1)[0] ?? '') }
  return [{ host: name.toLowerCase(), ...(number === undefined ? {} : { port: number }), ...known }]
}

/** The host of `user@host:path`, of a URL, or the word itself. */
export function hostOfTarget(word: ShellWord): readonly HostOperation[] {
  if (word.text.includes('://')) return hostOfUrl(word)
  const host = word.text.replace(/^[^@/]*@/, '').split(':', 1)[0] ?? ''
  return host === '' || /[^A-Za-z0-9._-]/.test(host) ? [UNKNOWN] : [{ host: host.toLowerCase() }]
}

const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//
