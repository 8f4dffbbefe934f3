import { expect, test } from '@jest/globals'
import { contentHash } from '../../shared/records/content-hash.js'
import { aSkill } from '../support/factories.js'

test('the order of fields, private ones and indexedAt do not count', () => {
  const skill = aSkill({ owner: 'Acme', repo: 'Tool' })
  const reordered = { ...Object.fromEntries(Object.entries(skill).reverse()), ...skill }
  const others = { ...reordered, crawledAt: 'yesterday', indexedAt: '2026-01-01T00:00:00.000Z' }

  expect(contentHash(skill)).toMatch(/^[0-9a-f]{32}$/)
  expect(contentHash(others)).toBe(contentHash(skill))
  expect(contentHash({ ...skill, stars: 1 })).not.toBe(contentHash(skill))
})
