import { describe, expect, test } from '@jest/globals'
import { toSearchDocument, toSearchDocuments } from '../../services/indexer/to-search-document.js'
import { aSkill } from '../support/factories.js'

const change = (stored: unknown, id = 'acme/tool') => ({ id, stored })

describe('toSearchDocuments', () => {
  test('published skills are published, all others removed', () => {
    const sorted = toSearchDocuments([
      change(aSkill({ repo: 'tool' })),
      change(aSkill({ repo: 'hidden', state: 'hidden' }), 'acme/hidden'),
      change(aSkill({ repo: 'removed', state: 'removed' }), 'acme/removed'),
      change(null, 'acme/null'),
      change(undefined, 'acme/undefined'),
    ])

    expect(sorted.publish.map(({ id }) => id)).toEqual(['acme/tool'])
    expect(sorted.remove).toEqual(['acme/hidden', 'acme/removed', 'acme/null', 'acme/undefined'])
    expect(sorted.rejected).toEqual([])
  })

  test.each([
    ['a text', 'not a document'],
    ['a list', []],
    ['no fields', {}],
    ['an unknown state', { ...aSkill({ repo: 'tool' }), state: 'draft' }],
    ['stars that are not a number', { ...aSkill({ repo: 'tool' }), stars: 'many' }],
    ['topics that are not a list', { ...aSkill({ repo: 'tool' }), topics: 'pdf' }],
    ['an address that a browser would run', aSkill({ repo: 'tool', homepage: 'javascript:alert(1)' })],
    ['another id', { ...aSkill({ repo: 'tool' }), id: 'acme/other' }],
    ['an owner that does not fit the id', { ...aSkill({ repo: 'tool' }), owner: 'Other' }],
  ])('%s is rejected with a reason and removed', (_what, stored) => {
    const sorted = toSearchDocuments([change(stored)])

    expect(sorted).toEqual({
      publish: [],
      remove: ['acme/tool'],
      rejected: [{ id: 'acme/tool', reason: expect.stringMatching(/\w+: \w+/) }],
    })
  })

  test.each([
    ['a field that is absent', { owner: undefined }, 'owner: is missing'],
    ['an absent field of few values', { state: undefined }, 'state: is missing'],
    ['text for a number', { stars: 'many' }, 'stars: must be a number, not text'],
    ['a fraction for a whole number', { forks: 1.5 }, 'forks: must be a whole number, not a fraction'],
    ['null for text', { name: null }, 'name: must be text, not null'],
    ['text for a list', { topics: 'pdf' }, 'topics: must be a list, not text'],
    ['a number within a list', { topics: ['pdf', 7] }, 'topics.1: must be text, not a number'],
    ['an object for a flag', { archived: {} }, 'archived: must be true or false, not an object'],
    ['a name of its own words', { repo: 'to ol' }, expect.stringMatching(/^repo: must be 1 to 100 letters/)],
    ['two faults', { owner: undefined, stars: [] }, 'owner: is missing; stars: must be a number, not a list'],
  ])('%s is told in plain words', (_what, fields, reason) => {
    const { rejected } = toSearchDocuments([change({ ...aSkill({ repo: 'tool' }), ...fields })])

    expect(rejected).toEqual([{ id: 'acme/tool', reason }])
  })

  test('a document that is none is told as such', () => {
    expect(toSearchDocuments([change('text')]).rejected).toMatchObject([
      { reason: 'document: must be an object, not text' },
    ])
  })

  test('a second document of one skill names the skill', () => {
    const second = change(aSkill({ owner: 'Acme', repo: 'Tool' }), 'acme/tool#65f1c0ffee')

    expect(toSearchDocuments([second]).rejected).toEqual([
      { id: 'acme/tool#65f1c0ffee', reason: 'id: another document is acme/tool already' },
    ])
  })

  test('what is wrong with a hidden or removed document is nobody’s concern', () => {
    const sorted = toSearchDocuments([change({ state: 'removed' }), change({ state: 'hidden', stars: 'many' })])

    expect(sorted.rejected).toEqual([])
  })
})

describe('toSearchDocument', () => {
  test('only public fields are in the document', () => {
    const document = toSearchDocument('acme/tool', { ...aSkill({ repo: 'tool' }), contactEmail: 'someone@example.org' })

    expect(JSON.stringify(document)).not.toContain('someone@example.org')
    expect(document).toMatchObject({ id: 'acme/tool', skill: { id: 'acme/tool', owner: 'acme', repo: 'tool' } })
  })

  test.each([null, undefined, aSkill({ state: 'hidden' }), { state: 'removed' }])('there is none of %j', (stored) => {
    expect(toSearchDocument('acme/tool', stored)).toBeNull()
  })

  test('equal content has equal hashes, whatever the order of the fields and the private ones', () => {
    const stored = aSkill({ owner: 'Acme', repo: 'Tool' })
    const reordered = Object.fromEntries(Object.entries(stored).reverse())

    expect(hashOf(stored)).toMatch(/^[0-9a-f]{64}$/)
    expect(hashOf({ ...reordered, crawledAt: 'yesterday' })).toBe(hashOf(stored))
    expect(hashOf({ ...stored, stars: 1 })).not.toBe(hashOf(stored))
  })
})

function hashOf(stored: unknown): string | null {
  const document = toSearchDocument('acme/tool', stored)
  return document !== null && 'contentHash' in document ? document.contentHash : null
}
