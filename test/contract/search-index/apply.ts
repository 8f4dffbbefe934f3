import { describe, expect, test } from '@jest/globals'
import { aDocument, aSkill, documentOf } from '../../support/factories.js'
import type { IndexUnderTest } from './index-under-test.js'

/** What a SearchIndex holds after documents were published and removed. */
export function apply({ index, publish, search }: IndexUnderTest): void {
  describe('apply', () => {
    test('a replaced document is found by its new words only', async () => {
      const skill = aSkill({ repo: 'r', name: 'kumquat', stars: 1 })
      await index().apply({ publish: [documentOf(skill)], remove: [] })

      await index().apply({ publish: [documentOf({ ...skill, name: 'rhubarb', stars: 2 })], remove: [] })

      expect((await search('kumquat')).total).toBe(0)
      expect((await search('kumqaut')).total).toBe(0)
      expect((await search('rhubrab')).hits.map((hit) => hit.skill.stars)).toEqual([2])
    })

    test('a removed document is gone, and removing it again is harmless', async () => {
      const skill = aSkill({ name: 'kumquat' })
      await index().apply({ publish: [documentOf(skill)], remove: [] })

      await index().apply({ publish: [], remove: [skill.id, 'nobody/nothing'] })
      await index().apply({ publish: [], remove: [skill.id] })

      expect((await search('kumquat')).total).toBe(0)
      expect((await index().status()).documents).toBe(0)
    })

    test('applied twice, everything is there once', async () => {
      const documents = [aSkill({ name: 'kumquat' }), aSkill({ name: 'kumquat' })].map(documentOf)

      await index().apply({ publish: documents, remove: [] })
      await index().apply({ publish: documents, remove: [] })

      expect((await search('kumquat')).total).toBe(2)
      expect((await index().status()).documents).toBe(2)
    })

    test('several under way at a time, of different ids, all arrive, and nothing of them is rejected', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 2 * index().appliesAtOnce }, () =>
          index().apply({ publish: [aDocument({ name: 'kumquat' })], remove: [] }),
        ),
      )

      expect(outcomes.flatMap(({ rejected }) => rejected)).toEqual([])
      expect((await index().status()).documents).toBe(2 * index().appliesAtOnce)
    })

    test('a thousand documents that rank alike all find a place', async () => {
      await publish(
        ...Array.from({ length: 1_000 }, () => ({
          name: 'kumquat',
          stars: 3,
          updatedAt: '2026-01-01T00:00:00.000Z',
        })),
      )

      expect((await search('kumquat')).total).toBe(1_000)
    })

    test('list yields every document with its hash, by id', async () => {
      const documents = ['c', 'a', 'b'].map((repo) => aDocument({ owner: 'acme', repo }))
      await index().apply({ publish: documents, remove: [] })

      expect(await index().list(null, 2)).toEqual([
        { id: 'acme/a', contentHash: documents[1]?.contentHash },
        { id: 'acme/b', contentHash: documents[2]?.contentHash },
      ])
      expect((await index().list('acme/b', 2)).map((each) => each.id)).toEqual(['acme/c'])
    })
  })
}
