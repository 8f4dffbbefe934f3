import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { XMLParser } from 'fast-xml-parser'
import { endpoints } from '../../services/query/endpoints.js'
import { problemCodes } from '../../services/query/request/problem-codes.js'
import { skillOf } from '../../shared/records/skill.js'
import { stateKeys } from '../../shared/state-keys.js'
import { aSkill } from '../support/factories.js'
import { sharedTestApp, startTestApp, type TestApp } from '../support/test-app.js'

const shared = sharedTestApp({ sample: true }, (api) => api.publishExports())

const asBrowsersDo = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

describe('/', () => {
  test.each([undefined, '*/*', 'application/json', 'text/html;q=0.5, application/json', 'image/png'])(
    'is an index for programs: %s',
    async (accept) => {
      expect(await shared().get('/', accept === undefined ? {} : { Accept: accept })).toMatchObject({
        status: 200,
        headers: { 'content-type': 'application/json; charset=utf-8', vary: 'Accept-Encoding, Accept' },
        body: { openapi: '/openapi.json', documentation: '/docs' },
      })
    },
  )

  test('is a page for browsers, which loads nothing from other origins', async () => {
    const api = shared()

    const answer = await api.get('/', asBrowsersDo)

    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8', vary: 'Accept-Encoding, Accept' },
    })
    expect(answer.headers['content-security-policy']).toContain("script-src 'self';")
    expect(answer.text.replaceAll(api.url, '')).not.toMatch(/(?:src|href)="https?:(?!\/\/creativecommons)/)
  })

  test('every link of the index can be requested', async () => {
    const api = shared()
    const { links, openapi, documentation, errors } = (await api.get('/')).body as {
      links: Record<string, string>
      [member: string]: unknown
    }
    const values: Record<string, string> = {
      q: 'pdf',
      owner: 'quillmoor',
      repo: 'pdf-table-lifter',
      type: 'skills',
      format: 'csv',
    }

    for (const link of [...Object.values(links), openapi, documentation, errors].map(String)) {
      const path = link.replaceAll(/\{\?\w+\}/g, '').replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
      expect({ path, status: (await api.get(path)).status }).toEqual({ path, status: 200 })
    }
  })
})

test('robots.txt names the sitemap under the public URL', async () => {
  const api = await startTestApp({ config: { publicUrl: 'https://skills.example.org' } })

  const { headers, text } = await api.get('/robots.txt')

  expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(text.split('\n')).toContain('Sitemap: https://skills.example.org/sitemap.xml')
})

/** The endpoints of the API that these do not name. */
const withoutLink: Record<'/' | '/llms.txt', string[]> = {
  '/': ['related-skills', 'resolve-skills', 'find-skills'],
  '/llms.txt': ['related-skills', 'suggest-skills', 'export-snapshots', 'find-skills'],
}

test.each(['/', '/llms.txt'] as const)('%s has every endpoint of the API, or it is left out here', async (page) => {
  const { text } = await (await startTestApp()).get(page)
  const missing = endpoints.filter(({ path, aliases = [] }) => {
    const paths = [path, ...aliases].filter((each) => each.startsWith('/api/'))
    const isThere = (each: string) =>
      // A file may be named by the end of its path alone.
      new RegExp(`${each.replace(/:\w+/g, '[<{]\\w+[>}]')}(?![/\\w])`).test(text) ||
      (/\/(SKILL\.md|files)$/.exec(each) !== null && text.includes(`\`/${each.split('/').at(-1)}\``))
    return paths.length > 0 && !path.startsWith('/api/v1/exports/:snapshot/') && !paths.some(isThere)
  })

  expect(missing.map(({ name }) => name).sort()).toEqual(withoutLink[page].toSorted())
})

test('every URL in llms.txt can be requested', async () => {
  const api = shared()

  const { text } = await api.get('/llms.txt')
  const addresses = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, address]) => new URL(address ?? ''))

  expect(text).toMatch(/^# Skill Catalog\n\n> /)
  expect(addresses.length).toBeGreaterThan(8)
  for (const { origin, pathname, search } of addresses) {
    expect({ origin, pathname, status: (await api.get(`${pathname}${search}`)).status }).toEqual({
      origin: api.url,
      pathname,
      status: 200,
    })
  }
})

