import { expect, test } from '@jest/globals'
import { readSigner } from '../../services/indexer/signing/minisign.js'
import { newMinisignKey } from '../support/minisign-key.js'
import { startTestApp } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'
import { documented, documentOf, lowerCase, namedHeaders, sentHeaders } from './openapi-document.js'

/** Requests that are refused, or whose answer is kept, as paths of the document and as sent. */
const requests: Asked[] = [
  [307, '/api/v1/export', '/api/v1/export?type=skills', { Range: 'bytes=5-9' }],
  [428, '/api/v1/export', '/api/v1/export?type=skills', { Range: 'bytes=5-' }],
  [412, '/api/v1/export', '/api/v1/export?type=skills', { 'If-Match': '"other"' }],
  [410, '/api/v1/exports/{snapshot}/{file}', '/api/v1/exports/20200101T000000000Z/skills.csv'],
  [410, '/api/v1/changes', '/api/v1/changes?since=1'],
  [304, '/api/v1/stats', '/api/v1/stats', { 'If-None-Match': '*' }],
  [304, '/api/v1/export', '/api/v1/export?type=skills', { 'If-None-Match': '*' }],
  [400, '/api/skills', '/api/skills?x=1'],
  [404, '/api/skills/{owner}/{repo}', '/api/skills/a/b'],
]
type Asked = [status: number, path: string, asked: string, headers?: Record<string, string>]

test('files, and responses other than a 200, have exactly the documented headers', async () => {
  const api = await startTestApp({ sample: true })
  const signer = readSigner(newMinisignKey().secretKeyFile)
  await api.publishExports(signer)
  await api.publishDataset(signer)
  const document = await documentOf(api)
  const [dataset] = await api.stores.datasets.snapshots()
  const ofDataset = (name: string) => `/api/v1/exports/${dataset?.snapshot}/${name}`
  const file = String((await api.get('/api/v1/export?type=skills')).headers['content-location'])
  const filePath = '/api/v1/exports/{snapshot}/{file}'
  const requestsOfFile: Asked[] = [
    [200, filePath, file],
    [206, filePath, file, { Range: 'bytes=0-9' }],
    [416, filePath, file, { Range: 'bytes=999999999-' }],
    [200, '/api/v1/exports/{snapshot}/{table}.parquet', ofDataset('skills.parquet')],
    [206, '/api/v1/exports/{snapshot}/catalog.sqlite', ofDataset('catalog.sqlite'), { Range: 'bytes=0-9' }],
    [200, '/api/v1/exports/{snapshot}/catalog.sqlite', ofDataset('catalog.sqlite')],
    [200, '/api/v1/exports/{snapshot}/manifest.json', ofDataset('manifest.json')],
    [200, '/api/v1/exports/{snapshot}/manifest.json.minisig', ofDataset('manifest.json.minisig')],
  ]

  for (const [status, path, asked, headers] of [...requests, ...requestsOfFile]) {
    const answer = await api.get(asked, headers)
    const named = namedHeaders(documented(document, path, answer))
    const sent = sentHeaders(answer)
    // A problem may occur before the request is counted, so it does not promise the rate limit headers; and a 304 may
    // repeat headers of the 200 of its path.
    const promised = status < 300 ? sent : sent.filter((name) => named.includes(name))
    expect({ asked, status: answer.status, headers: promised }).toEqual({ asked, status, headers: named })
  }
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
    const named = namedHeaders(documented(document, '/api/skills', answer))
    expect(lowerCase(Object.keys(answer.headers))).toEqual(expect.arrayContaining(named))
  }
})
