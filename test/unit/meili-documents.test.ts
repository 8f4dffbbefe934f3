import { expect, test } from '@jest/globals'
import { batchesOf, keyOf, type MeiliDocument } from '../../shared/adapters/servers/meili-documents.js'
import type { SearchDocument } from '../../shared/ports/search-index.js'
import { type StoredSkill, toPublicSkill } from '../../shared/records/skill.js'
import { aSkill } from '../support/factories.js'

const aDocument = (overrides: Partial<StoredSkill> = {}): SearchDocument => {
  const skill = toPublicSkill(aSkill(overrides))
  return { id: skill.id, contentHash: '', skill }
}

const documentsIn = (json: string) => JSON.parse(json) as MeiliDocument[]

test('batches are cut at 2,000 documents', () => {
  const batches = batchesOf(Array.from({ length: 4_001 }, () => aDocument()))

  expect(batches.map(({ count }) => count)).toEqual([2_000, 2_000, 1])
  expect(batches.map(({ json }) => documentsIn(json).length)).toEqual([2_000, 2_000, 1])
})

test('batches are cut at 10 MiB', () => {
  const batches = batchesOf(Array.from({ length: 1_000 }, () => aDocument({ description: '語'.repeat(3_333) })))

  expect(batches.length).toBeGreaterThan(1)
  expect(batches.reduce((sum, { count }) => sum + count, 0)).toBe(1_000)
  for (const { json } of batches) {
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(10 * 1_024 * 1_024 + 2)
  }
})

test('of equal ids the last counts, once', () => {
  const [batch] = batchesOf([aDocument({ repo: 'a', stars: 1 }), aDocument({ repo: 'a', stars: 2 })])

  expect(documentsIn(batch?.json ?? '').map(({ stars }) => stars)).toEqual([2])
  expect(batch?.count).toBe(1)
})

test('nothing is no batch', () => {
  expect(batchesOf([])).toEqual([])
})

test('every id has a key of its own, of characters that Meilisearch takes', () => {
  const keys = ['acme/a.b', 'acme/a-b', 'acme/a_b', `${'a'.repeat(100)}/${'b'.repeat(100)}`].map(keyOf)

  expect(new Set(keys).size).toBe(4)
  for (const key of keys) {
    expect(key).toMatch(/^[A-Za-z0-9_-]{1,511}$/)
  }
})
