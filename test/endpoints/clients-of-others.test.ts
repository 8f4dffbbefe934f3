import { describe, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { postBody, sharedTestApp } from '../support/test-app.js'
import { type Entry, names, own, withSkills } from './ard-app.js'

describe('/clawhub', () => {
  const shared = sharedTestApp({
    skills: [
      aSkill({
        ...{
          owner: 'Acme',
          repo: 'Kit',
          skill: 'tables',
          name: 'Tables',
          description: 'Reads PDF',
          license: 'Apache-2.0',
        },
        ...{ url: 'https://github.com/Acme/Kit', version: '1.2', stars: 7, topics: ['pdf'] },
        ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-02-01T00:00:00.000Z' },
      }),
      aSkill({ owner: 'beta', repo: 'tables', name: 'PDF tables', description: 'Reads PDF' }),
      aSkill({ owner: 'beta', repo: 'bare', name: 'Bare', description: null, license: null, url: null }),
    ],
  })
  const get = (path: string) => shared().get(`/clawhub/api/v1${path}`)

  test('search answers in the shape of ClawHub', async () => {
    const { status, body } = await get('/search?q=reads+pdf&limit=25&nonSuspiciousOnly=true')

    expect(status).toBe(200)
    expect(body).toEqual({
      results: expect.arrayContaining([
        {
          ...{ slug: 'Kit@tables', ownerHandle: 'Acme', displayName: 'Tables', summary: 'Reads PDF', version: '1.2' },
          ...{
            score: expect.any(Number),
            updatedAt: Date.parse('2026-02-01'),
            owner: { handle: 'Acme', displayName: 'Acme' },
          },
          canonicalUrl: `${shared().url}/skills/acme/kit@tables`,
        },
        expect.objectContaining({ slug: 'tables', ownerHandle: 'beta', version: null }),
      ]),
    })
  })

  test('with mode=exact only skills of that name are found, in any case', async () => {
    const slugs = async (q: string) => {
      const { body } = await get(`/search?mode=exact&q=${q}`)
      return (body as { results: { ownerHandle: string; slug: string }[] }).results.map(
        ({ ownerHandle, slug }) => `${ownerHandle}/${slug}`,
      )
    }
    expect((await slugs('TABLES')).sort()).toEqual(['Acme/Kit@tables', 'beta/tables'])
    expect(await slugs('kit@tables')).toEqual(['Acme/Kit@tables'])
    expect(await slugs('beta/tables')).toEqual(['beta/tables'])
    expect(await slugs('pdf')).toEqual([])
  })

  test('a skill has the members that the client requires, its licence and the command that installs it', async () => {
    const { status, body } = await get('/skills/kit%40tables?ownerHandle=acme')

    expect(status).toBe(200)
    expect(body).toEqual({
      skill: {
        ...{ slug: 'Kit@tables', displayName: 'Tables', description: 'Reads PDF', topics: ['pdf'] },
        summary:
          'Reads PDF Licence: Apache-2.0; the one that clawhub prints is that of the skills of ClawHub. ' +
          'Install: npx skills add Acme/Kit@tables',
        ...{ tags: { latest: '1.2' }, stats: { stars: 7 } },
        ...{ createdAt: Date.parse('2026-01-01'), updatedAt: Date.parse('2026-02-01') },
      },
      latestVersion: { version: '1.2', createdAt: Date.parse('2026-02-01'), changelog: '', license: null },
      ...{ metadata: null, moderation: null, owner: { handle: 'Acme', displayName: 'Acme', image: null } },
    })
    expect(await get('/skills/bare?ownerHandle=beta')).toMatchObject({
      status: 200,
      body: {
        skill: { summary: expect.stringMatching(/^Licence: not known;/), createdAt: expect.any(Number), tags: {} },
        latestVersion: null,
      },
    })
  })

  test('the settings have an address below the origin, which leaves the API its own paths', async () => {
    expect((await shared().get('/.well-known/clawhub.json')).body).toEqual({ apiBase: `${shared().url}/clawhub` })
  })
})

describe('/api/search', () => {
  const shared = sharedTestApp({
    skills: [
      aSkill({ owner: 'Acme', repo: 'Kit', skill: 'tables', name: 'Tables', description: 'Reads PDF', stars: 9 }),
      aSkill({ owner: 'beta', repo: 'Own', name: 'pdf-maker', description: 'Reads PDF', stars: 5 }),
      aSkill({ owner: 'beta', repo: 'plain', name: 'Plain text', description: 'Reads PDF', stars: 3 }),
      aSkill({
        owner: 'gamma',
        repo: 'away',
        name: 'away',
        description: 'Lifts',
        url: 'https://gitlab.com/Gamma/away',
      }),
      aSkill({ owner: 'beta', repo: 'hidden', description: 'Reads PDF', state: 'hidden' }),
    ],
  })
  const search = (rest: string) => shared().get(`/api/search?${rest}`)

  test('answers in the shape of skills.sh: names as in a SKILL.md, where there are such', async () => {
    const { status, body } = await search('q=reads+pdf&limit=20')
    expect(status).toBe(200)
    expect(body).toEqual({
      skills: expect.arrayContaining([
        { id: 'acme/kit/tables', name: 'tables', source: 'Acme/Kit', installs: 0 },
        { id: 'beta/own/pdf-maker', name: 'pdf-maker', source: 'beta/Own', installs: 0 },
        { id: 'beta/plain/plain', name: 'plain', source: 'beta/plain', installs: 0 },
      ]),
    })
    expect((body as { skills: unknown[] }).skills).toHaveLength(3)
  })

  test('names a repository of another forge by its address', async () => {
    expect((await search('q=lifts')).body).toMatchObject({
      skills: [{ id: 'gamma/away/away', name: 'away', source: 'https://gitlab.com/Gamma/away.git#' }],
    })
  })

  test('finds what the search of the API finds, of one owner too, and counts as one request', async () => {
    const [own, answer] = [
      await shared().get('/api/v1/skills/search?q=reads+pdf&owner=BETA'),
      await search('q=reads+pdf&owner=BETA'),
    ]
    expect((answer.body as { skills: unknown[] }).skills).toHaveLength(own.names.length)
    expect(Number(own.headers['x-ratelimit-remaining']) - Number(answer.headers['x-ratelimit-remaining'])).toBe(1)
  })
})

describe('lists of agents', () => {
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
      [{ filter: "tags = 'a' AND tags = 'b'" }, 'filter', /^has tags twice: give each field once/],
      [{ filter: "tags > 'a'" }, 'filter', /^is not understood/],
      [{ filter: "displayName = 'a'" }, 'filter', /^displayName is no filter .+ search/],
      [{ filter: "createdAfter > '2026-01-01'" }, 'filter', /^createdAfter is no filter .+ order by/],
      [{ filter: "constructor = 'a'" }, 'filter', /^has constructor, by which/],
      [{ filter: "tags = 'a,b'" }, 'filter', /^has several values .+ once for each/],
      [{ filter: "updatedAfter > 'today'" }, 'filter', /^updatedAfter must be a date/],
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
})
