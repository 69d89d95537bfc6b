/** What the demonstration states, each line checked against the records and the host's own files. */

/** The last node of every call and its terminal event. Without a sandbox each sandboxed call ends there. */
export function expectedEnds({ isReady, isApproved }) {
  const unavailable = 'denied: sandbox deny builtin:sandbox_unavailable'
  const sandboxed = isReady
    ? 'dispatch_started: sandbox allow builtin:driver.bubblewrap'
    : unavailable
  const inProcess = 'dispatch_started: sandbox no_match null'
  return {
    list: inProcess,
    read: inProcess,
    show: sandboxed,
    'test-before': sandboxed,
    search: inProcess,
    fix: 'dispatch_started: sandbox allow builtin:inside_profile',
    'test-after': sandboxed,
    review: inProcess,
    'write-outside': 'denied: sandbox deny builtin:outside_profile',
    'copy-outside': sandboxed,
    fetch: 'denied: network deny builtin:network_off',
    connect: sandboxed,
    key: 'denied: user_rule deny builtin:credential',
    wipe: 'denied: user_rule deny no-wipe',
    remove: isReady && !isApproved ? 'denied: approval_response deny default:prompt' : sandboxed,
    commit: 'denied: user_rule deny no-commit',
    'commit-hidden': 'denied: user_rule deny no-commit',
    records: 'denied: guard deny builtin:control_plane',
  }
}

/** Claims about effects, by what they say. */
export function effectClaims({ isReady, isApproved, asked, results, project, connections }) {
  const exit = (id) => results.get(id).value?.exitCode
  return {
    'the file beside the workspace is untouched': project.isHostFileUntouched(),
    'the bug is fixed on the host': project.text('src/total.mjs').includes('sum + price'),
    ...(isReady
      ? { 'exactly one question was asked': asked === 1 }
      : { 'nobody was asked in vain': asked === 0 }),
    'the old notes are gone exactly if somebody said yes':
      project.has('notes/old.md') !== (isReady && isApproved),
    'the listener on the host was reached by the host alone': connections === 1,
    ...(isReady && {
      'the tests failed before the fix': exit('test-before') === 1,
      'the tests passed after it': exit('test-after') === 0,
      'the command that copies outside failed inside': exit('copy-outside') === 1,
      'the command that connects found no network': exit('connect') === 1,
    }),
  }
}
