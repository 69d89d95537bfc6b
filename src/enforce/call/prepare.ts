/** From a submission to a call that layers can judge (pipeline.md §3). */

import type { CallDefect, Origin, ToolCall } from '../../core/call.js'
import type { SessionId } from '../../core/ids.js'
import type { Json } from '../../core/json.js'
import { copyJson } from '../../encoding/plain-json.js'
import { contentOf } from '../../trace/content.js'
import type { ContentRef } from '../../trace/records.js'
import type { Surroundings } from '../surroundings.js'
import { capabilitiesOf, checkNeeds } from './needs.js'
import type { RegisteredTool } from './registry.js'
import type { Submission } from './submission.js'
import { realFolder } from './subjects.js'

/** What hooks made of the arguments, on record beside what was submitted. */
export interface Rewriting {
  /** The hooks that changed something, in their order. */
  readonly by: readonly string[]
  readonly args: ContentRef
}

/** A call with everything that its execution will use. */
export interface Prepared {
  readonly call: ToolCall
  readonly submission: Submission
  /** Absent for an unknown tool. */
  readonly registered: RegisteredTool | null
  /** What the schema was given: the submitted arguments, or what hooks made of them. */
  readonly input: Json
  readonly rewritten: Rewriting | null
  /** What the executor gets: the schema's output, deep-frozen. */
  readonly args: Json
  /** Set when the schema changed the arguments. */
  readonly effective: ContentRef | null
  /** For a person, when the call has a defect. */
  readonly detail: string | null
}

/** Never rejects for anything in the call: what cannot be judged is a defect that layer 1 denies. */
export async function prepare(
  submission: Submission,
  { origin, registered }: { readonly origin: Origin; readonly registered: RegisteredTool | null },
  session: { readonly id: SessionId; readonly cwd: string; readonly around: Surroundings },
): Promise<Prepared> {
  const { around } = session
  const cwd = await realFolder(submission.cwd ?? session.cwd, around)
  const place = { sessionId: session.id, origin, cwd: cwd ?? around.roots.workspace }
  const judged = judge(submission, registered, { cwd, input: submission.args })
  return assemble(
    { submission, registered, place, input: submission.args, rewritten: null },
    judged,
  )
}

/** The same call with other arguments, checked like the first ones: tool, origin and folder stay. */
export function rewrite(prepared: Prepared, input: Json, hook: string): Prepared {
  const { submission, registered, call } = prepared
  const judged = judge(submission, registered, { cwd: call.cwd, input })
  const by = [...(prepared.rewritten?.by ?? []), hook]
  const rewritten = { by, args: contentOf(input) }
  return assemble({ submission, registered, place: call, input, rewritten }, judged)
}

type Parts = Pick<Prepared, 'submission' | 'registered' | 'input' | 'rewritten'> & {
  readonly place: Pick<ToolCall, 'sessionId' | 'origin' | 'cwd'>
}

function assemble({ place, ...parts }: Parts, judged: Judged): Prepared {
  const { submission, registered, rewritten } = parts
  const needs = judged.ok ? judged.needs : []
  const call: ToolCall = {
    callId: submission.callId,
    sessionId: place.sessionId,
    origin: place.origin,
    tool: registered?.tool.name ?? submission.tool,
    runsIn: registered?.tool.runsIn ?? 'process',
    annotations: registered?.tool.annotations ?? null,
    cwd: place.cwd,
    needs,
    capabilities: judged.ok ? capabilitiesOf(needs, registered?.tool.always ?? []) : [],
    defect: judged.ok ? null : judged.defect,
  }
  return {
    ...parts,
    call,
    args: judged.ok ? judged.args : null,
    effective: judged.ok ? effectiveOf(judged.args, rewritten?.args ?? submission.argsRef) : null,
    detail: judged.ok ? null : judged.detail,
  }
}

type Judged =
  | { readonly ok: true; readonly args: Json; readonly needs: ToolCall['needs'] }
  | { readonly ok: false; readonly defect: CallDefect; readonly detail: string }

function judge(
  submission: Submission,
  registered: RegisteredTool | null,
  { cwd, input }: { readonly cwd: string | null; readonly input: Json },
): Judged {
  if (submission.defect !== null) return defect('builtin:invalid_args', submission.defect)
  if (registered === null) return defect('builtin:unknown_tool', `no tool \`${submission.tool}\``)
  if (!registered.isUnchanged()) {
    return defect('builtin:tool_changed', `the definition of \`${submission.tool}\` changed`)
  }
  if (cwd === null)
    return defect('builtin:invalid_args', 'the working folder is not in the workspace')
  const args = validate(input, registered)
  if (!args.ok) return args
  return stateNeeds(args.value, registered)
}

/** The schema's output goes through the same guard as the arguments did. */
function validate(
  args: Json,
  { tool }: RegisteredTool,
): { readonly ok: true; readonly value: Json } | (Judged & { readonly ok: false }) {
  try {
    const result = tool.inputSchema['~standard'].validate(args)
    if (result instanceof Promise) {
      result.catch(() => undefined) // its verdict comes too late; the call is denied either way
      return defect('builtin:invalid_args', 'the schema does not answer synchronously')
    }
    if (result.issues !== undefined) {
      return defect('builtin:invalid_args', result.issues.map((issue) => issue.message).join('; '))
    }
    const copy = copyJson(result.value)
    if (copy.ok) return { ok: true, value: copy.value }
    return defect('builtin:invalid_args', `the schema's output is no plain JSON at \`${copy.at}\``)
  } catch (cause) {
    // A schema that throws has not accepted the arguments.
    return defect('builtin:invalid_args', `the schema threw \`${nameOf(cause)}\``)
  }
}

function stateNeeds(args: Json, { tool }: RegisteredTool): Judged {
  try {
    const stated: unknown = tool.needs(args as never)
    // No list, so the call is denied; what it rejects with afterwards must not end the host.
    if (stated instanceof Promise) stated.catch(() => undefined)
    const checked = checkNeeds(stated, tool.runsIn)
    return checked.ok ? { ok: true, args, needs: checked.needs } : checked
  } catch (cause) {
    // A tool that cannot say what it needs is not run.
    return defect('builtin:invalid_needs', `\`needs\` threw \`${nameOf(cause)}\``)
  }
}

function effectiveOf(args: Json, given: ContentRef): ContentRef | null {
  const ref = contentOf(args)
  return ref.d === given.d ? null : ref
}

function defect(code: CallDefect, detail: string): Judged & { readonly ok: false } {
  return { ok: false, defect: code, detail }
}

function nameOf(cause: unknown): string {
  return cause instanceof Error ? cause.name : typeof cause
}
