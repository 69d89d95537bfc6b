/** Calls that the host fixed when it started one of its own (pipeline.md §4 "Origins"): these alone are its own too. */

import type { CallId } from '../../core/ids.js'
import { copyJson } from '../../encoding/plain-json.js'
import { contentOf } from '../../trace/content.js'
import type { Submission } from './submission.js'

/** Each can be made once; a replay of one that was made is the same call. */
export interface FixedChildren {
  /** True for a call that equals one of them: its tool, and every byte of its arguments. */
  readonly takes: (submission: Submission) => boolean
}

/** Pins tools and arguments now. What is no plain JSON is nothing that was fixed. */
export function fixedChildren(
  given: readonly { readonly tool: string; readonly args: unknown }[],
): FixedChildren {
  const left: string[] = given.flatMap(({ tool, args }) => {
    const copy = copyJson(args)
    return copy.ok ? [keyOf(tool, contentOf(copy.value).d)] : []
  })
  const made = new Map<CallId, string>()
  return {
    takes({ tool, argsRef, callId, cwd, defect }) {
      // A folder of its own was never fixed.
      if (defect !== null || cwd !== null) return false
      const key = keyOf(tool, argsRef.d)
      if (made.get(callId) === key) return true
      const at = left.indexOf(key)
      if (at === -1) return false
      left.splice(at, 1)
      made.set(callId, key)
      return true
    },
  }
}

function keyOf(tool: string, args: string): string {
  return JSON.stringify([tool, args])
}
