/** The finished part of a dialogue (delegation.md §1): what a fork begins with. */

import type { Json, JsonObject } from '../../core/json.js'

/**
 * Drops tool calls that have no result in the dialogue. Calls are found where hosts keep them: in
 * `tool_calls` (by `id`) and in `content` parts of type `tool_use` or `tool-call`; results by
 * `tool_call_id`, `tool_use_id` or `toolCallId`. A message that loses all it had is dropped as well.
 */
export function finishedDialogue(history: readonly Json[]): readonly Json[] {
  const answered = new Set<string>()
  for (const message of history) for (const id of resultsOf(message)) answered.add(id)
  const finished = history.flatMap((message) => settled(message, answered))
  return Object.freeze(finished)
}

const RESULT_KEYS = ['tool_call_id', 'tool_use_id', 'toolCallId'] as const

function resultsOf(message: Json): readonly string[] {
  if (!isObject(message)) return []
  const own = message['role'] === 'tool' ? idsOf(message) : []
  return [...own, ...partsOf(message).filter(isResult).flatMap(idsOf)]
}

function idsOf(value: JsonObject): readonly string[] {
  return RESULT_KEYS.flatMap((key) => (typeof value[key] === 'string' ? [value[key]] : []))
}

function settled(message: Json, answered: ReadonlySet<string>): readonly Json[] {
  if (!isObject(message)) return [message]
  const calls = message['tool_calls']
  const keptCalls = Array.isArray(calls)
    ? (calls as readonly Json[]).filter((call) => isAnswered(call, 'id', answered))
    : calls
  const content = message['content']
  const keptContent = Array.isArray(content)
    ? (content as readonly Json[]).filter(
        (part) => !isCall(part) || isAnswered(part, callKey(part), answered),
      )
    : content
  const lost = isShorter(calls, keptCalls) || isShorter(content, keptContent)
  if (!lost) return [message]
  const isEmpty = isNothing(keptCalls) && isNothing(keptContent)
  if (isEmpty) return []
  const kept = {
    ...message,
    ...(keptCalls === undefined ? {} : { tool_calls: frozen(keptCalls) }),
    ...(keptContent === undefined ? {} : { content: frozen(keptContent) }),
  }
  return [Object.freeze(kept)]
}

/** A list that was filtered is a new one; what is in it was frozen with the dialogue. */
function frozen(value: Json): Json {
  return Object.freeze(value)
}

function partsOf(message: JsonObject): readonly JsonObject[] {
  const content = message['content']
  return Array.isArray(content) ? (content as readonly Json[]).filter(isObject) : []
}

function isResult(part: JsonObject): boolean {
  return part['type'] === 'tool_result' || part['type'] === 'tool-result'
}

function isCall(part: Json): part is JsonObject {
  return isObject(part) && (part['type'] === 'tool_use' || part['type'] === 'tool-call')
}

function callKey(part: JsonObject): string {
  return part['type'] === 'tool-call' ? 'toolCallId' : 'id'
}

function isAnswered(call: Json, key: string, answered: ReadonlySet<string>): boolean {
  const id = isObject(call) ? call[key] : undefined
  return typeof id === 'string' && answered.has(id)
}

function isShorter(before: Json | undefined, after: Json | undefined): boolean {
  return Array.isArray(before) && Array.isArray(after) && after.length < before.length
}

function isNothing(value: Json | undefined): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  )
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
