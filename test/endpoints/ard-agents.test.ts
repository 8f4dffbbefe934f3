import { describe, expect, test } from '@jest/globals'
import { postBody } from '../support/test-app.js'
import { type Entry, names, own, withSkills } from './ard-app.js'

const shared = withSkills()
const search = (query: object, more: object = {}) => postBody(`${shared().url}/search`, { query, ...more })

describe('GET /agents', () => {
  const list = (parameters: Record<string, string>) => shared().get(`/agents?${new URLSearchParams(parameters)}`)
  const listed = async (parameters: Record<string, string>) => {
    const { status, body } = await list(parameters)
    const { items, total } = body as { items: Entry[]; total: number }
    expect({ parameters, status, total }).toEqual({ parameters, status: 200, total: items.length })
    return names(items)
  }

  test('lists every skill once by page tokens', async () => {
    const found: string[] = []
    let rest: Record<string, string> = {}
    do {
      const { body } = await list({ pageSize: '3', orderBy: 'displayName', ...rest })
      const { items, total, pageToken } = body as { items: Entry[]; total: number; pageToken?: string }
      expect(total).toBe(4)
      found.push(...names(items))
      rest = pageToken === undefined ? {} : { pageToken }
    } while (rest['pageToken'] !== undefined)

    expect(found).toEqual(['beta:mail', 'beta:own', 'acme:kit:tables', 'beta:new'])
  })

  test('orders and filters by expressions', async () => {
    expect(await listed({ orderBy: 'name DESC', filter: "tags = 'pdf'" })).toEqual(['acme:kit:tables', 'beta:own'])
    expect((await listed({ orderBy: 'metadata.stars desc' }))[0]).toBe('acme:kit:tables')
    expect(
      await listed({
        filter: `type="application/ai-skill, text/plain" and publisherId : catalog.example AND updatedAfter > '2026-01-31'`,
      }),
    ).toEqual(['acme:kit:tables'])
    expect(await listed({ filter: "type = 'application/mcp-server-card+json'" })).toEqual([])
    expect(
      await listed({ filter: "metadata.owner = 'acme' AND metadata.license = 'MIT'", utm_source: 'x' }),
    ).toHaveLength(1)
  })

  test.each<[Record<string, string>, string, RegExp]>([
    [{ filter: 'type = a OR tags = b' }, 'filter', /^is not understood: write it as type = /],
    [{ filter: "tags = 'a' AND tags = 'b'" }, 'filter', /^has tags twice: give each field once/],
    [{ filter: "tags > 'a'" }, 'filter', /^is not understood/],
    [{ filter: "displayName = 'a'" }, 'filter', /^displayName is no filter .+ search/],
    [{ filter: "createdAfter > '2026-01-01'" }, 'filter', /^createdAfter is no filter .+ order by/],
    [{ filter: "constructor = 'a'" }, 'filter', /^has constructor, by which/],
    [{ filter: "tags = 'a,b'" }, 'filter', /^has several values .+ once for each/],
    [{ filter: "updatedAfter > 'today'" }, 'filter', /^updatedAfter must be a date/],
    [{ orderBy: 'constructor' }, 'orderBy', /^must be one of displayName/],
  ])('refuses %j', async (parameters, parameter, message) => {
    expect(await list(parameters)).toMatchObject({
      status: 400,
      body: { errorCode: 'INVALID_ARGUMENT', errors: [{ parameter, message: expect.stringMatching(message) }] },
    })
  })
})

describe('GET /agents/:identifier', () => {
  const retrieve = (identifier: string) => shared().get(`/agents/${encodeURIComponent(identifier)}`)

  test('has the entry without what only a search adds, and that of the registry', async () => {
    const [hit = { identifier: 'none' }] = (await search({ text: 'tables' })).body['results'] as Entry[]
    const { score, source, ...entry } = hit

    expect([score, source]).toEqual([expect.any(Number), 'https://catalog.example/'])
    expect(await retrieve(`${own}:acme:kit:tables`)).toMatchObject({
      status: 200,
      body: entry,
      headers: { etag: expect.any(String), 'cache-control': expect.stringContaining('max-age') },
    })
    const { body } = await shared().get('/.well-known/ard.json')
    const [registry] = (body as { entries: Entry[] }).entries
    expect((await retrieve(String(registry?.identifier))).body).toEqual(registry)
  })

  test.each([
    ['urn:air:ard-conformance.invalid:probe:not-found', 404, 'NOT_FOUND'],
    [`${own}:Acme:Kit:tables`, 404, 'NOT_FOUND'],
    [`${own}:acme:kit`, 404, 'NOT_FOUND'],
    [`${own}:beta:old`, 404, 'NOT_FOUND'],
    [`${own}:beta:hidden`, 404, 'NOT_FOUND'],
    ['not-a-valid-ard-urn', 400, 'INVALID_ARGUMENT'],
    ['%3A', 400, 'INVALID_ARGUMENT'],
  ])('%s is %d %s', async (identifier, status, errorCode) => {
    expect(await retrieve(identifier)).toMatchObject({
      status,
      headers: { 'cache-control': 'no-store' },
      body: { errorCode, message: expect.any(String) },
    })
  })
})
