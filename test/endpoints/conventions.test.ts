import { expect, test } from '@jest/globals'
import { recordsWith } from '../equality/catalog.js'
import { inBothModes, serveRecords } from '../equality/two-modes.js'
import { aSkill } from '../support/factories.js'
import { startTestApp } from '../support/test-app.js'
import { conventions, fromStores } from './conventions.js'

const records = recordsWith(100)

inBothModes(
  (urls) => serveRecords(urls, records),
  (served, mode) => conventions(served, mode === 'servers' ? fromStores : undefined),
)

test('unknown values are null and never omitted', async () => {
  const api = await startTestApp({ skills: [aSkill({ repo: 'bare', url: null })] })

  const { body } = await api.get('/api/skills/acme/bare')

  expect(Object(body).data).toEqual({
    id: 'acme/bare',
    owner: 'acme',
    repo: 'bare',
    name: expect.any(String),
    description: null,
    topics: [],
    license: null,
    language: null,
    homepage: null,
    url: null,
    stars: null,
    forks: null,
    version: null,
    archived: false,
    createdAt: null,
    updatedAt: null,
    publishedAt: null,
    indexedAt: expect.any(String),
    skill: null,
    path: null,
    commit: null,
    digest: null,
  })
})
