import { describe, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { sharedTestApp } from '../support/test-app.js'

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
