import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { fetchText, type FetchedText, type FetchOptions } from './fetch.js'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function fetched(url: string, options: Partial<FetchOptions> = {}): Promise<FetchedText> {
  return fetchText(url, { signal: new AbortController().signal, ...options })
}

const fault = (name: string): unknown => expect.objectContaining({ name: 'ToolError', code: name })

/** A server that redirects n times within itself before it answers. */
const hops: RequestListener = (request, response) => {
  const left = Number(request.url?.slice(1) ?? 0)
  if (left > 0) return response.writeHead(302, { location: `/${left - 1}` }).end()
  return response.writeHead(200, { 'content-type': 'text/plain' }).end('arrived')
}

describe('fetchText', () => {
  it('returns text, status and type, without sending credentials', async () => {
    const base = await serve((request, response) => {
      response.writeHead(404, { 'content-type': 'text/html; charset=latin1' })
      response.end(Buffer.from(`\xe9 ${Object.keys(request.headers).join(' ')}`, 'latin1'))
    })

    const answer = await fetched(`${base}/x?y=1#z`)

    expect(answer).toMatchObject({ url: `${base}/x?y=1`, status: 404, truncated: false })
    expect(answer.text).toMatch(/^é /)
    expect(answer.text).not.toMatch(/authorization|cookie/)
  })

  it('follows ten redirects within the host and refuses the eleventh', async () => {
    const base = await serve(hops)

    expect(await fetched(`${base}/10`)).toMatchObject({ url: `${base}/0`, text: 'arrived' })
    await expect(fetched(`${base}/11`)).rejects.toEqual(fault('unreachable'))
  })

  it('refuses a redirect to another host or port without asking it, and names no query', async () => {
    let asked = 0
    const other = await serve((_request, response) => {
      asked += 1
      response.end('other')
    })
    for (const target of [other, other.replace('127.0.0.1', 'localhost')]) {
      const base = await serve((_request, response) =>
        response.writeHead(307, { location: `${target}/cb?token=hunter2` }).end(),
      )

      const answer = fetched(base)

      await expect(answer).rejects.toEqual(fault('cross_host_redirect'))
      await expect(answer).rejects.toThrow(expect.not.stringContaining('hunter2'))
    }
    expect(asked).toBe(0)
  })

  it.each(['ftp://127.0.0.1/', 'file:///etc/passwd', 'http://u:p@127.0.0.1/', '//['])(
    'refuses a redirect to %s',
    async (location) => {
      const base = await serve((_request, response) => response.writeHead(302, { location }).end())

      await expect(fetched(base)).rejects.toMatchObject({ name: 'ToolError' })
    },
  )

  it.each(['ftp://a.example', 'file:///x', 'data:,x', 'x', '', 'http://u:p@a.example/'])(
    'refuses the URL `%s`',
    async (url) => {
      await expect(fetched(url)).rejects.toEqual(fault('invalid_input'))
    },
  )

  it('cuts a body at the limit, however much would follow', async () => {
    const base = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      const timer = setInterval(() => response.write('x'.repeat(1000)), 1)
      response.on('close', () => clearInterval(timer))
    })

    const answer = await fetched(base, { maximumBytes: 2500 })

    expect(answer).toMatchObject({ text: 'x'.repeat(2500), truncated: true })
  })

  it.each(['image/png', 'application/octet-stream', 'application/zip'])(
    'refuses a body of type %s',
    async (type) => {
      const base = await serve((_request, response) =>
        response.writeHead(200, { 'content-type': type }).end('x'),
      )

      await expect(fetched(base)).rejects.toEqual(fault('not_text'))
    },
  )

  it('gives up when the server does not answer in time', async () => {
    const base = await serve(() => undefined)

    await expect(fetched(base, { timeoutMs: 50 })).rejects.toEqual(fault('timeout'))
  })

  it('ends with the call', async () => {
    const base = await serve(() => undefined)
    const call = new AbortController()
    const answer = fetched(base, { signal: call.signal })

    call.abort()

    await expect(answer).rejects.toBe(call.signal.reason)
  })

  it('says which host could not be reached', async () => {
    const base = await serve(hops)
    servers.pop()?.close()

    await expect(fetched(base)).rejects.toEqual(fault('unreachable'))
  })
})
