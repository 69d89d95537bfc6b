/** Text for PowerShell and cmd: an analyzer of the host may tighten, and nothing of it is ever proof (rules.md §5 item 9). */

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../src/tools/define-tool.js'
import { runs, type ShellAnalyzer } from '../../src/tools/runs.js'
import { decide } from '../rules/judge.js'

/** Knows one alias and one way to read a file, which is enough to show what becomes of it. */
const analyzer: ShellAnalyzer = (text) => {
  const [name = '', ...args] = text.split(' ')
  if (name === 'throw') throw new TypeError('no text that it knows')
  const argv = [name === 'ri' ? 'Remove-Item' : name, ...args]
  const operations = args.map((path) => ({ access: 'read', path, origin: 'operand' }) as const)
  return { commands: [{ argv }], refusals: [], operations }
}

async function decided(text: string, rules: readonly string[], given = true): Promise<string> {
  const tool = defineTool({
    name: 'pwsh',
    inputSchema: z.object({ text: z.string() }),
    runsIn: 'sandbox',
    needs: (args) =>
      runs(args.text, { shell: 'powershell', analyzer: given ? analyzer : undefined }),
    execute: () => null,
  })
  const policy = { rules: [...rules] }
  return (await decide({ tool: 'pwsh', args: { text } }, { tools: [tool], policy }))[0]
}

describe('an analyzer of another shell', () => {
  it('lets a deny meet a command by its own name, a path and the raw text', async () => {
    expect(await decided('ri a.txt', ['allow pwsh', 'deny pwsh(Remove-Item:*)'])).toBe('deny')
    expect(await decided('cat k.txt', ['allow pwsh', 'deny read(k.txt)'])).toBe('deny')
    expect(await decided('x; ri a.txt', ['allow pwsh', 'deny pwsh(ri:*)'])).toBe('deny')
  })

  it('makes no allow cover what it understood', async () => {
    expect(await decided('cat a.txt', ['allow pwsh', 'allow pwsh(cat:*)'])).toBe('ask')
    expect(await decided('cat a.txt', ['allow pwsh(cat:*)'], false)).toBe('ask')
  })

  it('denies the call where it throws', async () => {
    expect(await decided('throw', ['allow pwsh'])).toBe('deny')
  })
})
