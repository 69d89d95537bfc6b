/** One more host for a call that runs (api.md `hosts.authorize`): a nested call of the same tool, on record. */

import type { Outcome } from '../../contract/outcome.js'
import type { StandardSchema } from '../../contract/standard-schema.js'
import type { Need } from '../../core/need.js'
import { reaches } from '../../core/need.js'
import { dispatch } from '../dispatch.js'
import { evaluate } from '../evaluate.js'
import type { LiveCall, LiveSession } from '../live-session.js'
import { cancelledBeforeStart } from '../messages.js'
import type { RegisteredTool } from './registry.js'

/**
 * Everything again: hooks, network, rules, approval. An admitted host is a step of its own, whose
 * executor does nothing: the call that asked goes there. Never rejects.
 */
export async function authorizeHost(
  session: LiveSession,
  within: LiveCall,
  url: string,
): Promise<Outcome> {
  const { registered } = within.prepared
  const { tool } = within.prepared.call
  const asking = registered === null ? {} : { registered: reaching(registered) }
  const outcome = await evaluate(
    session,
    { tool, args: { url } },
    { by: 'call', within, ...asking },
  )
  if (outcome.status !== 'admitted') return outcome
  const step = await dispatch(session, outcome.admission, { kind: 'inline', run: goesNowhere })
  if (step.status === 'ok') return outcome
  if (step.status === 'denied' || step.status === 'suspended') return step
  return cancelledBeforeStart(session.around.words, outcome.callId)
}

/**
 * The tool as it would be registered if reaching one host were all it did: an answer that comes later as a
 * ticket starts nothing either.
 */
function reaching(registered: RegisteredTool): RegisteredTool {
  const { tool } = registered
  const needs = (args: { readonly url: string }): readonly Need[] => reaches(args.url)
  return {
    ...registered,
    tool: Object.freeze({
      ...tool,
      runsIn: 'process',
      always: [],
      inputSchema: URL_ARGS,
      needs,
      execute: goesNowhere,
    }),
  }
}

function goesNowhere(): null {
  return null
}

/** The arguments are made here, by `authorizeHost`. */
const URL_ARGS: StandardSchema = {
  '~standard': { version: 1, vendor: 'sixgate', validate: (value: unknown) => ({ value }) },
}
