import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { SearchDocument, SearchIndex, SearchQuery } from '../../shared/ports/search-index.js'
import { type StoredSkill, toPublicSkill } from '../../shared/records/skill.js'
import { aSkill } from '../support/factories.js'

const documentOf = (skill: StoredSkill): SearchDocument => ({
  id: skill.id,
  contentHash: `hash of ${JSON.stringify(skill)}`,
  skill: toPublicSkill(skill),
})

/** Texts made of what means something to engines. */
const syntax = fc
  .array(
    fc.constantFrom(
      '"',
      "'",
      '*',
      '-',
      '^',
      '(',
      ')',
      '{',
      '}',
      ':',
      '=',
      ' ',
      '\\',
      'AND',
      'NOT',
      'NEAR',
      'pdf',
      '語',
    ),
    {
      minLength: 1,
      maxLength: 40,
    },
  )
  .map((parts) => parts.join('').trim() || '"')

/**
 * What every SearchIndex keeps, whatever is underneath.
 *
 * @param open opens an empty index
 */
export function searchIndexContract(name: string, open: () => Promise<SearchIndex>): void {
  describe(`search index: ${name}`, () => {
    let index: SearchIndex
    beforeEach(async () => {
      index = await open()
    })
    afterEach(() => index.close())

    const publish = (...skills: Partial<StoredSkill>[]) =>
      index.apply({ publish: skills.map((skill) => documentOf(aSkill(skill))), remove: [] })
    const search = (text: string, query: Partial<SearchQuery> = {}) =>
      index.search({
        text,
        filters: {},
        sort: 'relevance',
        order: 'desc',
        limit: 20,
        offset: 0,
        facets: [],
        highlight: false,
        ...query,
      })
    const found = async (text: string, query: Partial<SearchQuery> = {}) =>
      (await search(text, query)).hits.map((hit) => hit.skill.repo)

    describe('what is found', () => {
      test('words in name, repository, topics, description and owner', async () => {
        await publish(
          { repo: 'a', name: 'Kumquat' },
          { repo: 'kumquat-peeler', name: 'b' },
          { repo: 'c', topics: ['kumquat'] },
          { repo: 'd', description: 'About the kumquat.' },
          { owner: 'kumquat', repo: 'e' },
          { repo: 'f', description: 'About the apple.' },
        )

        const page = await search('kumquat')

        expect(page.total).toBe(5)
        expect(page.hits.map((hit) => hit.skill.repo).slice(0, 3)).toEqual(['a', 'kumquat-peeler', 'c'])
      })

      test('the last word matches as a prefix, the others do not', async () => {
        await publish({ repo: 'markdown-to-pdf' }, { repo: 'mark-pdf' })

        expect(await found('markdown pd')).toEqual(['markdown-to-pdf'])
        expect(await found('mark pdf')).toEqual(['mark-pdf'])
      })

      test.each(['markdown-to-pdf', 'markdown_to.pdf', 'MARKDOWN/TO/PDF', '  markdown   to pdf '])(
        'separators and case make no difference: %j',
        async (text) => {
          await publish({ repo: 'markdown-to-pdf' })

          expect(await found(text)).toEqual(['markdown-to-pdf'])
        },
      )

      test('diacritics and compatibility forms fold, in the text and in the query', async () => {
        await publish(
          { repo: 'a', name: 'Übersetzung für Cafés' },
          { repo: 'b', name: 'ubersetzung' },
          { repo: 'c', name: 'Поиск ФАЙЛОВ' },
        )

        expect((await found('übersetzung')).sort()).toEqual(['a', 'b'])
        expect(await found('cafes')).toEqual(['a'])
        expect(await found('ｃａｆéｓ')).toEqual(['a'])
        expect(await found('ПОИСК файлов')).toEqual(['c'])
      })

      test('a word of 5 letters forgives one typo, one of 9 two, a shorter one none', async () => {
        await publish({ repo: 'a', name: 'table' }, { repo: 'b', name: 'terraform' }, { repo: 'c', name: 'pdfs' })

        expect(await found('tabel')).toEqual(['a'])
        expect(await found('tabble')).toEqual(['a'])
        expect(await found('taple')).toEqual(['a'])
        expect(await found('tbale')).toEqual(['a'])
        expect(await found('taqqe')).toEqual([])
        expect(await found('teraform')).toEqual(['b'])
        expect(await found('terrofarm')).toEqual(['b'])
        expect(await found('terrrafoorm')).toEqual(['b'])
        expect(await found('pfds')).toEqual([])
      })

      test('a word that is corrected comes behind one that is written so', async () => {
        await publish({ repo: 'a', description: 'a tablet', stars: 1 }, { repo: 'b', name: 'tables', stars: 900 })

        expect((await found('tablet')).at(0)).toBe('a')
      })

      test.each([
        ['データ', ['a']],
        ['分析', ['a']],
        ['データ分析', ['a']],
        ['析分', []],
        ['数据', ['b']],
        ['문서', ['c']],
      ])('text without spaces is found by any part of it: %s', async (text, repos) => {
        await publish(
          { repo: 'a', name: '日本語のデータ分析ツール' },
          { repo: 'b', description: '分折数据的工具' },
          { repo: 'c', name: '한국어문서도구' },
        )

        expect(await found(text)).toEqual(repos)
      })

      test('an emoji is a word', async () => {
        await publish({ repo: 'a', name: 'Crab 🦀 tools' }, { repo: 'b', name: 'Crab tools' })

        expect(await found('🦀')).toEqual(['a'])
      })

      test('a word in camel case is found by its parts', async () => {
        await publish({ repo: 'LangChain' })

        expect(await found('chain')).toEqual(['LangChain'])
        expect(await found('langchain')).toEqual(['LangChain'])
      })

      test('quotes ask for a phrase, taken as it is', async () => {
        await publish(
          { repo: 'a', description: 'convert markdown to pdf quickly' },
          { repo: 'b', description: 'pdf to markdown' },
          { repo: 'c', description: 'markdown to pdfium' },
        )

        expect(await found('"markdown to pdf"')).toEqual(['a'])
        expect(await found('"markdwon to pdf"')).toEqual([])
        expect(await found('“pdf to”')).toEqual(['b'])
      })

      test('a minus excludes a word or a phrase, and alone lists everything else', async () => {
        await publish({ repo: 'a', name: 'pdf reader' }, { repo: 'b', name: 'pdf writer' }, { repo: 'c', name: 'csv' })

        expect(await found('pdf -writer')).toEqual(['a'])
        expect(await found('pdf -"pdf reader"')).toEqual(['b'])
        expect((await found('-pdf')).sort()).toEqual(['c'])
        expect(await found('well-pdf reader')).not.toEqual([])
      })

      test('when no skill has all the words, those with most of them come first', async () => {
        await publish(
          { repo: 'one', description: 'kumquat' },
          { repo: 'two', description: 'kumquat and rhubarb' },
          { repo: 'none', description: 'apple' },
        )

        const page = await search('kumquat rhubarb submarine')

        expect(page.hits.map((hit) => hit.skill.repo)).toEqual(['two', 'one'])
        expect(page.total).toBe(2)
      })

      test('every word of a long text is asked for', async () => {
        const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
        await publish({ repo: 'all', name: words.join(' ') }, { repo: 'most', name: words.slice(0, -1).join(' ') })

        expect(await found(words.join(' '))).toEqual(['all'])
        expect(await found(`${words.join(' ')} -two`)).toEqual([])
      })
    })

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

      test('each step of the ranking decides before the next, and stars before none of them', async () => {
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
          await index.apply({ publish: documents, remove: [] })

          expect({ step, found: (await found(text)).at(0) }).toEqual({ step, found: repo })

          await index.apply({ publish: [], remove: documents.map(({ id }) => id) })
        }
      })

      test('words that stand together come before words apart', async () => {
        await publish(
          { repo: 'apart', description: 'invoice one two three four five six seven eight nine ten reader', stars: 99 },
          { repo: 'together', description: 'an invoice reader', stars: 1 },
        )

        expect(await found('invoice reader')).toEqual(['together', 'apart'])
      })

      test('a whole word comes before one that only begins so', async () => {
        await publish(
          { repo: 'x1', name: 'the pdfium tool', stars: 99 },
          { repo: 'x2', name: 'the pdf tool', stars: 1 },
        )

        expect(await found('pdf')).toEqual(['x2', 'x1'])
      })

      test('stars, then freshness, break ties only', async () => {
        await publish(
          { repo: 'n1', name: 'the pdf', stars: 5, updatedAt: '2024-01-01T00:00:00.000Z' },
          { repo: 'n2', name: 'the pdf', stars: 5, updatedAt: '2026-01-01T00:00:00.000Z' },
          { repo: 'n3', name: 'the pdf', stars: 500 },
          { repo: 'n4', name: 'the pdf', stars: null },
          { repo: 'n5', name: 'the pdf', stars: 5, updatedAt: null },
        )

        expect(await found('pdf')).toEqual(['n3', 'n2', 'n1', 'n5', 'n4'])
      })

      test('scores fall with the order, are equal for equal fits, and are 1 for the very id', async () => {
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
      ] as const)('sorted by %s %s, values that are absent last', async (sort, order, repos) => {
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

      test('pages continue where the one before ended', async () => {
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

    describe('filters, facets and highlights', () => {
      test('filters narrow hits and total', async () => {
        await publish(
          {
            owner: 'Acme',
            repo: 'a',
            name: 'pdf',
            topics: ['c#', 'memory optimization'],
            license: 'Apache-2.0',
            language: 'C++',
            stars: 10,
            updatedAt: '2026-02-01T00:00:00.000Z',
          },
          { owner: 'acme-labs', repo: 'b', name: 'pdf', topics: ['c'], license: 'Apache', archived: true, stars: 3 },
        )

        const hits = async (filters: SearchQuery['filters']) => {
          const page = await search('pdf', { filters })
          expect(page.total).toBe(page.hits.length)
          return page.hits.map((hit) => hit.skill.repo)
        }
        expect(await hits({ owner: 'acme' })).toEqual(['a'])
        expect(await hits({ topics: ['c#'] })).toEqual(['a'])
        expect(await hits({ topics: ['c'] })).toEqual(['b'])
        expect(await hits({ topics: ['memory optimization', 'c#'] })).toEqual(['a'])
        expect(await hits({ license: 'apache-2.0' })).toEqual(['a'])
        expect(await hits({ language: 'c++' })).toEqual(['a'])
        expect(await hits({ archived: true })).toEqual(['b'])
        expect(await hits({ archived: false })).toEqual(['a'])
        expect(await hits({ minStars: 4 })).toEqual(['a'])
        expect(await hits({ minStars: 3 })).toEqual(['a', 'b'])
        expect(await hits({ updatedSince: '2026-01-01T00:00:00.000Z' })).toEqual(['a'])
        expect(await hits({ owner: 'nobody' })).toEqual([])
      })

      test('facets count all matches, the most frequent values first', async () => {
        await publish(
          ...Array.from({ length: 30 }, (_, n) => ({
            owner: n < 10 ? 'Acme' : 'other',
            description: 'pdf',
            topics: n % 2 ? ['even', 'all'] : ['all'],
            license: n < 5 ? 'MIT' : null,
          })),
          { owner: 'elsewhere', description: 'csv', topics: ['csv'] },
        )

        const { facets } = await search('pdf', { limit: 1, facets: ['topics', 'owner', 'license', 'language'] })

        expect(facets).toEqual({
          topics: [
            { value: 'all', count: 30 },
            { value: 'even', count: 15 },
          ],
          owner: [
            { value: 'other', count: 20 },
            { value: 'acme', count: 10 },
          ],
          license: [{ value: 'MIT', count: 5 }],
          language: [],
        })
      })

      test('highlights tell where the words stand, corrected ones too', async () => {
        await publish({
          owner: 'acme',
          repo: 'x',
          name: 'Terraform, ordered',
          topics: ['infra', 'terraform'],
          description: 'No.',
        })

        const [hit] = (await search('teraform ord', { highlight: true })).hits

        expect(hit?.matches).toEqual({
          name: [
            { start: 0, length: 9 },
            { start: 11, length: 7 },
          ],
          repo: [],
          owner: [],
          description: [],
          topics: [[], [{ start: 0, length: 9 }]],
        })
        expect((await search('terraform')).hits[0]?.matches).toBeNull()
      })
    })

    describe('hostile text is text', () => {
      test.each([
        '"',
        '""',
        '*',
        '-',
        '- -',
        '--',
        'a"b"c',
        '"unclosed phrase',
        'NEAR(a b, 2)',
        'name:pdf',
        'tags:"=all="',
        '=all=',
        'pdf AND',
        'pdf OR NOT (',
        "'; DROP TABLE skills; --",
        '^pdf + {name} : x',
        '\\',
        '%_%',
        '⑴ ½ ﷺ ㎏',
        'a\u0300'.repeat(100),
        '\u0301'.repeat(200),
        '\u202e\u200b\ufeff',
        '🏳️‍🌈👩‍👩‍👧',
        'x '.repeat(100),
        '語'.repeat(200),
        'a'.repeat(200),
        'nul\u0000inside',
      ])('%j is answered', async (text) => {
        await publish({ repo: 'a', name: 'pdf' })

        const page = await search(text, { facets: ['topics'], highlight: true, sort: 'relevance' })

        expect(page.total).toBe(page.hits.length)
        expect(page.facets.topics).toBeDefined()
      })

      test('any text is answered', async () => {
        await publish({ repo: 'a', name: 'pdf', description: 'a " * ( : - ^ { } = 語 é 🦀' })
        const texts = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }).map((text) => text.trim() || '-')

        await fc.assert(
          fc.asyncProperty(fc.oneof(texts, syntax), async (text) => {
            const page = await search(text, { facets: ['owner'], highlight: true })
            expect(page.total).toBe(page.hits.length)
          }),
          { numRuns: 60 },
        )
      })

      test('the words of filters cannot be searched for', async () => {
        await publish({ repo: 'a', name: 'pdf', license: 'MIT' })

        expect(await found('=license=mit')).toEqual([])
        expect(await found('license')).toEqual([])
      })
    })

    describe('apply', () => {
      test('a replaced document is found by its new words only', async () => {
        const skill = aSkill({ repo: 'r', name: 'kumquat', stars: 1 })
        await index.apply({ publish: [documentOf(skill)], remove: [] })

        await index.apply({ publish: [documentOf({ ...skill, name: 'rhubarb', stars: 2 })], remove: [] })

        expect((await search('kumquat')).total).toBe(0)
        expect((await search('kumqaut')).total).toBe(0)
        expect((await search('rhubrab')).hits.map((hit) => hit.skill.stars)).toEqual([2])
      })

      test('a removed document is gone, and removing it again is harmless', async () => {
        const skill = aSkill({ name: 'kumquat' })
        await index.apply({ publish: [documentOf(skill)], remove: [] })

        await index.apply({ publish: [], remove: [skill.id, 'nobody/nothing'] })
        await index.apply({ publish: [], remove: [skill.id] })

        expect((await search('kumquat')).total).toBe(0)
        expect((await index.status()).documents).toBe(0)
      })

      test('applied twice, everything is there once', async () => {
        const documents = [aSkill({ name: 'kumquat' }), aSkill({ name: 'kumquat' })].map(documentOf)

        await index.apply({ publish: documents, remove: [] })
        await index.apply({ publish: documents, remove: [] })

        expect((await search('kumquat')).total).toBe(2)
        expect((await index.status()).documents).toBe(2)
      })

      test('several under way at a time, of different ids, all arrive, and nothing of them is rejected', async () => {
        const outcomes = await Promise.all(
          Array.from({ length: 2 * index.appliesAtOnce }, () =>
            index.apply({ publish: [documentOf(aSkill({ name: 'kumquat' }))], remove: [] }),
          ),
        )

        expect(outcomes.flatMap(({ rejected }) => rejected)).toEqual([])
        expect((await index.status()).documents).toBe(2 * index.appliesAtOnce)
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
        const documents = ['c', 'a', 'b'].map((repo) => documentOf(aSkill({ owner: 'acme', repo })))
        await index.apply({ publish: documents, remove: [] })

        expect(await index.list(null, 2)).toEqual([
          { id: 'acme/a', contentHash: documents[1]?.contentHash },
          { id: 'acme/b', contentHash: documents[2]?.contentHash },
        ])
        expect((await index.list('acme/b', 2)).map((each) => each.id)).toEqual(['acme/c'])
      })
    })

    describe('building beside', () => {
      test('the next index is not searched until it is swapped in, and then the old one is gone', async () => {
        await publish({ repo: 'old', name: 'kumquat' })
        await index.createNext()
        await index.apply({ publish: [documentOf(aSkill({ repo: 'new', name: 'kumquat' }))], remove: [] }, 'next')

        expect(await found('kumquat')).toEqual(['old'])
        expect((await index.list(null, 10, 'next')).map((each) => each.id)).toEqual(['acme/new'])

        await index.swap()
        expect(await found('kumquat')).toEqual(['new'])
        await expect(index.list(null, 10, 'next')).rejects.toMatchObject({ status: 503 })
      })

      test('a next index that was left behind begins empty again', async () => {
        await index.createNext()
        await index.apply({ publish: [documentOf(aSkill())], remove: [] }, 'next')

        await index.createNext()

        expect(await index.list(null, 10, 'next')).toEqual([])
      })

      test('status tells how many documents are live and with which settings they were built', async () => {
        await publish({}, {})

        expect(await index.status()).toEqual({ documents: 2, settings: expect.stringMatching(/^[0-9a-f]{64}$/) })
      })
    })
  })
}
