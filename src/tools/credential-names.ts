/** Names that hold credentials or no sources, which a broad search leaves out (sandbox.md §3). Data only. */

/** Files, compared without case. */
const CREDENTIAL_FILES: ReadonlySet<string> = new Set([
  ...[
    '.netrc',
    '_netrc',
    '.npmrc',
    '.pypirc',
    '.git-credentials',
    '.claude.json',
    '.pgpass',
    '.my.cnf',
  ],
  ...['.htpasswd', '.dockercfg', '.envrc', '.yarnrc.yml', 'credentials', 'credentials.toml'],
  ...['credentials.json', '.credentials.json', 'oauth_creds.json', 'auth.json', 'id_rsa', 'id_dsa'],
  ...['id_ecdsa', 'id_ed25519', 'secrets.yml', 'secrets.yaml', 'secrets.json', 'terraform.tfstate'],
])

/** Folders, compared without case. */
const CREDENTIAL_FOLDERS: ReadonlySet<string> = new Set([
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.terraform.d', '.password-store'],
  ...['keyrings', 'keychains', 'gcloud'],
])

/** Folders of tools and packages, which a search skips without a word. */
const UNSEARCHED_FOLDERS: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', 'node_modules'])

const ENVIRONMENT_EXAMPLES: ReadonlySet<string> = new Set([
  ...['.env.example', '.env.sample', '.env.template'],
])

/** True for a file or folder name that a broad search must not open. */
export function isCredentialName(name: string, kind: 'file' | 'directory'): boolean {
  // As deny compares: no case, no trailing dots or blanks.
  const plain = withoutTail(name.toLowerCase())
  if (kind === 'directory') return CREDENTIAL_FOLDERS.has(plain)
  if (plain === '.env' || (plain.startsWith('.env.') && !ENVIRONMENT_EXAMPLES.has(plain)))
    return true
  return (
    CREDENTIAL_FILES.has(plain) || /\.(?:pem|key|p12|pfx|jks|keystore|keytab|kdbx)$/.test(plain)
  )
}

function withoutTail(name: string): string {
  let end = name.length
  while (end > 0 && '. '.includes(name.charAt(end - 1))) end -= 1
  return name.slice(0, end)
}

/** True for folders whose files are nobody's sources. */
export function isUnsearched(folder: string): boolean {
  return UNSEARCHED_FOLDERS.has(folder)
}
