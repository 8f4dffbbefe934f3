import { gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { aSkill } from '../support/factories.js'
import { sharedTestApp, startTestApp } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

const asReader = { Accept: 'text/html' }

/** The properties of a page that other sites show. */
const openGraph = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<meta property="(og:\w+)" content="([^"]*)"/g)].map(([, name, content]) => [name, content]),
  )

/** The data of a page for search engines; null: it has none. */
function structured(html: string): Record<string, unknown> | null {
  const [, json] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html) ?? []
  return json === undefined ? null : JSON.parse(json)
}

describe('what others read of a page', () => {
  const hostile = '</script><script>alert(1)</script><!-- \u2028 "&amp;'
  const shared = sharedTestApp(
    {
      config: { publicUrl: 'https://skills.example' },
      skills: [
        aSkill({
          owner: 'Acme',
          repo: 'pdf',
          name: `Tables ${hostile}`,
          description: hostile,
          topics: ['pdf'],
          language: 'Python',
          url: 'https://github.example/Acme/pdf',
          createdAt: '2025-01-01T00:00:00.000Z',
          homepage: 'https://acme.example/?a=1&b="',
        }),
      ],
    },
    (api) => api.publishExports(),
  )

  test.each([
    ['/', 'https://skills.example/'],
    ['/?q=pdf&utm_source=x', 'https://skills.example/?q=pdf'],
    ['/skills/acme/pdf', 'https://skills.example/skills/acme/pdf'],
    ['/organizations/ACME', 'https://skills.example/organizations/acme'],
    ['/topics/pdf', 'https://skills.example/topics/pdf'],
    ['/statistics', 'https://skills.example/statistics'],
    ['/dataset', 'https://skills.example/dataset'],
    ['/docs', 'https://skills.example/docs'],
  ])('%s has the properties that show it on other sites', async (path, url) => {
    const { text } = await shared().get(path, asReader)
    const title = /<title>(.*?)<\/title>/s.exec(text)?.[1]

    expect(openGraph(text)).toEqual({
      'og:site_name': 'Skill Catalog',
      'og:type': 'website',
      'og:title': title,
      'og:description': /name="description" content="([^"]*)"/.exec(text)?.[1],
      'og:url': url,
      'og:image': 'https://skills.example/assets/icon.png',
    })
    expect(await shared().get('/assets/icon.png')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'image/png' },
    })
  })

  test('a skill is described for search engines, and no text of it ends the script', async () => {
    const { text } = await shared().get('/skills/acme/pdf', asReader)

    expect(structured(text)).toEqual({
      '@context': 'https://schema.org',
      '@type': 'SoftwareSourceCode',
      name: `Tables ${hostile}`,
      description: hostile,
      url: 'https://skills.example/skills/acme/pdf',
      codeRepository: 'https://github.example/Acme/pdf',
      programmingLanguage: 'Python',
      keywords: 'pdf',
      dateCreated: '2025-01-01T00:00:00.000Z',
      author: { '@type': 'Organization', name: 'Acme', url: 'https://skills.example/organizations/acme' },
    })
    expect(text).not.toContain('<script>alert')
    expect(text).toContain('href="https://acme.example/?a=1&amp;b=&quot;" rel="nofollow noopener noreferrer"')
    expect(text).not.toContain('\u2028"')
  })

  test('so are the search and the dataset', async () => {
    expect(structured((await shared().get('/', asReader)).text)).toMatchObject({ '@type': 'WebSite' })
    expect(structured((await shared().get('/dataset', asReader)).text)).toMatchObject({ '@type': 'Dataset' })
    expect(structured((await shared().get('/nowhere', asReader)).text)).toBeNull()
  })
})

test('marks of direction and other invisible characters of stored records are in no page and no feed', async () => {
  const marks = '\u202e\u2066\u2069\u200f\u{e0041}'
  const api = await startTestApp({
    skills: [
      aSkill({
        owner: 'acme',
        repo: 'pdf',
        name: `${marks}gpj.exe${marks}`,
        description: `a${marks}b`,
        topics: [`c${marks}d`],
      }),
    ],
  })

  for (const path of [
    '/',
    '/?q=acme',
    '/?sort=name',
    `/?topic=${encodeURIComponent(`c${marks}d`)}`,
    '/skills/acme/pdf',
    '/organizations/acme',
    `/topics/${encodeURIComponent(`c${marks}d`)}`,
    `/topics/${encodeURIComponent(`none${marks}`)}`,
    '/feed.atom',
  ]) {
    const { text } = await api.get(path, asReader)
    expect({ path, found: /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u{e0000}-\u{e007f}]/u.exec(text)?.index }).toEqual({
      path,
      found: undefined,
    })
  }
  expect((await api.get('/skills/acme/pdf', asReader)).text).toContain('<title>gpj.exe – acme/pdf</title>')
})

describe('an empty catalog', () => {
  const empty = sharedTestApp({})

  test.each(['/', '/?sort=stars', '/?q=pdf'])('greets its operator: %s', async (path) => {
    const { status, text } = await empty().get(path, asReader)

    expect(status).toBe(200)
    expect(text).toContain('This catalog has no skills yet')
    expect(text).toContain('npm run catalog -- import skills.ndjson --type skills')
    expect(text).not.toContain('Most starred')
  })

  test('does not do so when it has some', async () => {
    const api = await startTestApp({ skills: [aSkill({ archived: true })] })

    expect((await api.get('/', asReader)).text).not.toContain('has no skills yet')
  })
})

/** The most that the scripts and styles of the first view have, compressed. */
const maxBytes = 70 * 1_024

test('scripts and styles of a page are small, and cached for good', async () => {
  const api = await startTestApp({ sample: true })
  const { text } = await api.get('/', { Accept: 'text/html' })
  const paths = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)].map(([, path]) => String(path))

  const files = await Promise.all(paths.map((path) => api.get(path)))

  expect(paths.length).toBeGreaterThanOrEqual(3)
  for (const { status, headers } of files) {
    expect({ status, cached: headers['cache-control'] }).toEqual({
      status: 200,
      cached: 'public, max-age=31536000, immutable',
    })
  }
  const sizes = files.map(({ text: content }) => gzipSync(content).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(maxBytes)
})

describe('index pages', () => {
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
})
