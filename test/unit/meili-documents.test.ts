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

async function batched(documents: SearchDocument[]): Promise<Batch[]> {
  const batches: Batch[] = []
  for await (const batch of batchesOf(documents, { embedders: [], own: null })) {
    batches.push(batch)
  }
  return batches
}
const documentsIn = (batch: Batch = []) => JSON.parse(bodyOf(batch)) as MeiliDocument[]

test('a batch has at most 5,000 documents', async () => {
  const batches = await batched(Array.from({ length: 10_001 }, () => aDocument()))

  expect(batches.map((batch) => batch.length)).toEqual([5_000, 5_000, 1])
  expect(batches.map((batch) => documentsIn(batch).length)).toEqual([5_000, 5_000, 1])
})

test('a batch has at most 10 MiB', async () => {
  const batches = await batched(Array.from({ length: 1_000 }, () => aDocument({ description: 'ä'.repeat(5_000) })))

  expect(batches.length).toBeGreaterThan(1)
  expect(batches.flat()).toHaveLength(1_000)
  for (const batch of batches) {
    expect(Buffer.byteLength(bodyOf(batch))).toBeLessThanOrEqual(10 * 1_024 * 1_024 + 2)
  }
})

test('of equal ids only the last document is sent', async () => {
  const [batch] = await batched([aDocument({ repo: 'a', stars: 1 }), aDocument({ repo: 'a', stars: 2 })])

  expect(documentsIn(batch).map(({ stars }) => stars)).toEqual([2])
  expect(batch).toHaveLength(1)
})

test('a document has its words as they are, and the stems that differ', async () => {
  const [batch] = await batched([aDocument({ repo: 'r', name: 'LangChain scraping', topics: ['c++ tool'] })])
  const [document] = documentsIn(batch)

  expect(document?.words_name.slice(1)).toEqual(['langchain scraping', 'lang chain', 'r', 'scrape'])
  expect(document?.words_topics.slice(1)).toEqual(['cplusplus tool', 'cplusplu'])
  expect(document?.nameWords).toEqual(['langchain', 'scraping', 'lang', 'chain', 'r'])
})

test('without documents there is no batch', async () => {
  expect(await batched([])).toEqual([])
})

test('timers run while the documents of a batch are made: a lock is renewed', async () => {
  let ran = 0
  const timer = setInterval(() => {
    ran += 1
  }, 1)
  const text = 'Fills the forms of a tax office. '.repeat(200)
  const batches = await batched(Array.from({ length: 200 }, () => ({ ...aDocument(), text })))
  clearInterval(timer)

  expect(batches).toHaveLength(1)
  expect(ran).toBeGreaterThan(1)
})

test('every id has its own key, of characters that Meilisearch accepts', () => {
  const keys = ['acme/a.b', 'acme/a-b', 'acme/a_b', `${'a'.repeat(100)}/${'b'.repeat(100)}`].map(keyOf)

  expect(new Set(keys).size).toBe(4)
  for (const key of keys) {
    expect(key).toMatch(/^[A-Za-z0-9_-]{1,511}$/)
  }
})
