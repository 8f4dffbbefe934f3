import { describe, expect, test } from '@jest/globals'
import type { Vector } from '../../../shared/ports/embedder.js'
import type { SearchQuery } from '../../../shared/ports/search-index.js'
import { type StoredSkill, skillOf } from '../../../shared/records/skill.js'
import { aDocument } from '../../support/factories.js'
import { aVector } from '../../support/test-model.js'
import type { IndexUnderTest } from './index-under-test.js'

/** A search by words and meaning, or by meaning alone. */
const near = (...numbers: number[]): Partial<SearchQuery> => ({
  meaning: { vector: aVector(...numbers), alone: false },
})
const onlyNear = (...numbers: number[]): Partial<SearchQuery> => ({
  meaning: { vector: aVector(...numbers), alone: true },
})

/** The searches of a SearchIndex by meaning, with vectors that the tests make. */
export function meaning({ apply, publish, publishVectors, search, found }: IndexUnderTest): void {
  describe('meaning', () => {
    test('a skill is found by words, by its meaning, or by both, which places it first', async () => {
      await publishVectors(
        [{ repo: 'words', description: 'reads invoices', stars: 9 }, aVector(0, 0, 1)],
        [{ repo: 'both', description: 'reads invoices', stars: 1 }, aVector(1, 0.2)],
        [{ repo: 'meaning', description: 'bookkeeping' }, aVector(1, 0.1)],
        [{ repo: 'neither', description: 'weather' }, aVector(0, 1)],
        [{ repo: 'no-vector', description: 'reads invoices' }, null],
      )

      const page = await search('invoices', { ...near(1), explain: true })

      expect(page.hits.map((hit) => [skillOf(hit).repo, hit.explanation?.placement])).toEqual([
        ['both', 'all words'],
        ['words', 'all words'],
        ['no-vector', 'all words'],
        ['meaning', 'meaning'],
      ])
      expect(page.hits.map((hit) => hit.explanation?.similarity)).toEqual([
        expect.closeTo(0.981, 2),
        null,
        null,
        expect.closeTo(0.995, 2),
      ])
      expect(page).toMatchObject({ total: 4, totalIsLowerBound: false, byMeaning: true })
      const scores = page.hits.map(({ score }) => score ?? 0)
      expect(scores).toEqual([...scores].sort((a, b) => b - a))
      expect(Math.max(...scores)).toBeLessThanOrEqual(0.97)
    })

    test('an exact owner/repo and exact names stay first, as they are without meaning', async () => {
      await publishVectors(
        [{ owner: 'pdf', repo: 'tools', name: 'other' }, aVector(0, 1)],
        [{ repo: 'a', name: 'PDF Tools' }, null],
        [{ repo: 'b', description: 'pdf tools' }, aVector(1)],
      )

      const { hits } = await search('pdf tools', { ...near(1), explain: true })

      expect(hits.map((hit) => [skillOf(hit).repo, hit.explanation?.placement])).toEqual([
        ['tools', 'owner/repo'],
        ['a', 'name'],
        ['b', 'all words'],
      ])
      expect(hits.slice(0, 2).map(({ score }) => score)).toEqual([1, 0.99])
    })

    test('by meaning alone all skills of a repository are found by its id, its own first', async () => {
      const several = Array.from({ length: 65 }, (_, at) => ({ skill: `s${at}`, stars: at + 10 }))
      await publish(...[...several, { stars: 1 }].map((each) => ({ ...each, owner: 'acme', repo: 'kit', name: 'x' })), {
        owner: 'other',
        repo: 'far',
        name: 'other',
      })

      const { hits, total } = await search('acme/kit', { ...onlyNear(1), limit: 100 })

      expect(hits.slice(0, 2).map((hit) => skillOf(hit).id)).toEqual(['acme/kit', 'acme/kit@s64'])
      expect([hits.length, total]).toEqual([66, 66])
    })

    test('the meaning places more than a word, where no skill has the others', async () => {
      const text = 'Edits documents in a terminal.'
      const document = (skill: Partial<StoredSkill>, vector: Vector) => ({ ...aDocument(skill), vector })
      await apply({
        publish: [
          { ...document({ repo: 'word', description: text }, aVector(0, 1)), text },
          document({ repo: 'near', description: 'Phones a shop and books a visit.' }, aVector(0.6, 0, 0.8)),
        ],
        remove: [],
      })

      expect(await found('beim Friseur anrufen terminal', near(1))).toEqual(['near', 'word'])
    })

    test('a text without words finds nothing, which is no fault', async () => {
      await publishVectors([{ repo: 'near' }, aVector(1)])

      expect(await search('!?', near(1))).toMatchObject({ hits: [], total: 0, byMeaning: true })
    })

    test('by meaning alone, the nearest come first, and their cosine is the score', async () => {
      await publishVectors(
        [{ repo: 'far', description: 'invoices' }, aVector(0, 1)],
        [{ repo: 'second', description: 'ledgers' }, aVector(0.8, 0.6)],
        [{ repo: 'first', name: 'bookkeeping' }, aVector(1, 0.1)],
        [{ repo: 'opposite', description: 'invoices' }, aVector(-1)],
        [{ repo: 'no-vector', description: 'invoices' }, null],
      )

      const page = await search('invoices', { ...onlyNear(1), explain: true })

      expect(page.hits.map((hit) => skillOf(hit).repo)).toEqual(['first', 'second'])
      expect(page.hits.map(({ score }) => score)).toEqual([expect.closeTo(0.995, 2), expect.closeTo(0.8, 2)])
      expect(page.hits.map(({ explanation }) => explanation?.placement)).toEqual(['meaning', 'meaning'])
      expect(page).toMatchObject({ total: 2, totalIsLowerBound: false, byMeaning: true })
    })

    test('excluded words and phrases hold for skills that are found by their meaning', async () => {
      await publishVectors(
        [{ repo: 'a', description: 'converts invoices' }, aVector(1)],
        [{ repo: 'b', description: 'prints invoices' }, aVector(1)],
        [{ repo: 'c', topics: ['converts', 'invoices'] }, aVector(1)],
      )

      for (const way of [near(1), onlyNear(1)]) {
        expect((await found('ledgers -prints', way)).sort()).toEqual(['a', 'c'])
        expect((await found('ledgers -"converts invoices"', way)).sort()).toEqual(['b', 'c'])
        expect(await found('"converts invoices"', way)).toEqual(['a'])
        expect(await found('"invoices converts"', way)).toEqual([])
      }
    })

    test('filters narrow the nearest, and facets and the total count them', async () => {
      await publishVectors(
        [{ repo: 'a', description: 'invoices', license: 'MIT', topics: ['x', 'y'] }, aVector(1)],
        [{ repo: 'b', description: 'ledgers', license: 'MIT', topics: ['x'] }, aVector(1)],
        [{ repo: 'c', description: 'ledgers', license: 'ISC' }, aVector(1)],
        [{ repo: 'd', description: 'invoices', license: 'ISC' }, null],
      )

      const mit = await search('invoices', { ...near(1), filters: { license: 'mit' } })
      expect(mit.hits.map((hit) => skillOf(hit).repo)).toEqual(['a', 'b'])
      expect(mit.total).toBe(2)
      expect(await found('invoices', { ...onlyNear(1), filters: { license: 'ISC' } })).toEqual(['c'])
      const { total, facets } = await search('invoices', { ...near(1), limit: 1, facets: ['license', 'topics'] })
      expect(total).toBe(4)
      expect(facets).toEqual({
        license: [
          { value: 'ISC', count: 2 },
          { value: 'MIT', count: 2 },
        ],
        topics: [
          { value: 'x', count: 2 },
          { value: 'y', count: 1 },
        ],
      })
    })

    test('the meaning does not count in other orders, for a text without known words, or for exclusions only', async () => {
      await publishVectors(
        [{ repo: 'a', description: 'invoices' }, aVector(1)],
        [{ repo: 'b', description: 'ledgers' }, aVector(1)],
      )

      for (const [text, query] of [
        ['invoices', { sort: 'stars', ...near(1) }],
        ['invoices', near()],
        ['invoices', onlyNear()],
        ['-ledgers', near(1)],
        ['invoices', {}],
      ] as const) {
        const page = await search(text, query)
        expect(page.hits.map((hit) => skillOf(hit).repo)).toEqual(['a'])
        expect(page.byMeaning).toBe(false)
      }
    })

    test('an index of skills without vectors answers by words', async () => {
      await publish({ repo: 'a', description: 'invoices' }, { repo: 'b', description: 'ledgers' })

      expect(await found('invoices', near(1))).toEqual(['a'])
      expect(await found('invoices', onlyNear(1))).toEqual([])
    })

    test.each([
      // By words; some of the nearest, which only the meaning finds, come to that.
      ['words and meaning', false, 200],
      ['meaning alone', true, 219],
    ])('pages by %s show each hit once', async (_name, alone, moreThan) => {
      const turned = (by: number) => aVector(1, by / 400)
      await publishVectors(
        ...Array.from({ length: 200 }, (_, n): [Partial<StoredSkill>, Vector | null] => [
          { name: `skill ${n}`, description: 'reads invoices', stars: n },
          n % 5 < 3 ? null : n % 5 === 3 ? aVector(0, 0, 1) : turned(n),
        ]),
        ...Array.from({ length: 180 }, (_, n): [Partial<StoredSkill>, Vector] => [
          { description: 'bookkeeping', stars: n },
          turned(2 * n + 1),
        ]),
      )
      const pages = async (limit: number) => {
        const shown: { ids: string[]; total: number }[] = []
        for (let offset = 0; offset < 300; offset += limit) {
          const page = await search('reading invoices', {
            meaning: { vector: aVector(1), alone },
            offset,
            limit,
          })
          shown.push({ ids: page.hits.map((hit) => skillOf(hit).id), total: page.total })
        }
        return shown
      }

      const small = await pages(20)
      const ids = small.flatMap((page) => page.ids)
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids.length).toBeGreaterThan(moreThan)
      expect(ids).toEqual((await pages(100)).flatMap((page) => page.ids))
      expect(small.at(-1)?.total).toBe(ids.length)
    })
  })
}
