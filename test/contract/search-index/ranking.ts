import { describe, expect, test } from '@jest/globals'
import type { SearchQuery } from '../../../shared/ports/search-index.js'
import { type StoredSkill, skillOf } from '../../../shared/records/skill.js'
import { aSkill, documentOf } from '../../support/factories.js'
import type { IndexUnderTest } from './index-under-test.js'

/** Two skills of which the first fits a text better. */
type Pair = [rule: string, text: string, better: Partial<StoredSkill>, worse: Partial<StoredSkill>]

const pairs: Pair[] = [
  ['owner/repo before a name', 'ruby/lime', { owner: 'ruby', repo: 'lime' }, { name: 'Ruby lime' }],
  ['owner/repo with a typo', 'ruby/mnago', { owner: 'ruby', repo: 'mango' }, { name: 'The ruby mango' }],
  ['a name before a repository', 'ruby lime', { name: 'Ruby Lime' }, { repo: 'ruby-lime' }],
  ['a repository before a name with more words', 'ruby lime', { repo: 'ruby-lime' }, { name: 'Ruby lime x' }],
  ['a joined name', 'fast api', { name: 'FastAPI' }, { name: 'fast api x' }],
  ['a split name', 'nextjs', { name: 'Next JS' }, { name: 'nextjs x' }],
  ['a name with a typo', 'trraform', { name: 'Terraform' }, { name: 'terraform x' }],
  ['a name of function words', 'how to be', { name: 'How to be' }, { name: 'How', description: 'To be how?' }],
  ['all words before some', 'ruby lime', { description: 'Lime, as far as can be from ruby.' }, { name: 'Ruby' }],
  ['a word before its other forms', 'scraping x', { name: 'a scraping x' }, { name: 'a scrapes x' }],
  ['a word before its synonyms', 'kubernetes x', { description: 'A kubernetes x' }, { name: 'a k8s x' }],
  ['a form before a synonym', 'deploying x', { name: 'a deploys x' }, { name: 'a ship x' }],
  ['a word before what it begins', 'mango', { name: 'the mango' }, { name: 'the mangosteen' }],
  ['a name that is filled more', 'lime', { name: 'a lime' }, { name: 'a lime of many words' }],
  ['a name that begins with the word', 'lime', { name: 'lime and ruby' }, { name: 'ruby and lime' }],
  ['name before topics', 'lime', { name: 'the lime' }, { topics: ['lime'] }],
  ['repository before topics', 'lime', { repo: 'the-lime' }, { topics: ['lime'] }],
  ['topics before description', 'lime', { topics: ['the lime'] }, { description: 'Lime, lime.' }],
  ['description before owner', 'lime', { description: 'The lime.' }, { owner: 'lime' }],
  ['close words first', 'ruby lime', { description: 'A ruby lime.' }, { description: 'Lime for all who see a ruby.' }],
  ['function words as written', 'text to lime', { description: 'Text to lime.' }, { description: 'Text of lime.' }],
]

