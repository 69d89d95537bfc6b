/** Names at the top of a workspace that steer tools, editors, hooks and builds (sandbox.md §3). */

/** Folders, relative to the workspace; everything below them is protected as well. */
export const PROTECTED_DIRECTORIES: readonly string[] = [
  '.git',
  '.sixgate',
  '.a3s',
  '.agents',
  '.codex',
  '.claude',
  '.cursor',
  '.gemini',
  '.opencode',
  '.vscode',
  '.idea',
  '.zed',
  '.husky',
  '.devcontainer',
  '.github/workflows',
  '.circleci',
]

/** Files, relative to the workspace. */
export const PROTECTED_FILES: readonly string[] = [
  '.gitmodules',
  '.gitconfig',
  '.mcp.json',
  '.ripgreprc',
  '.bashrc',
  '.bash_profile',
  '.zshrc',
  '.zprofile',
  '.profile',
  '.envrc',
  '.pre-commit-config.yaml',
  '.gitlab-ci.yml',
  'Jenkinsfile',
  '.pnpmfile.cjs',
  '.yarnrc.yml',
  'opencode.json',
  'policy.jsonc',
]

/** Names that are protected at any depth: nested repositories. */
export const PROTECTED_ANYWHERE: readonly string[] = ['.git']

/** Not `@protected`, yet a write to one escalates: models take them for orders. */
export const INSTRUCTION_FILES: readonly string[] = [
  'AGENTS.md',
  'CLAUDE.md',
  'GEMINI.md',
  '.cursorrules',
]

/** Protected files that package managers read where a package is: an empty folder would stop them. */
export const READ_BY_PACKAGE_MANAGERS: readonly string[] = ['.pnpmfile.cjs', '.yarnrc.yml']
