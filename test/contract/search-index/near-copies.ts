import { describe, expect, test } from '@jest/globals'
import type { Vector } from '../../../shared/ports/embedder.js'
import type { SearchQuery } from '../../../shared/ports/search-index.js'
import { type StoredSkill, skillOf } from '../../../shared/records/skill.js'
import { aDocument, aLongText } from '../../support/factories.js'
import { aVector } from '../../support/test-model.js'
import type { IndexUnderTest } from './index-under-test.js'

/** What a SearchIndex does with skills whose SKILL.md nearly repeats that of another. */
export function nearCopies({ index, apply, search, found }: IndexUnderTest): void {
  describe('near copies', () => {
    const publish = (...skills: [skill: Partial<StoredSkill>, text: string | null, vector?: Vector][]) =>
      apply({
        publish: skills.map(([skill, text, vector = null]) => ({ ...aDocument(skill), text, vector })),
        remove: [],
      })
    const hitsOf = async (words: string, query: Partial<SearchQuery> = {}) =>
      (await search(words, { fold: true, ...query })).hits.map((hit) => [skillOf(hit).repo, hit.duplicates])
    const guide = aLongText('guide')

    test('are left out where the search folds copies, and counted', async () => {
      await publish(
        [{ repo: 'original', description: 'Reads invoices', stars: 9, license: 'MIT' }, guide],
        [{ repo: 'edited', description: 'Books invoices', stars: 5, license: 'MIT' }, `${guide} With a further line.`],
        [{ repo: 'other', description: 'Sends invoices', stars: 7, license: 'ISC' }, aLongText('another')],
        [{ repo: 'brief', description: 'Sorts invoices', stars: 6 }, 'Too short to compare.'],
        [{ repo: 'too-brief', description: 'Files invoices', stars: 4 }, 'Too short to compare.'],
        [{ repo: 'without', description: 'Lists invoices', stars: 3 }, null],
      )

      const page = await search('invoices', { fold: true, facets: ['license'] })
      expect(page.hits.map((hit) => [skillOf(hit).repo, hit.duplicates])).toEqual([
        ['original', 1],
        ['other', 0],
        ['brief', 0],
        ['too-brief', 0],
        ['without', 0],
      ])
      const license = [
        { value: 'ISC', count: 1 },
        { value: 'MIT', count: 1 },
      ]
      expect(page).toMatchObject({ total: 5, facets: { license } })
      expect(await search('invoices')).toMatchObject({ total: 6, hits: Array(6).fill({ duplicates: 0 }) })
      expect(await hitsOf('invoices', { filters: { minStars: 8 } })).toEqual([['original', 0]])
    })

    test('of one name are compared without it', async () => {
      const about = (name: string) => guide.replaceAll(/\b(?:a|the)\b/g, name)
      await publish(
        [{ repo: 'notion', name: 'notion', description: 'Automates tasks', stars: 9 }, about('notion')],
        [{ repo: 'slack', name: 'slack', description: 'Automates tasks', stars: 5 }, about('slack')],
      )

      expect(await hitsOf('automate tasks')).toEqual([['notion', 1]])
      expect(await hitsOf('automate tasks in slack')).toEqual([['slack', 1]])
      expect((await hitsOf('automate notion and slack')).sort()).toEqual([
        ['notion', 0],
        ['slack', 0],
      ])
    })

    test('count their own copies', async () => {
      const description = 'Reads invoices from many suppliers and books them at once.'
      await publish(
        [{ repo: 'original', description: 'Reads invoices', stars: 9 }, guide],
        [{ repo: 'edited', description, stars: 5 }, `${guide} With a further line.`],
        [{ repo: 'copy', description, stars: 4 }, null],
      )

      expect(await hitsOf('invoices')).toEqual([['original', 2]])
    })

    test('are found by meaning as by words, and one that is named by owner/repo is shown in front', async () => {
      await publish(
        [{ repo: 'original', description: 'Reads invoices', stars: 9 }, guide, aVector(1)],
        [{ owner: 'fork', repo: 'edited', description: 'Books bills' }, `${guide} Further.`, aVector(1, 0.1)],
        [{ repo: 'third', description: 'bookkeeping' }, aLongText('another'), aVector(1, 1)],
      )

      for (const alone of [false, true]) {
        const meaning = { vector: aVector(1), alone }
        expect(await hitsOf('ledgers', { meaning })).toEqual([
          ['original', 1],
          ['third', 0],
        ])
        expect((await hitsOf('fork/edited', { meaning }))[0]).toEqual(['edited', 1])
      }
      const related = await index().related('acme/original', 5)
      expect(related.map((each) => skillOf(each).repo)).toEqual(['third'])
    })

    test('are shown on no page', async () => {
      const groups = 30
      await publish(
        ...Array.from({ length: 2 * groups }, (_, n): [Partial<StoredSkill>, string] => [
          { repo: `skill-${n}`, description: 'Reads invoices', stars: n },
          `${aLongText(`group ${n % groups}`)} Number ${n}.`,
        ]),
      )

      const shown: string[] = []
      for (let offset = 0; offset < groups; offset += 20) {
        expect(await search('reads invoices', { fold: true, offset })).toMatchObject({ total: groups })
        shown.push(...(await found('reads invoices', { fold: true, offset })))
      }
      expect(shown).toHaveLength(groups)
      expect(new Set(shown.map((repo) => Number(repo.slice('skill-'.length)) % groups)).size).toBe(groups)
    })
  })
}
