/** Variables that name a toolchain's folder: passed on, and readable inside (reference 2.4). Data only. */

/** Each names one absolute folder. */
export const TOOLCHAIN_VARIABLES = [
  'CARGO_HOME',
  'RUSTUP_HOME',
  'GOPATH',
  'GOROOT',
  'GOMODCACHE',
  'NVM_DIR',
  'FNM_DIR',
  'VOLTA_HOME',
  'BUN_INSTALL',
  'DENO_DIR',
  'PNPM_HOME',
  'PYENV_ROOT',
  'RBENV_ROOT',
  'JAVA_HOME',
  'GRADLE_USER_HOME',
  'MAVEN_HOME',
  'SDKROOT',
  'DEVELOPER_DIR',
] as const

/** Names inside such a folder that hold credentials and stay masked. */
export const TOOLCHAIN_SECRETS = [
  'credentials',
  'credentials.toml',
  'gradle.properties',
  'settings.xml',
  'settings-security.xml',
  '.npmrc',
  '.netrc',
  '.git-credentials',
  '.pypirc',
] as const
