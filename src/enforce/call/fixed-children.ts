/** Calls that the host fixed when it started one of its own (pipeline.md §4 "Origins"): these alone are its own too. */

import type { CallId } from '../../core/ids.js'
import { copyJson } from '../../encoding/plain-json.js'
import { contentOf } from '../../trace/content.js'
import type { Submission } from './submission.js'

/** Each can be made once; a replay of one that was made is the same call. */
export interface FixedChildren {
  /** True for a call that equals one of them: its tool, and every byte of its arguments. */
  readonly takes: (submission: Submission) => boolean
  /** True for a call that could be taken now. */
  readonly holds: (submission: Submission) => boolean
}

/** Pins tools and arguments now. What is no plain JSON is nothing that was fixed. */
export function fixedChildren(given: unknown): FixedChildren {
  const copies = copyJson(given)
  const left = copies.ok && Array.isArray(copies.value) ? copies.value.flatMap(keysOf) : []
  const made = new Map<CallId, string>()
  const holds = ({ tool, argsRef, callId, cwd, defect }: Submission): boolean => {
    // A folder of its own was never fixed.
    if (defect !== null || cwd !== null) return false
    const key = keyOf(tool, argsRef.d)
    return made.get(callId) === key || left.includes(key)
  }
  return {
    holds,
    takes(submission) {
      if (!holds(submission)) return false
      const { tool, argsRef, callId } = submission
      const key = keyOf(tool, argsRef.d)
      if (made.get(callId) === key) return true
      left.splice(left.indexOf(key), 1)
      made.set(callId, key)
      return true
    },
  }
}

function keysOf(given: unknown): readonly string[] {
  const { tool, args } = Object(given) as { readonly tool?: unknown; readonly args?: unknown }
  const copy = copyJson(args)
  return typeof tool === 'string' && copy.ok ? [keyOf(tool, contentOf(copy.value).d)] : []
}

function keyOf(tool: string, args: string): string {
  return JSON.stringify([tool, args])
}
