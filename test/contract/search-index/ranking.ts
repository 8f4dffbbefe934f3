import { describe, expect, test } from '@jest/globals'
import type { StoredSkill } from '../../../shared/records/skill.js'
import { aSkill, documentOf } from '../../support/factories.js'
import type { IndexUnderTest } from './index-under-test.js'

/** The ranking of a SearchIndex. */
export function ranking({ apply, publish, search, found }: IndexUnderTest): void {
  describe('in which order', () => {
    test('exact owner/repo, exact name, then name before topics before description', async () => {
      await publish(
        { owner: 'x', repo: 'described', description: 'acme pdf', stars: 9_000 },
        { owner: 'x', repo: 'tagged', topics: ['acme pdf'], stars: 8_000 },
        { owner: 'x', repo: 'named', name: 'Great acme pdf thing', stars: 7_000 },
        { owner: 'x', repo: 'exactly', name: 'Acme PDF', stars: 0 },
        { owner: 'acme', repo: 'pdf', name: 'Something', stars: 0 },
      )

      expect(await found('acme/pdf')).toEqual(['pdf', 'exactly', 'named', 'tagged', 'described'])
      expect(await found('acme pdf')).toEqual(['pdf', 'exactly', 'named', 'tagged', 'described'])
    })

    test('each step of the ranking takes precedence over the next, and stars over none of them', async () => {
      const better: [step: string, text: string, better: Partial<StoredSkill>, worse: Partial<StoredSkill>][] = [
        ['the id', 'ruby/lime', { owner: 'ruby', repo: 'lime', name: 'x' }, { name: 'Ruby lime' }],
        [
          'the name',
          'ruby lime',
          { name: 'Ruby lime' },
          { name: 'The ruby lime tool', description: 'Ruby lime, ruby lime.' },
        ],
        [
          'all of the words',
          'ruby lime',
          { description: 'The lime, far from every other thing, of ruby.' },
          { name: 'Ruby tool' },
        ],
        [
          'fewer typos',
          'apple banana',
          { description: 'Apple one two three four five six seven banana.' },
          { name: 'the apple bananna' },
        ],
        [
          'closeness',
          'apple banana',
          { description: 'An apple banana.' },
          { name: 'apple or one more kind of banana' },
        ],
        ['name before topics', 'mango', { name: 'the mango' }, { topics: ['mango'] }],
        ['topics before description', 'mango', { topics: ['the mango'] }, { description: 'Mango, mango, mango.' }],
        ['field before exactness', 'mango', { name: 'the mangosteen' }, { description: 'A mango.' }],
        ['exactness', 'mango', { name: 'the mango' }, { name: 'the mangosteen' }],
        ['exactness of two', 'apple mango', { name: 'the apple mango' }, { name: 'the apple mangosteen' }],
      ]
      for (const [step, text, first, second] of better) {
        const { owner = 'acme', repo = 'first' } = first
        const documents = [
          aSkill({ ...first, owner, repo, stars: 0 }),
          aSkill({ name: 'x', ...second, repo: 'second', stars: 9_000 }),
        ].map(documentOf)
        await apply({ publish: documents, remove: [] })

        expect({ step, found: (await found(text)).at(0) }).toEqual({ step, found: repo })

        await apply({ publish: [], remove: documents.map(({ id }) => id) })
      }
    })

    test('adjacent words rank before distant words', async () => {
      await publish(
        { repo: 'apart', description: 'invoice one two three four five six seven eight nine ten reader', stars: 99 },
        { repo: 'together', description: 'an invoice reader', stars: 1 },
      )

      expect(await found('invoice reader')).toEqual(['together', 'apart'])
    })

    test('a whole word ranks before a prefix of a longer one', async () => {
      await publish({ repo: 'x1', name: 'the pdfium tool', stars: 99 }, { repo: 'x2', name: 'the pdf tool', stars: 1 })

      expect(await found('pdf')).toEqual(['x2', 'x1'])
    })

    test('stars, then freshness, only break ties', async () => {
      await publish(
        { repo: 'n1', name: 'the pdf', stars: 5, updatedAt: '2024-01-01T00:00:00.000Z' },
        { repo: 'n2', name: 'the pdf', stars: 5, updatedAt: '2026-01-01T00:00:00.000Z' },
        { repo: 'n3', name: 'the pdf', stars: 500 },
        { repo: 'n4', name: 'the pdf', stars: null },
        { repo: 'n5', name: 'the pdf', stars: 5, updatedAt: null },
      )

      expect(await found('pdf')).toEqual(['n3', 'n2', 'n1', 'n5', 'n4'])
    })

    test('scores fall with the order, are equal for equal fitness, and are 1 for the exact id', async () => {
      await publish(
        { owner: 'acme', repo: 'pdf', name: 'x' },
        { repo: 'a', name: 'the pdf', stars: 5 },
        { repo: 'b', name: 'the pdf', stars: 50 },
        { repo: 'c', description: 'pdf' },
      )

      const scores = (await search('acme/pdf')).hits.map((hit) => hit.score)
      expect(scores[0]).toBe(1)
      const [first, second, third, last] = (await search('pdf')).hits.map((hit) => hit.score ?? -1)
      expect(first).toBeGreaterThan(second ?? 1)
      expect(second).toBe(third)
      expect(last).toBeLessThan(third ?? 0)
      expect(last).toBeGreaterThan(0)
    })

    test.each([
      ['stars', 'desc', ['c', 'a', 'b', 'd']],
      ['stars', 'asc', ['b', 'a', 'c', 'd']],
      ['updated', 'desc', ['b', 'a', 'd', 'c']],
      ['updated', 'asc', ['d', 'a', 'b', 'c']],
      ['created', 'desc', ['d', 'c', 'a', 'b']],
      ['created', 'asc', ['a', 'c', 'd', 'b']],
      ['name', 'asc', ['a', 'b', 'c', 'd']],
      ['name', 'desc', ['d', 'c', 'b', 'a']],
    ] as const)('sorted by %s %s, absent values last', async (sort, order, repos) => {
      const day = (year: number) => `${year}-01-01T00:00:00.000Z`
      await publish(
        { repo: 'a', name: 'A pdf', stars: 5, updatedAt: day(2025), createdAt: day(2021) },
        { repo: 'b', name: 'B pdf', stars: 1, updatedAt: day(2026) },
        { repo: 'c', name: 'C pdf', stars: 9, createdAt: day(2022) },
        { repo: 'd', name: 'd pdf', stars: null, updatedAt: day(2024), createdAt: day(2023) },
      )

      const page = await search('pdf', { sort, order })
      expect(page.hits.map((hit) => hit.skill.repo)).toEqual(repos)
      expect(page.hits[0]?.score).toBeNull()
    })

    test('pages continue after the previous one', async () => {
      await publish(
        ...Array.from({ length: 45 }, (_, n) => ({ description: 'pdf', stars: n % 7, name: n % 3 ? 'x' : 'pdf' })),
      )
      const whole = await found('pdf', { limit: 100 })

      const pages = await Promise.all([0, 20, 40].map((offset) => found('pdf', { offset, limit: 20 })))

      expect(pages.flat()).toEqual(whole)
      expect(new Set(whole).size).toBe(45)
      expect(await found('pdf', { offset: 60 })).toEqual([])
    })
  })
}
