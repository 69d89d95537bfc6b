/** The first program inside the boundary: it says that it got there and becomes the command (sandbox.md §2). */

/** The descriptor on which it says so. */
export const STATUS_DESCRIPTOR = 3

/** Part of macOS; every shell command of a session runs in it anyway. */
const SHELL = '/bin/bash'

// The word is said before the descriptor is closed for good, so that the command cannot say it, and after
// the program was found: whoever hears nothing knows that nothing ran. `-p` ignores functions and options
// that the environment brings along. What else is open than the standard streams is closed, too.
const SCRIPT = `
for open in /dev/fd/*; do
  open=\${open##*/}
  case $open in
    [0-${STATUS_DESCRIPTOR}] | *[!0-9]*) ;;
    *) eval "exec $open>&-" ;;
  esac
done
case $1 in
  */*) [[ -f $1 && -x $1 ]] ;;
  *) type -P -- "$1" > /dev/null ;;
esac || { printf '%s: no such program\\n' "$1" >&2; exit 127; }
printf '{"child-pid":%s}\\n' "$$" >&${STATUS_DESCRIPTOR}
exec ${STATUS_DESCRIPTOR}>&-
exec -- "$@"
`

/** The words that start `argv`: in place, as the same process. */
export function startWords(argv: readonly string[]): readonly string[] {
  return [SHELL, '-p', '-c', SCRIPT, 'start', ...argv]
}
