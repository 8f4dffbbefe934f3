import { describe, expect, test } from '@jest/globals'
import { skillOf } from '../../../shared/records/skill.js'
import { aDocument, aSkill, documentOf } from '../../support/factories.js'
import type { IndexUnderTest } from './index-under-test.js'

/** The documents in a SearchIndex after publications and removals. */
export function applying({ index, apply, publish, search, suggested }: IndexUnderTest): void {
  describe('apply', () => {
    test('a replaced document is found and suggested by its new words only', async () => {
      const skill = aSkill({ repo: 'r', name: 'kumquat', stars: 1 })
      await apply({ publish: [documentOf(skill)], remove: [] })

      await apply({ publish: [documentOf({ ...skill, name: 'rhubarb', stars: 2 })], remove: [] })

      expect((await search('kumquat')).total).toBe(0)
      expect((await search('kumqaut')).total).toBe(0)
      expect((await search('rhubrab')).hits.map((hit) => skillOf(hit).stars)).toEqual([2])
      expect(await suggested('kumq')).toEqual([])
      expect(await suggested('rhub')).toEqual(['acme/r'])
    })

    test('a removed document is gone, and removing it again is harmless', async () => {
      const skill = aSkill({ name: 'kumquat' })
      await apply({ publish: [documentOf(skill)], remove: [] })

      await apply({ publish: [], remove: [skill.id, 'nobody/nothing'] })
      await apply({ publish: [], remove: [skill.id] })

      expect((await search('kumquat')).total).toBe(0)
      expect(await suggested('kumq')).toEqual([])
      expect((await index().status()).documents).toBe(0)
    })

    test('a text is found by its words; one that is replaced, dropped or removed with its skill is in no index', async () => {
      const skill = aSkill({ repo: 'tool', name: 'tool' })
      const textWords = async (word: string) => (await search(word)).hits.map((hit) => hit.textWords)
      const publishWith = (text: string | null) => apply({ publish: [{ ...documentOf(skill), text }], remove: [] })

      await publishWith('It peels kumquats.')
      expect(await textWords('kumquat')).toEqual([['kumquat']])
      expect(await textWords('tool')).toEqual([[]])
      // Only the text differs.
      await publishWith('It peels rhubarb.')
      expect([await textWords('kumquat'), await textWords('rhubarb')]).toEqual([[], [['rhubarb']]])
      await publishWith(null)
      expect(await textWords('rhubarb')).toEqual([])
      await publishWith('It peels rhubarb.')
      await apply({ publish: [], remove: [skill.id] })
      expect(await textWords('rhubarb')).toEqual([])
    })

    test('applied twice, everything is there once', async () => {
      const documents = [aSkill({ name: 'kumquat' }), aSkill({ name: 'kumquat' })].map(documentOf)

      await apply({ publish: documents, remove: [] })
      await apply({ publish: documents, remove: [] })

      expect((await search('kumquat')).total).toBe(2)
      expect((await index().status()).documents).toBe(2)
    })

    test('concurrent calls with different ids are all applied without rejections', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 2 * index().appliesAtOnce }, () =>
          apply({ publish: [aDocument({ name: 'kumquat' })], remove: [] }),
        ),
      )

      expect(outcomes.flatMap(({ rejected }) => rejected)).toEqual([])
      expect((await index().status()).documents).toBe(2 * index().appliesAtOnce)
    })

    test('more than a thousand documents of equal rank are all stored, and counted up to 1,000', async () => {
      await publish(...Array.from({ length: 1_001 }, () => ({ name: 'kumquat', stars: 3 })))

      expect((await index().status()).documents).toBe(1_001)
      for (const sort of ['relevance', 'stars'] as const) {
        expect(await search('kumquat', { sort })).toMatchObject({ total: 1_000, totalIsLowerBound: true })
      }
    })

    test('list returns every document with its hash, by id', async () => {
      const documents = ['c', 'a', 'b'].map((repo) => aDocument({ owner: 'acme', repo }))
      await apply({ publish: documents, remove: [] })

      expect(await index().list(null, 2, 'live')).toEqual([
        { id: 'acme/a', contentHash: documents[1]?.contentHash },
        { id: 'acme/b', contentHash: documents[2]?.contentHash },
      ])
      expect((await index().list('acme/b', 2, 'live')).map((each) => each.id)).toEqual(['acme/c'])
    })
  })
}
