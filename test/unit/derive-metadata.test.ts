import { describe, expect, test } from '@jest/globals'
import type { Document } from 'mongodb'
import { asDuplicate, deriveMetadata } from '../../shared/adapters/servers/mongo/catalog/derive-metadata.js'
import { defaultDocumentSettings } from '../../shared/records/document-settings.js'
import { aSkill } from '../support/factories.js'

const now = new Date('2026-03-01T12:00:00.000Z')
const later = new Date('2026-03-01T13:00:00.000Z')

const metadataOf = (document: Document, at = now) =>
  deriveMetadata('skills', { _id: 'acme/tool', ...document }, defaultDocumentSettings, at)
const aDocument = (overrides: Document = {}): Document => ({ ...aSkill({ repo: 'tool' }), ...overrides })

describe('the state of a document', () => {
  test.each([
    ['a repository of other characters', { repo: 'to ol' }, 'repo: must be 1 to 100 letters'],
    ['an unknown state', { state: 'gone' }, 'state: '],
    ['two faults', { repo: 'to ol', state: 'gone' }, /repo: .*state: |state: .*repo: /],
  ])('%s is a reason to reject it', (_what, fields, reason) => {
    const { state, reason: found, contentHash, skill } = metadataOf(aDocument(fields))

    expect([state, contentHash, skill]).toEqual(['rejected', null, null])
    expect(found).toMatch(reason)
  })

  test.each(['hidden', 'removed'])('a document that is %s is not rejected for its other fields', (state) => {
    expect(metadataOf({ state, stars: 'many' })).toMatchObject({ state, contentHash: null })
  })

  test('a second document of one skill is rejected by a reason that names the skill', () => {
    const document = aDocument({ _id: '65f1c0ffee' })

    expect(asDuplicate('skills', metadataOf(document), document)).toMatchObject({
      id: 'acme/tool#65f1c0ffee',
      state: 'rejected',
      reason: expect.stringMatching(/^id: another document is acme\/tool already\. .*MONGODB_FIELDS=/),
      contentHash: null,
    })
    const named = { ...metadataOf(document), id: 'acme/tool@saw' }
    expect(asDuplicate('skills', named, document).reason).toBe('id: another document is acme/tool@saw already')
  })
})

describe('what is to be logged of a document', () => {
  const stamped = (document: Document, at = now) => ({ ...document, _catalog: metadataOf(document, at) })
  const logged = (document: Document) => {
    const { pending, wasPublished, ...metadata } = metadataOf(document)
    return { ...document, _catalog: metadata }
  }

  test('a new document waits to be logged', () => {
    expect(metadataOf(aDocument())).toMatchObject({ state: 'published', pending: now, changedAt: now })
  })

  test('other public content is a change, and the time of waiting is that of the first change', () => {
    const changed = metadataOf({ ...logged(aDocument()), stars: 5 }, later)
    expect(changed).toMatchObject({ pending: later, wasPublished: true, changedAt: later })

    const again = metadataOf({ ...aDocument({ stars: 6 }), _catalog: changed }, new Date())
    expect(again).toMatchObject({ pending: later })
  })

  test('fields that the public does not see, and their order, change nothing', () => {
    const document = logged(aDocument())
    const reordered = Object.fromEntries(Object.entries(document).reverse())

    const metadata = metadataOf({ ...reordered, visits: 7 }, later)

    expect(metadata).toMatchObject({ changedAt: now, contentHash: document._catalog.contentHash })
    expect(metadata.hash).not.toBe(document._catalog.hash)
    expect(metadata).not.toHaveProperty('pending')
  })

  test('metadata of an earlier version waits to be logged, and keeps its time where nothing has changed', () => {
    const { contentHash, previousIds, pending, ...older } = metadataOf(aDocument())
    const document = { ...aDocument(), _catalog: { ...older, left: ['acme/old'] } }

    expect(metadataOf(document, later)).toMatchObject({
      changedAt: now,
      pending: later,
      previousIds: ['acme/old'],
      contentHash: expect.any(String),
    })
  })

  test('a document that gets another id remembers the previous one', () => {
    const renamed = metadataOf({ ...stamped(aDocument()), repo: 'new', id: 'acme/new' }, later)

    expect(renamed).toMatchObject({ id: 'acme/new', previousIds: ['acme/tool'], formerIds: ['acme/tool'] })
  })
  test('a template of addresses is a change of those documents that have none', () => {
    const settings = { ...defaultDocumentSettings, urlTemplate: 'https://code.example/{owner}/{repo}' }
    const derived = (document: Document) => deriveMetadata('skills', { _id: 'acme/tool', ...document }, settings, later)

    const without = logged(aDocument({ url: null }))
    expect(derived(without)).toMatchObject({ pending: later })
    expect(derived(without).contentHash).not.toBe(without._catalog.contentHash)
    const has = logged(aDocument({ url: 'https://git.example/acme/tool' }))
    // Read again all the same, since the template is another one.
    expect(derived(has)).toMatchObject({ contentHash: has._catalog.contentHash, changedAt: now })
    expect(derived(has).hash).not.toBe(has._catalog.hash)
    expect(derived(logged({ owner: 'a b', repo: 'tool' }))).toMatchObject({ state: 'rejected' })
  })
})
