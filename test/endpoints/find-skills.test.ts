import { describe, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { sharedTestApp } from '../support/test-app.js'

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