test('the API catalog links the descriptions of the API (RFC 9727)', async () => {
  const api = shared()

  const answer = await api.send('HEAD', '/.well-known/api-catalog')
  const { body } = await api.get('/.well-known/api-catalog')

  expect(answer.headers).toMatchObject({
    'content-type': 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    link: expect.stringContaining(`<${api.url}/.well-known/api-catalog>; rel="api-catalog"`),
  })
  expect(body).toEqual({
    linkset: [
      expect.objectContaining({ item: [{ href: `${api.url}/` }] }),
      expect.objectContaining({
        anchor: `${api.url}/`,
        'service-desc': [{ href: `${api.url}/openapi.json`, type: 'application/json' }],
      }),
    ],
  })
  expect(await api.get('/')).toMatchObject({ status: 200, body: expect.any(Object) })
})

describe('/feed.atom', () => {
  const parse = (text: string) =>
    new XMLParser({
      ignoreAttributes: false,
      attributeNamePrefix: '@',
      isArray: (name) => ['entry', 'category'].includes(name),
    }).parse(text).feed

  test('lists the latest 50, newest first, with absolute URLs', async () => {
    const days = Array.from({ length: 60 }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString())
    const api = await startTestApp({ skills: days.map((updatedAt, day) => aSkill({ repo: `s${day}`, updatedAt })) })

    const { headers, text } = await api.get('/feed.atom')
    const { id, updated, entry } = parse(text)

    expect(headers['content-type']).toBe('application/atom+xml; charset=utf-8')
    expect({ id, updated, entries: entry.length }).toEqual({
      id: `${api.url}/feed.atom`,
      updated: days.at(-1),
      entries: 50,
    })
    expect(entry[0]).toMatchObject({ id: `${api.url}/skills/acme/s59`, updated: days.at(-1), title: 's59' })
  })

  test('has new skills whose source gives no time of change, by when they were ingested', async () => {
    const days = Array.from({ length: 60 }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString())
    const created = '2020-01-01T00:00:00.000Z'
    const api = await startTestApp({
      skills: [
        ...days.map((updatedAt, day) => aSkill({ repo: `s${day}`, updatedAt })),
        ...Array.from({ length: 60 }, (_, place) => aSkill({ repo: `undated${place}` })),
      ],
    })
    await sleep(5)
    await api.stores.catalog.put('skills', [aSkill({ repo: 'new' }), aSkill({ repo: 'known', createdAt: created })])
    await api.stores.catalog.put('skills', [aSkill({ repo: 'ahead', updatedAt: '2999-01-01T00:00:00.000Z' })])
    await api.stores.catalog.remove('skills', ['acme/undated7'])

    const { entry } = parse((await api.get('/feed.atom')).text)
    const titles: string[] = entry.map(({ title }: { title: string }) => title)

    expect(titles).toHaveLength(50)
    expect([titles[0], titles.slice(1, 3).sort()]).toEqual(['ahead', ['known', 'new']])
    expect(titles.slice(3).every((title) => title.startsWith('undated'))).toBe(true)
    expect(titles).not.toContain('undated7')
    const { skills } = await api.stores.catalog.listSkills({ filters: {}, sort: 'name', order: 'asc', limit: 100 })
    const ingested = skills.map(skillOf).find(({ repo }) => repo === 'new')?.indexedAt
    expect(entry[titles.indexOf('new')]).toMatchObject({ updated: ingested })
  })

  test('texts of records are escaped, and characters invalid in XML are replaced', async () => {
    const api = await startTestApp({
      skills: [
        aSkill({ repo: 'evil', name: '</title><b>&amp;', description: ']]> \u{FFFF} & \u{1F389}', topics: ['"a<b"'] }),
      ],
    })

    const { entry } = parse((await api.get('/feed.atom')).text)

    expect(entry[0]).toMatchObject({ title: '</title><b>&amp;', summary: ']]> \u{FFFD} & \u{1F389}' })
    expect(entry[0].category).toEqual([{ '@term': '"a<b"' }])
  })

  test('an empty catalog has an empty feed', async () => {
    const api = await startTestApp()

    expect(parse((await api.get('/feed.atom')).text)).toMatchObject({ updated: '1970-01-01T00:00:00.000Z' })
  })
})

