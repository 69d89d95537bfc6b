import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callTool, validated } from '../../../test/builders/tool-call.js'
import { webFetch } from './web-fetch.js'

const server = createServer((request, response) => {
  if (request.url === '/away') {
    return response.writeHead(302, { location: 'https://elsewhere.example/?key=hunter2' }).end()
  }
  return response.writeHead(200, { 'content-type': 'text/plain' }).end('a\x1b[1mb\u202ec')
})
let base = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

describe('web_fetch', () => {
  it('needs the host with port and path', () => {
    expect(webFetch.name).toBe('web_fetch')
    expect(webFetch.needs({ url: 'https://example.com/a' })).toEqual([
      { kind: 'host', host: 'example.com', port: 443, path: '/a' },
    ])
  })

  it.each([{}, { url: 7 }, { url: '' }])('does not accept %j', async (args) => {
    expect(await validated(webFetch, args)).toBeUndefined()
  })

  it('returns cleaned text', async () => {
    const result = await callTool(webFetch, { url: `${base}/x` }, { workspace: tmpdir() })

    expect(result).toEqual({
      url: `${base}/x`,
      status: 200,
      contentType: 'text/plain',
      text: 'abc',
      truncated: false,
    })
  })

  it('names the host of a refused redirect and nothing else of it', async () => {
    const answer = callTool(webFetch, { url: `${base}/away` }, { workspace: tmpdir() })

    await expect(answer).rejects.toMatchObject({
      code: 'cross_host_redirect',
      message: expect.stringMatching(/`https:\/\/elsewhere\.example`(?!.*hunter2)/) as string,
    })
  })
})
