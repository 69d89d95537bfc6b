/** What the demonstration states of the child, each line checked against records, processes and files. */

import { tightenings } from './ledger.mjs'

/** How long the child's command would have waited. */
const WAIT_MS = 30_000

/** The last node of every call of the child and its terminal event. */
export function expectedChildEnds({ isReady }) {
  const unavailable = 'denied: sandbox deny builtin:sandbox_unavailable'
  return {
    'child-read': 'dispatch_started: sandbox no_match null',
    'child-notes': 'denied: user_rule deny deny read(notes/**)',
    'child-write': 'denied: work_mode deny builtin:missing_capability',
    'child-look': isReady ? 'denied: approval_response deny default:never' : unavailable,
    'child-wait': isReady
      ? 'dispatch_started: sandbox allow builtin:driver.bubblewrap'
      : unavailable,
    'child-again': 'denied: user_rule deny deny bash(sleep:*)',
  }
}

/** Claims about effects, by what they say. */
export function childClaims({ isReady, child: { wait }, runs: [parent, child], project }) {
  const { open } = child
  const handed = parent.records.find(({ kind }) => kind === 'delegation')
  const changes = [parent, child].map((run) => tightenings(run).join())
  return {
    'the child left no file': !project.has('REVIEW.md'),
    "the child's run hangs under the call that made it":
      open.parent.session === parent.open.session && open.parent.call_id === 'review',
    'the parent has the child on record': handed.child_session === open.session,
    'the tightening is on record in both runs, once and the same':
      changes[0] === changes[1] && changes[0] === '{"rules":["deny bash(sleep:*)"]}',
    ...(isReady && {
      "the child's command ran when the parent was tightened": wait.started && wait.before === 1,
      'it was revoked at once': wait.status === 'revoked' && wait.ms < WAIT_MS / 2,
      'its process is gone': wait.gone,
    }),
  }
}