test('each code of the table has its entry on the errors page', async () => {
  const { text } = await shared().get('/docs/errors')

  for (const code of Object.keys(problemCodes)) {
    expect(text).toContain(`<section id="${code}">`)
  }
})

test('the files of the pages are served, and no other files of their folders', async () => {
  const api = shared()
  const pages = await Promise.all(['/', '/docs', '/docs/errors'].map((path) => api.get(path, asBrowsersDo)))
  const files = new Set(
    pages.flatMap(({ text }) => [...text.matchAll(/(?:src|href)="(\/(?:assets|docs)\/[^"]+\.\w+)"/g)]),
  )

  for (const [, path] of files) {
    expect({ path, status: (await api.get(String(path))).status }).toEqual({ path, status: 200 })
  }
  for (const path of ['/favicon.ico', '/apple-touch-icon.png', '/apple-touch-icon-precomposed.png']) {
    expect(await api.get(path)).toMatchObject({
      status: 200,
      headers: { 'content-type': expect.stringMatching(/^image\/(?:svg\+xml|png)$/) },
    })
  }
  for (const path of [
    '/docs/index.html',
    '/assets/tsconfig.json',
    '/assets/browser.js',
    '/assets/.vite',
    '/assets/.vite/manifest.json',
    '/assets/',
    '/docs/../package.json',
    '/assets/..%2fpackage.json',
  ]) {
    expect({ path, status: (await api.get(path)).status }).toEqual({ path, status: 404 })
  }
})

const parser = new XMLParser({ isArray: (name) => ['url', 'sitemap'].includes(name) })

const fixedPages = ['/', '/organizations', '/topics', '/repositories', '/statistics', '/dataset', '/docs']

async function locations(api: TestApp, path: string): Promise<string[]> {
  const { status, headers, text } = await api.get(path)
  expect({ path, status, type: headers['content-type'] }).toEqual({
    path,
    status: 200,
    type: 'application/xml; charset=utf-8',
  })
  const { urlset, sitemapindex } = parser.parse(text)
  return [...(urlset?.url ?? []), ...(sitemapindex?.sitemap ?? [])].map(({ loc }: { loc: string }) => loc)
}

test('every published skill has its address in one of the parts that the index names', async () => {
  const api = await startTestApp({ config: { publicUrl: 'https://skills.example.org' } })
  const { catalog, changes } = api.stores
  await catalog.put(
    'skills',
    ['a', 'gone', 'b'].map((repo) => aSkill({ repo })),
  )
  await catalog.remove('skills', ['acme/gone'])
  const { head } = await changes.bounds()
  await catalog.put('skills', [aSkill({ repo: 'c' })])
  await catalog.writeState(stateKeys.sitemap, { starts: [0, head] })

  const parts = await locations(api, '/sitemap.xml')
  const found = await Promise.all(parts.map((part) => locations(api, new URL(part).pathname)))

  expect(found).toEqual([
    [...fixedPages, '/skills/acme/a', '/skills/acme/b'].map((path) => `https://skills.example.org${path}`),
    [...fixedPages, '/skills/acme/c'].map((path) => `https://skills.example.org${path}`),
  ])
})

test('before it is divided, and when it is empty, there is one part', async () => {
  const api = await startTestApp()

  expect(await locations(api, '/sitemap.xml')).toEqual([`${api.url}/sitemaps/1.xml`])
  expect(await locations(api, '/sitemaps/1.xml')).toEqual(fixedPages.map((path) => `${api.url}${path}`))
  expect(await api.get('/sitemaps/2.xml')).toMatchObject({ status: 404, body: { code: 'sitemap_unknown' } })
})
