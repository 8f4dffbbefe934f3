import { expect, test } from '@jest/globals'
import {
  type Batch,
  batchesOf,
  bodyOf,
  keyOf,
  type MeiliDocument,
} from '../../shared/adapters/servers/meili/documents.js'
import type { SearchDocument } from '../../shared/ports/search-index.js'
import { aDocument } from '../support/factories.js'

const batched = (documents: SearchDocument[]) => [...batchesOf(documents, { embedders: [], own: null })]
const documentsIn = (batch: Batch = []) => JSON.parse(bodyOf(batch)) as MeiliDocument[]

test('a batch has at most 5,000 documents', () => {
  const batches = batched(Array.from({ length: 10_001 }, () => aDocument()))

  expect(batches.map((batch) => batch.length)).toEqual([5_000, 5_000, 1])
  expect(batches.map((batch) => documentsIn(batch).length)).toEqual([5_000, 5_000, 1])
})

test('a batch has at most 10 MiB', () => {
  const batches = batched(Array.from({ length: 1_000 }, () => aDocument({ description: 'ä'.repeat(5_000) })))

  expect(batches.length).toBeGreaterThan(1)
  expect(batches.flat()).toHaveLength(1_000)
  for (const batch of batches) {
    expect(Buffer.byteLength(bodyOf(batch))).toBeLessThanOrEqual(10 * 1_024 * 1_024 + 2)
  }
})

test('of equal ids only the last document is sent', () => {
  const [batch] = batched([aDocument({ repo: 'a', stars: 1 }), aDocument({ repo: 'a', stars: 2 })])

  expect(documentsIn(batch).map(({ stars }) => stars)).toEqual([2])
  expect(batch).toHaveLength(1)
})

test('a document has its words as they are, and the stems that differ', () => {
  const [document] = documentsIn(
    batched([aDocument({ repo: 'r', name: 'LangChain scraping', topics: ['c++ tool'] })])[0],
  )

  expect(document?.words_name.slice(1)).toEqual(['langchain scraping', 'lang chain', 'r', 'scrape'])
  expect(document?.words_topics.slice(1)).toEqual(['cplusplus tool', 'cplusplu'])
  expect(document?.nameWords).toEqual(['langchain', 'scraping', 'lang', 'chain', 'r'])
})

test('without documents there is no batch', () => {
  expect(batched([])).toEqual([])
})

test('every id has its own key, of characters that Meilisearch accepts', () => {
  const keys = ['acme/a.b', 'acme/a-b', 'acme/a_b', `${'a'.repeat(100)}/${'b'.repeat(100)}`].map(keyOf)

  expect(new Set(keys).size).toBe(4)
  for (const key of keys) {
    expect(key).toMatch(/^[A-Za-z0-9_-]{1,511}$/)
  }
})
