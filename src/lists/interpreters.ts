/** Programs whose arguments are programs (rules.md §2, §6): a rule for one is a rule for everything. Data only. */

/** Shells of every kind. */
export const SHELL_PROGRAMS: readonly string[] = [
  ...['sh', 'bash', 'rbash', 'dash', 'ash', 'ksh', 'mksh', 'zsh', 'fish', 'csh', 'tcsh', 'nu'],
  ...['xonsh', 'elvish', 'pwsh', 'powershell', 'cmd', 'wsl'],
]

/** Languages, and programs that evaluate text of theirs. */
export const INTERPRETER_PROGRAMS: readonly string[] = [
  ...['python', 'pypy', 'ipython', 'node', 'nodejs', 'deno', 'bun', 'tsx', 'ruby', 'perl', 'php'],
  ...['lua', 'luajit', 'tclsh', 'wish', 'expect', 'java', 'jshell', 'osascript', 'rscript'],
  ...['julia', 'irb', 'ghci', 'guile', 'sqlite', 'awk', 'gawk', 'mawk', 'nawk', 'ed', 'ex', 'vi'],
  ...['vim', 'nvim', 'emacs', 'gdb', 'lldb'],
]

/** Programs that run the command in their arguments. */
export const WRAPPER_PROGRAMS: readonly string[] = [
  ...['env', 'genv', 'sudo', 'doas', 'su', 'runuser', 'pkexec', 'gosu', 'su-exec', 'xargs'],
  ...['gxargs', 'parallel', 'watch', 'eval', 'exec', 'command', 'builtin', 'trap', 'source'],
  ...['ssh', 'autossh', 'mosh', 'nohup', 'nice', 'ionice', 'chrt', 'taskset', 'timeout'],
  ...['gtimeout', 'time', 'gtime', 'setsid', 'stdbuf', 'script', 'busybox', 'toybox', 'flock'],
  ...['chroot', 'unshare', 'nsenter', 'systemd-run', 'strace', 'ltrace', 'caffeinate'],
  ...['xvfb-run', 'dbus-run-session', 'winpty', 'catchsegv', 'unbuffer', 'chronic', 'cross-env'],
  ...['cross-env-shell', 'dotenv', 'find', 'gfind', 'fd', 'fdfind', 'npx', 'pnpx', 'bunx', 'uvx'],
]

/** Subcommands that run a command: words after the program's name. */
export const RUNNING_SUBCOMMANDS: readonly string[] = [
  ...['npm exec', 'npm x', 'pnpm exec', 'pnpm dlx', 'yarn exec', 'yarn dlx', 'bun x', 'pipx run'],
  ...['uv run', 'poetry run', 'pipenv run', 'rye run', 'hatch run', 'pdm run', 'bundle exec'],
  ...['mise exec', 'asdf exec', 'direnv exec', 'docker exec', 'docker run', 'podman exec'],
  ...['podman run', 'docker compose exec', 'docker compose run', 'kubectl exec', 'kubectl run'],
]
