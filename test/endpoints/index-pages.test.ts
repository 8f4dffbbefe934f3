import { describe, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { sharedTestApp, startTestApp } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

const asReader = { Accept: 'text/html' }

/** The addresses of the links in the content of a page. */
const linksOf = (html: string): string[] =>
  [...(/<main[^>]*>(.*)<\/main>/s.exec(html)?.[1]?.matchAll(/<a [^>]*href="([^"]*)"/g) ?? [])].map(([, href]) =>
    String(href),
  )

describe('all organizations, topics and repositories', () => {
  const topics = Array.from({ length: 260 }, (_, place) => `topic-${place}`)
  const shared = sharedTestApp(
    {
      skills: [
        ...topics.map((topic, place) => aSkill({ owner: `owner-${place}`, repo: 'one', topics: [topic, 'c++'] })),
        aSkill({ owner: 'owner-7', repo: 'kit', skill: 'a', topics: ['topic-9'] }),
        aSkill({ owner: 'owner-7', repo: 'kit', skill: 'b' }),
      ],
    },
    (api) => api.publishExports(),
  )

  test.each([
    ['/topics', ['/topics/c%2B%2B', ...topics.map((topic) => `/topics/${topic}`)]],
    ['/organizations', topics.map((_, place) => `/organizations/owner-${place}`)],
    [
      '/repositories',
      [...topics.map((_, place) => `/skills/owner-${place}/one`), '/skills/owner-7/kit@a', '/skills/owner-7/kit'],
    ],
  ])('%s leads to each of them, from the first page', async (path, expected) => {
    const found = new Set<string>()
    let next: string | undefined = path
    while (next !== undefined) {
      const { status, text } = await shared().get(next, asReader)
      expect({ next, status }).toEqual({ next, status: 200 })
      for (const link of linksOf(text)) {
        found.add(link)
      }
      next = /<a href="([^"]*)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
    }

    expect(expected.filter((link) => !found.has(link))).toEqual([])
  })

  test('the largest come first, with the number of their skills', async () => {
    const [first, second] = await Promise.all(
      ['/topics', '/organizations'].map(async (path) => (await shared().get(path, asReader)).text),
    )

    expect(linksOf(String(first)).slice(0, 2)).toEqual(['/topics/c%2B%2B', '/topics/topic-9'])
    expect(first).toContain('261 topics, those with the most skills first.')
    expect(linksOf(String(second))[0]).toBe('/organizations/owner-7')
    expect(second).toContain('3 skills')
  })

  test('the explorer leads to them', async () => {
    const { text } = await shared().get('/', asReader)

    for (const path of ['/topics', '/organizations', '/repositories']) {
      expect(text).toContain(`href="${path}"`)
    }
  })

  test('a page after the last one leads to it', async () => {
    const { text } = await shared().get('/topics?page=9', asReader)

    expect(text).toContain('There is no page 9')
    expect(linksOf(text)).toContain('/topics?page=3')
  })
})

test('before they are counted, a page says so', async () => {
  const api = await startTestApp({
    replace: ({ catalog }) => ({ catalog: withOverrides(catalog, { readState: async () => null }) }),
  })

  expect(await api.get('/topics')).toMatchObject({ status: 503, body: { code: 'stats_not_ready' } })
})
