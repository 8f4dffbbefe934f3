import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { whenBrowser } from '../support/browser.js'
import { startTestApp } from '../support/test-app.js'

const elsewhere: Server[] = []

afterEach(() => {
  for (const server of elsewhere.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** An empty page of another origin. */
async function anotherOrigin(): Promise<string> {
  const server = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<!doctype html>'))
  elsewhere.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

whenBrowser((open) => {
  test('a page of another origin reads every header of the contract, and its preflight is answered', async () => {
    const api = await startTestApp({ sample: true })
    await api.publishExports()
    const { page, faults } = await open()
    await page.goto(await anotherOrigin())

    const { headers: exported } = await api.get('/api/v1/export?type=skills')
    const headers = await page.evaluate(
      async ({ url, file }) => {
        const read = async (path: string, init?: RequestInit) => {
          const answer = await fetch(`${url}${path}`, init)
          return { status: answer.status, names: [...answer.headers.keys()] }
        }
        return {
          list: await read('/api/skills?limit=1'),
          // A custom header requires a preflight.
          named: await read('/api/v1/stats', { headers: { 'X-Request-Id': 'from-a-page', 'If-None-Match': '"x"' } }),
          // So does a body of JSON.
          search: await read('/api/v1/skills/search', {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ q: `${'表'.repeat(1_990)} pdf`, limit: 1 }),
          }),
          part: await read(file, { headers: { Range: 'bytes=0-9' } }),
          refused: await read('/api/skills', { method: 'POST' }),
        }
      },
      { url: api.url, file: String(exported['content-location']) },
    )

    const always = ['ratelimit', 'ratelimit-policy', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
    expect(headers.list).toEqual({
      status: 200,
      names: expect.arrayContaining([...always, 'x-request-id', 'etag', 'link', 'cache-control', 'vary']),
    })
    expect(headers.named).toEqual({ status: 200, names: expect.arrayContaining([...always, 'age']) })
    expect(headers.search).toEqual({
      status: 200,
      names: expect.arrayContaining([...always, 'server-timing', 'link']),
    })
    expect(headers.part).toEqual({
      status: 206,
      names: expect.arrayContaining([
        ...['accept-ranges', 'content-disposition', 'content-length', 'content-range', 'content-location'],
        ...['last-modified', 'repr-digest', 'x-export-count', 'x-export-truncated', 'x-total-count'],
      ]),
    })
    expect(headers.refused).toEqual({ status: 405, names: expect.arrayContaining(['allow', 'x-request-id']) })
    // The browser itself reports the response to POST.
    expect(faults.filter((fault) => !fault.includes('405'))).toEqual([])
  }, 120_000)
})
