import { expect, test } from '@jest/globals'
import { readSigner } from '../../services/indexer/signing/minisign.js'
import { newMinisignKey } from '../support/minisign-key.js'
import { startTestApp, type TestResponse } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'
import { type Document, documentOf, lowerCase, ofTransport, type Response } from './openapi-document.js'

/** The documented response for a response to this path. */
function documented({ paths, components }: Document, path: string, { status }: TestResponse): Response {
  const response = paths[path]?.get?.responses[status]
  const name = response?.$ref?.split('/').at(-1)
  return (name === undefined ? response : components.responses[name]) ?? {}
}

/** A request with this response, as a path of the document and as sent. */
const requests: [status: number, path: string, asked: string, headers?: Record<string, string>][] = [
  [200, '/api/skills', '/api/skills?limit=1'],
  [200, '/api/v1/skills', '/api/v1/skills?ids=quillmoor/pdf-table-lifter,a/b'],
  [200, '/api/skills/{owner}/{repo}', '/api/skills/quillmoor/pdf-table-lifter'],
  [200, '/api/skills/{owner}/{repo}/related', '/api/skills/quillmoor/pdf-table-lifter/related'],
  [200, '/api/v1/skills/{owner}/{repo}/related', '/api/v1/skills/quillmoor/pdf-table-lifter/related'],
  [200, '/api/skills/{owner}/{repo}/SKILL.md', '/api/skills/quillmoor/pdf-table-lifter/SKILL.md'],
  [200, '/api/v1/skills/{owner}/{repo}/SKILL.md', '/api/v1/skills/quillmoor/pdf-table-lifter/SKILL.md'],
  [200, '/api/skills/{owner}/{repo}/files', '/api/skills/quillmoor/pdf-table-lifter/files'],
  [200, '/api/v1/skills/{owner}/{repo}/files', '/api/v1/skills/quillmoor/pdf-table-lifter/files'],
  [200, '/api/skills/{owner}/{repo}/history', '/api/skills/quillmoor/pdf-table-lifter/history'],
  [200, '/api/v1/skills/{owner}/{repo}/history', '/api/v1/skills/quillmoor/pdf-table-lifter/history'],
  [200, '/api/v1/skills/search', '/api/v1/skills/search?q=pdf'],
  [200, '/api/v1/skills/suggest', '/api/v1/skills/suggest?q=pdf'],
  [200, '/api/search', '/api/search?q=pdf'],
  [200, '/.well-known/agent-skills/index.json', '/.well-known/agent-skills/index.json'],
  [
    200,
    '/skills/{owner}/{repo}/.well-known/agent-skills/index.json',
    '/skills/quillmoor/pdf-table-lifter/.well-known/agent-skills/index.json',
  ],
  [200, '/clawhub/api/v1/search', '/clawhub/api/v1/search?q=pdf'],
  [200, '/clawhub/api/v1/skills/{slug}', '/clawhub/api/v1/skills/pdf-table-lifter?ownerHandle=quillmoor'],
  [200, '/.well-known/clawhub.json', '/.well-known/clawhub.json'],
  [200, '/agents', '/agents?pageSize=1'],
  [200, '/agents/{identifier}', '/agents/urn:air:skill-catalog.invalid:skills:quillmoor:pdf-table-lifter'],
  [200, '/.well-known/ard.json', '/.well-known/ard.json'],
  [200, '/.well-known/ai-catalog.json', '/.well-known/ai-catalog.json'],
  [200, '/api/v1/stats', '/api/v1/stats'],
  [200, '/api/v1/stats/history', '/api/v1/stats/history'],
  [200, '/api/v1/export', '/api/v1/export?type=skills&format=csv'],
  [307, '/api/v1/export', '/api/v1/export?type=skills', { Range: 'bytes=5-9' }],
  [428, '/api/v1/export', '/api/v1/export?type=skills', { Range: 'bytes=5-' }],
  [412, '/api/v1/export', '/api/v1/export?type=skills', { 'If-Match': '"other"' }],
  [200, '/api/v1/exports', '/api/v1/exports'],
  [410, '/api/v1/exports/{snapshot}/{file}', '/api/v1/exports/20200101T000000000Z/skills.csv'],
  [200, '/api/v1/changes', '/api/v1/changes'],
  [410, '/api/v1/changes', '/api/v1/changes?since=1'],
  [200, '/', '/'],
  [200, '/docs', '/docs'],
  [200, '/docs/errors', '/docs/errors'],
  [200, '/openapi.json', '/openapi.json'],
  [200, '/.well-known/api-catalog', '/.well-known/api-catalog'],
  [200, '/llms.txt', '/llms.txt'],
  [200, '/robots.txt', '/robots.txt'],
  [200, '/feed.atom', '/feed.atom'],
  [200, '/sitemap.xml', '/sitemap.xml'],
  [200, '/sitemaps/{file}', '/sitemaps/1.xml'],
  [200, '/skills/{owner}/{repo}', '/skills/quillmoor/pdf-table-lifter'],
  [200, '/organizations/{owner}', '/organizations/quillmoor'],
  [200, '/topics/{topic}', '/topics/pdf'],
  [200, '/organizations', '/organizations'],
  [200, '/topics', '/topics'],
  [200, '/repositories', '/repositories'],
  [200, '/statistics', '/statistics'],
  [200, '/dataset', '/dataset'],
  [304, '/api/v1/stats', '/api/v1/stats', { 'If-None-Match': '*' }],
  [304, '/api/v1/export', '/api/v1/export?type=skills', { 'If-None-Match': '*' }],
  [400, '/api/skills', '/api/skills?x=1'],
  [404, '/api/skills/{owner}/{repo}', '/api/skills/a/b'],
]

