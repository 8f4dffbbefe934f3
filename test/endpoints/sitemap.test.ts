import { expect, test } from '@jest/globals'
import { XMLParser } from 'fast-xml-parser'
import { stateKeys } from '../../shared/state-keys.js'
import { aSkill } from '../support/factories.js'
import { startTestApp, type TestApp } from '../support/test-app.js'

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
