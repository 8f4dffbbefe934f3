import { expect, test } from '@jest/globals'
import { XMLParser } from 'fast-xml-parser'
import { stateKeys } from '../../shared/state-keys.js'
import { startTestApp, type TestApp } from '../support/test-app.js'

const parser = new XMLParser({ isArray: (name) => ['url', 'sitemap'].includes(name) })

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

async function log({ stores }: TestApp, changes: { id: string; contentHash: string | null }[]): Promise<number> {
  const { head } = await stores.changes.position()
  return stores.changes.append({ onto: head, changes, watermark: null, complete: true, at: new Date() })
}

test('every published skill has its address in one of the parts that the index names', async () => {
  const api = await startTestApp({ config: { publicUrl: 'https://skills.example.org' } })
  const start = await log(api, [
    { id: 'acme/a', contentHash: '1' },
    { id: 'acme/gone', contentHash: null },
    { id: 'acme/b', contentHash: '2' },
  ])
  await log(api, [{ id: 'acme/c', contentHash: '3' }])
  await api.stores.catalog.writeState(stateKeys.sitemap, { starts: [0, start] })

  const parts = await locations(api, '/sitemap.xml')
  const found = await Promise.all(parts.map((part) => locations(api, new URL(part).pathname)))

  expect(found).toEqual([
    ['', 'skills/acme/a', 'skills/acme/b'].map((path) => `https://skills.example.org/${path}`),
    ['', 'skills/acme/c'].map((path) => `https://skills.example.org/${path}`),
  ])
})

test('before it has been divided, and with nothing in it, there is one part', async () => {
  const api = await startTestApp()

  expect(await locations(api, '/sitemap.xml')).toEqual([`${api.url}/sitemaps/1.xml`])
  expect(await locations(api, '/sitemaps/1.xml')).toEqual([`${api.url}/`])
  expect(await api.get('/sitemaps/2.xml')).toMatchObject({ status: 404, body: { code: 'sitemap_unknown' } })
})