/** The order of a SearchIndex. */
export function ranking({ apply, publish, search, found }: IndexUnderTest): void {
  describe('in which order', () => {
    test('the skill that fits better stands first, the other has more stars', async () => {
      const wrong: unknown[] = []
      let previous: string[] = []
      for (const [rule, text, better, worse] of pairs) {
        const documents = [
          aSkill({ name: 'x', repo: 'better', stars: 0, ...better }),
          aSkill({ name: 'x', repo: 'worse', stars: 9_000, ...worse }),
        ].map(documentOf)
        const ids = documents.map(({ id }) => id)
        await apply({ publish: documents, remove: previous.filter((id) => !ids.includes(id)) })
        previous = ids

        const repos = await found(text)
        if (repos[0] !== documents[0]?.skill.repo) {
          wrong.push([rule, repos])
        }
      }
      expect(wrong).toEqual([])
    })

    test('a page of another size has the same order', async () => {
      const skills = (count: number, prefix: string, name: string) =>
        Array.from({ length: count }, (_, at) => ({ repo: `${prefix}${at}`, name: `${name} ${at}`, stars: at }))
      await publish(...skills(25, 'both', 'ruby lime'), ...skills(25, 'one', 'lime'))

      const pages = async (limit: number) => {
        const read = []
        for (let offset = 0; offset < 100; offset += limit) {
          read.push(await search('ruby lime', { offset, limit }))
        }
        return { totals: new Set(read.map(({ total }) => total)), hits: read.flatMap(({ hits }) => hits) }
      }
      expect(await pages(100)).toEqual(await pages(20))
    })

    test('a name is exact among the filtered skills too, and excluded as others are', async () => {
      await publish({ repo: 'a', name: 'PDF', description: 'dry', stars: 1 }, { repo: 'b', name: 'pdf' })
      await publish({ repo: 'c', name: 'pdf x', stars: 9 })

      expect(await found('pdf')).toEqual(['a', 'b', 'c'])
      expect(await found('pdf', { filters: { minStars: 1 } })).toEqual(['a', 'c'])
      expect(await found('pdf -dry')).toEqual(['b', 'c'])
    })

    test('rare words count more than frequent ones', async () => {
      await publish(
        ...Array.from({ length: 30 }, () => ({ description: 'tool' })),
        { repo: 'rare', name: 'kumquat', description: 'x' },
        { repo: 'frequent', name: 'tool', stars: 900 },
      )

      expect((await found('kumquat of tool'))[0]).toBe('rare')
      expect((await found('tool of kumquat'))[0]).toBe('rare')
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

      expect((await search('acme/pdf')).hits[0]?.score).toBe(1)
      const [first, second, third, last] = (await search('pdf')).hits.map((hit) => hit.score ?? -1)
      expect(first).toBe(0.98)
      expect(second).toBeLessThan(0.98)
      expect(second).toBe(third)
      expect(last).toBeLessThan(third ?? 0)
      expect(last).toBeGreaterThan(0)
    })

    test('of the id of a repository the skills in it come first, its own before them', async () => {
      await publish(
        { owner: 'acme', repo: 'kit', skill: 'csv', name: 'x', stars: 5 },
        { owner: 'acme', repo: 'kit', skill: 'pdf', name: 'x', stars: 50 },
        { owner: 'acme', repo: 'kit', name: 'x', stars: 1 },
        { owner: 'other', repo: 'acme-kit', name: 'Acme kit', stars: 9_000 },
        { owner: 'acme', repo: 'kits', name: 'kit', stars: 9_000 },
        { owner: 'acme', repo: 'other', skill: 'kit', name: 'kit', stars: 9_000 },
      )
      const placed = async (text: string, query: Partial<SearchQuery> = {}) =>
        (await search(text, { explain: true, ...query })).hits
          .slice(0, 4)
          .map((hit) => [skillOf(hit).id, hit.explanation?.placement, hit.score])

      const inKit = [
        ['acme/kit@pdf', 'owner/repo', 0.995],
        ['acme/kit@csv', 'owner/repo', 0.995],
      ]
      expect(await placed('Acme/kit')).toEqual([
        ['acme/kit', 'owner/repo', 1],
        ...inKit,
        ['other/acme-kit', 'name', 0.99],
      ])
      expect(await placed('acme/kit', { filters: { minStars: 5 } })).toEqual([
        ...inKit,
        ['other/acme-kit', 'name', 0.99],
        [expect.any(String), 'all words', expect.any(Number)],
      ])
      expect((await placed('acme kit'))[1]).toEqual(['other/acme-kit', 'name', 0.99])
    })

    test('an explanation says how each word was found, and where', async () => {
      await publish(
        { owner: 'acme', repo: 'pdf', name: 'x' },
        { repo: 'b', name: 'x', topics: ['pdf'], description: 'For documents.' },
        { repo: 'c', name: 'a pdf', stars: 1 },
      )
      const explained = async (text: string, query: Partial<SearchQuery> = {}) =>
        (await search(text, { explain: true, ...query })).hits.map((hit) => [
          skillOf(hit).repo,
          hit.explanation?.placement,
          ...(hit.explanation?.words ?? []).map(({ word, match }) => `${word}: ${match?.kind} ${match?.field}`),
        ])

      expect((await explained('acme/pdf'))[0]).toEqual(['pdf', 'owner/repo', 'acme: exact owner', 'pdf: exact repo'])
      expect((await explained('pdf'))[0]).toEqual(['pdf', 'name', 'pdf: exact repo'])
      const both = ['b', 'all words', 'documetns: typo description', 'pdf: exact topics']
      expect((await explained('a documetns of pdf'))[0]).toEqual(both)
      const some = await explained('submarine of pdf', { sort: 'stars' })
      expect(some[0]).toEqual(['c', 'some words', 'submarine: undefined undefined', 'pdf: exact name'])
      expect((await search('pdf')).hits[0]?.explanation).toBeNull()
    })

    test('sorted by a column: skills with all words, and where there is none those with some', async () => {
      await publish(
        { repo: 'a', description: 'kumquat rhubarb', stars: 1 },
        { repo: 'b', description: 'rhubarb', stars: 9 },
        { repo: 'c', description: 'kumquat', stars: 3 },
        { repo: 'd', description: 'kumquat', stars: 4 },
      )

      expect(await found('kumquat rhubarb', { sort: 'stars' })).toEqual(['a'])
      expect(await found('submarine rhubarb', { sort: 'stars' })).toEqual(['b', 'a'])
    })

    test('pages continue after the previous one, within the exact matches, the weighed ones and the others', async () => {
      await publish(
        { owner: 'pdf', repo: 'tools', name: 'x', stars: 30 },
        ...Array.from({ length: 70 }, (_, n) => ({ repo: `exact-${n}`, name: 'PDF Tools', stars: n % 7 })),
        ...Array.from({ length: 80 }, (_, n) => ({ repo: `other-${n}`, name: 'more pdf tools', stars: 100 + n })),
        ...Array.from({ length: 25 }, (_, n) => ({ repo: `some-${n}`, name: `pdf ${n}`, stars: n })),
      )
      const pages = async (limit: number) => {
        const offsets = Array.from({ length: Math.ceil(160 / limit) }, (_, page) => page * limit)
        return (await Promise.all(offsets.map((offset) => found('pdf tools', { offset, limit })))).flat()
      }
      const { total, hits } = await search('pdf tools', { limit: 100 })

      expect(total).toBe(151)
      expect(new Set(await pages(20)).size).toBe(151)
      expect(await pages(20)).toEqual(await pages(100))
      expect(hits[0]?.score).toBe(1)
      expect(hits.slice(1, 71).map((hit) => skillOf(hit).name)).toEqual(Array(70).fill('PDF Tools'))
      expect(await found('pdf tools', { offset: 160 })).toEqual([])
    })
  })
}
