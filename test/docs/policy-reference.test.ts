/** Holds the reference page to the schema; `npx vitest run test/docs/policy-reference.test.ts -u` writes it anew. */

import { readFileSync } from 'node:fs'
import { format, resolveConfig } from 'prettier'
import { expect, it } from 'vitest'
import { referencePage } from '../../src/policy/schema/reference-page.js'
import { policySchema } from '../../src/policy/schema/policy-schema.js'

it('docs/policy-reference.md is the page that the schema gives', async () => {
  const style = await resolveConfig('docs/policy-reference.md')
  const page = await format(referencePage(), { ...style, parser: 'markdown' })

  await expect(page).toMatchFileSnapshot('../../docs/policy-reference.md')
})

it('the build writes the schema that the page is made from', () => {
  const built: unknown = JSON.parse(readFileSync('dist/schema.json', 'utf8'))

  expect(built).toEqual(JSON.parse(JSON.stringify(policySchema())))
})