/** The second address of an endpoint, one that only redirects, and one that answers POST alone. */
const otherPaths = new Set(['/api/v1/skills/{owner}/{repo}', '/skills/{owner}/{repo}/{skill}', '/api/v1/resolve'])

test('responses have exactly the documented headers', async () => {
  const api = await startTestApp({ sample: true })
  const signer = readSigner(newMinisignKey().secretKeyFile)
  await api.publishExports(signer)
  await api.publishDataset(signer)
  const document = await documentOf(api)
  const [dataset] = await api.stores.datasets.snapshots()
  const ofDataset = (name: string) => `/api/v1/exports/${dataset?.snapshot}/${name}`
  const file = String((await api.get('/api/v1/export?type=skills')).headers['content-location'])
  const filePath = '/api/v1/exports/{snapshot}/{file}'
  const requestsOfFile: typeof requests = [
    [200, filePath, file],
    [206, filePath, file, { Range: 'bytes=0-9' }],
    [416, filePath, file, { Range: 'bytes=999999999-' }],
    [200, '/api/v1/exports/{snapshot}/{table}.parquet', ofDataset('skills.parquet')],
    [206, '/api/v1/exports/{snapshot}/catalog.sqlite', ofDataset('catalog.sqlite'), { Range: 'bytes=0-9' }],
    [200, '/api/v1/exports/{snapshot}/catalog.sqlite', ofDataset('catalog.sqlite')],
    [200, '/api/v1/exports/{snapshot}/manifest.json', ofDataset('manifest.json')],
    [200, '/api/v1/exports/{snapshot}/manifest.json.minisig', ofDataset('manifest.json.minisig')],
  ]

  const all = [...requests, ...requestsOfFile]
  for (const [status, path, asked, headers] of all) {
    const answer = await api.get(asked, headers)
    const response = documented(document, path, answer)
    const sent = lowerCase(Object.keys(answer.headers)).filter((name) => !ofTransport.has(name))
    const named = lowerCase(Object.keys(response.headers ?? {}))
    // A problem may occur before the request is counted, so it does not promise the rate limit headers; and a 304 may
    // repeat headers of the 200 of its path.
    const promised = status < 300 ? sent : sent.filter((name) => named.includes(name))
    expect({ asked, status: answer.status, headers: promised }).toEqual({ asked, status, headers: named })
  }
  expect(new Set(all.filter(([status]) => status === 200).map(([, path]) => path))).toEqual(
    new Set(Object.keys(document.paths).filter((path) => !otherPaths.has(path) && document.paths[path]?.get)),
  )
})

test('over the limit and without a backend, too', async () => {
  const api = await startTestApp({
    config: { rateLimitPerMinute: 3 },
    replace: ({ catalog }) => ({
      catalog: withOverrides(catalog, { listSkills: () => Promise.reject(new Error('gone')) }),
    }),
  })
  const document = await documentOf(api)

  for (const status of [503, 503, 429]) {
    const answer = await api.get('/api/skills')
    expect(answer.status).toBe(status)
    const named = Object.keys(documented(document, '/api/skills', answer).headers ?? {})
    expect(lowerCase(Object.keys(answer.headers))).toEqual(expect.arrayContaining(lowerCase(named)))
  }
})
