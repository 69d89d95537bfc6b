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

/** Names of the list above that are made to be shared. */
export const CREDENTIAL_TEMPLATES: readonly string[] = [
  '.env.example',
  '.env.sample',
  '.env.template',
]
