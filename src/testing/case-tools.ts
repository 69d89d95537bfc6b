/** The tools of a case: the built-in ones, and a generic one for the name that the case calls (rules.md §7). */

import { z } from 'zod'
import type { Tool } from '../contract/tool.js'
import type { Need } from '../core/need.js'
import { bash } from '../tools/builtin/bash.js'
import { edit } from '../tools/builtin/edit.js'
import { ls } from '../tools/builtin/ls.js'
import { patch } from '../tools/builtin/patch.js'
import { read } from '../tools/builtin/read.js'
import { search, SEARCH_MODES } from '../tools/builtin/search.js'
import { webFetch } from '../tools/builtin/web-fetch.js'
import { spawnAgent } from '../tools/builtin/spawn-agent.js'
import { write } from '../tools/builtin/write.js'
import { defineTool } from '../tools/define-tool.js'
import { unstatedNeeds } from '../tools/unstated-needs.js'
import type { CaseTool, PolicyCase } from './case-format.js'

/** Nobody runs a child here: a case asks what is decided, not what comes of it. */
const agent = spawnAgent(() => Promise.resolve(''))

const BUILT_IN: readonly Tool[] = [agent, bash, edit, ls, patch, read, anySearch(), webFetch, write]

/** Throws `ConfigError` for a name that no tool can have. */
export function caseTools({ context, call }: PolicyCase): readonly Tool[] {
  const declared = Object.entries(context.tools ?? {})
  const known = [...BUILT_IN.map(({ name }) => name), ...declared.map(([name]) => name)]
  const unknown = known.includes(call.tool) ? [] : [[call.tool, {}] as const]
  return [...BUILT_IN, ...[...declared, ...unknown].map(([name, tool]) => generic(name, tool))]
}

/** The built-in `search`, judged in modes as well that its executor does not have. */
function anySearch(): Tool {
  return defineTool({
    ...search,
    inputSchema: z.looseObject({
      mode: z.enum([...SEARCH_MODES, 'bm25']),
      query: z.string().min(1),
      path: z.string().min(1).optional(),
    }),
    needs: ({ mode, ...rest }) => {
      const [, ...paths] = search.needs({ ...rest, mode: 'grep' })
      const words = [mode, rest.query, ...(rest.path === undefined ? [] : [rest.path])]
      return [{ kind: 'text', text: words.join(' ') }, ...paths]
    },
    execute: undefined,
  })
}

/** States what nobody stated for it: an effect outside, an unknown host, its arguments as text (H-05). */
function generic(name: string, { annotations, paths }: CaseTool): Tool {
  return defineTool({
    name,
    inputSchema: z.looseObject({}),
    annotations,
    needs: (args: Readonly<Record<string, unknown>>): readonly Need[] =>
      paths === undefined
        ? unstatedNeeds(args)
        : paths.flatMap(({ arg, access }) => at(args[arg], access)),
  })
}

function at(path: unknown, access: 'read' | 'write'): readonly Need[] {
  return typeof path === 'string' ? [{ kind: 'path', access, path }] : []
}
