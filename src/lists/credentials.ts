/** Where secrets live (sandbox.md §3). A trailing `*` in a name stands for any ending. */

/** Stores below a home directory, files and folders alike. */
export const HOME_CREDENTIALS: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.config/gcloud',
  '.config/gh',
  '.config/anthropic',
  '.config/git/credentials',
  '.config/op',
  '.config/Bitwarden CLI',
  '.config/google-chrome',
  '.config/chromium',
  '.config/opencode/auth.json',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.cargo/credentials*',
  '.git-credentials',
  '.codex/auth.json',
  '.claude/.credentials.json',
  '.claude.json',
  '.gemini/oauth_creds.json',
  '.local/share/opencode/auth.json',
  '.local/share/keyrings',
  '.terraform.d',
  '.password-store',
  '.bitwarden',
  '.mozilla',
  '.vault-token',
  '.m2/settings.xml',
  '.m2/settings-security.xml',
  '.gradle/gradle.properties',
  '.gem/credentials',
  '.composer/auth.json',
  '.config/composer/auth.json',
  '.databrickscfg',
  '.snowflake',
  '.pgpass',
  '.my.cnf',
  '.yarnrc.yml',
  'Library/Keychains',
  'Library/Application Support/Google/Chrome',
  'Library/Application Support/Firefox',
  'AppData/Roaming/Microsoft/Credentials',
  'AppData/Local/Microsoft/Credentials',
]

/** Names that hold secrets at any depth of a workspace, files and folders alike. */
export const WORKSPACE_CREDENTIALS: readonly string[] = [
  '.env',
  '.env.*',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.git-credentials',
]

/** Variables that move a store of credentials: each names a file or a folder, `store` what lies in it. */
export const RELOCATED_CREDENTIALS: readonly {
  readonly variable: string
  readonly store?: string | undefined
}[] = [
  { variable: 'AWS_SHARED_CREDENTIALS_FILE' },
  { variable: 'AWS_CONFIG_FILE' },
  { variable: 'AZURE_CONFIG_DIR' },
  { variable: 'CLOUDSDK_CONFIG' },
  { variable: 'GOOGLE_APPLICATION_CREDENTIALS' },
  { variable: 'KUBECONFIG' },
  { variable: 'DOCKER_CONFIG' },
  { variable: 'GNUPGHOME' },
  { variable: 'GH_CONFIG_DIR' },
  { variable: 'NETRC' },
  { variable: 'PGPASSFILE' },
  { variable: 'NPM_CONFIG_USERCONFIG' },
  { variable: 'PIP_CONFIG_FILE' },
  { variable: 'CODEX_HOME', store: 'auth.json' },
  { variable: 'CLAUDE_CONFIG_DIR', store: '.credentials.json' },
  { variable: 'CARGO_HOME', store: 'credentials.toml' },
  { variable: 'CARGO_HOME', store: 'credentials' },
  { variable: 'COMPOSER_HOME', store: 'auth.json' },
  { variable: 'TF_CLI_CONFIG_FILE' },
  { variable: 'PASSWORD_STORE_DIR' },
  { variable: 'XDG_CONFIG_HOME', store: 'gcloud' },
  { variable: 'XDG_CONFIG_HOME', store: 'gh' },
  { variable: 'XDG_CONFIG_HOME', store: 'git/credentials' },
  { variable: 'XDG_DATA_HOME', store: 'keyrings' },
]

/** Names of `WORKSPACE_CREDENTIALS` that are made to be shared. */
export const CREDENTIAL_TEMPLATES: readonly string[] = [
  '.env.example',
  '.env.sample',
  '.env.template',
]
