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

/**
 * What steers git from inside of a repository's folder: programs that it starts and places that it trusts.
 * Protected where the rest of the folder may be written, whether it exists or not. `worktrees` is guarded
 * apart from these.
 */
export const GIT_CONTROL: {
  readonly folders: readonly string[]
  readonly files: readonly string[]
} = {
  folders: ['hooks', 'modules', 'remotes', 'branches'],
  files: ['config', 'config.worktree', 'commondir', 'gitdir', 'info/attributes'],
}

/** The same in the folder of one worktree. */
export const GIT_WORKTREE_CONTROL: readonly string[] = ['config.worktree', 'commondir', 'gitdir']

/**
 * A rebase that stopped: its list of steps names commands that the next `git rebase --continue` runs. Protected
 * where it exists; where it does not a command may begin one.
 */
export const GIT_STOPPED: readonly string[] = ['rebase-merge', 'rebase-apply']
