import { expect, it } from 'vitest'
import * as tools from './entry.js'

it('exports the built-in tools under their names, each complete and frozen', () => {
  const { bash, read, write, edit, search, ls, webFetch } = tools
  const all = [bash, read, write, edit, search, ls, webFetch]

  expect(all.map(({ name }) => name)).toEqual([
    ...['bash', 'read', 'write', 'edit', 'search', 'ls', 'web_fetch'],
  ])
  expect(all.every((tool) => Object.isFrozen(tool) && tool.execute !== undefined)).toBe(true)
  expect(Object.keys(tools)).toEqual(expect.arrayContaining(['runs', 'unstatedNeeds']))
})
