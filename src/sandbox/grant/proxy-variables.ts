/** How programs are told of the only way out (sandbox.md §7). */

/** In both cases of letters, for everything, without exceptions; Node's own clients must be told to look. */
export function proxyVariables(proxy: string): Readonly<Record<string, string>> {
  const named = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [
    [name, proxy] as const,
    [name.toLowerCase(), proxy] as const,
  ])
  return { ...Object.fromEntries(named), NO_PROXY: '', no_proxy: '', NODE_USE_ENV_PROXY: '1' }
}
