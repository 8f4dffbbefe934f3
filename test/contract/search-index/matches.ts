import { describe, expect, test } from '@jest/globals'
import { skillOf } from '../../../shared/records/skill.js'
import { aDocument } from '../../support/factories.js'
import type { IndexUnderTest } from './index-under-test.js'

/** The skills that a SearchIndex finds. */
export function matches({ apply, publish, search, found, foundWhole }: IndexUnderTest): void {
  const publishNames = (...names: string[]) => publish(...names.map((name) => ({ repo: name, name: `a ${name}` })))

  /** Checks that each text finds these repositories with all words, in any order. */
  const expectFound = async (repos: string[], ...texts: string[]) => {
    for (const text of texts) {
      expect({ text, repos: (await foundWhole(text)).sort() }).toEqual({ text, repos })
    }
  }

  describe('matches', () => {
    test('words in name, repository, topics, description and owner', async () => {
      await publish(
        { repo: 'a', name: 'Kumquat' },
        { repo: 'kumquat-peeler', name: 'b' },
        { repo: 'c', topics: ['kumquat'] },
        { repo: 'd', description: 'About the kumquat.' },
        { owner: 'kumquat', repo: 'e' },
        { repo: 'f', description: 'About the apple.' },
      )

      await expectFound(['a', 'c', 'd', 'e', 'kumquat-peeler'], 'kumquat')
    })

    test('the last word matches as a prefix, the others do not', async () => {
      await publishNames('markdown-to-pdf', 'mark-pdf')

      await expectFound(['markdown-to-pdf'], 'markdown pd')
      await expectFound(['mark-pdf'], 'mark pd')
      await expectFound(['mark-pdf', 'markdown-to-pdf'], 'pdf mark')
    })

    test('case, accents, compatibility forms and separators make no difference', async () => {
      await publish({ repo: 'a', name: 'Cafe_menu.PDF' }, { repo: 'b', name: 'Café/Menu pdf' })
      await publish({ repo: 'c', name: 'Поиск ФАЙЛОВ' })

      await expectFound(['a', 'b'], 'cafe-menu-pdf', '  ＣＡＦÉ   menu/pdf ')
      await expectFound(['c'], 'ПОИСК файлов')
    })

    test('text without spaces is found by any part of it, an emoji as a word, camel case by its parts', async () => {
      await publishNames('日本語のデータ分析ツール', '分折数据的工具', '한국어문서도구', 'Crab 🦀 tools', 'LangChain')

      await expectFound(['日本語のデータ分析ツール'], 'データ', '分析', 'データ分析')
      await expectFound(['分折数据的工具'], '数据')
      await expectFound(['한국어문서도구'], '문서')
      await expectFound([], '析分')
      await expectFound(['Crab 🦀 tools'], '🦀')
      await expectFound(['LangChain'], 'chain', 'langchain')
    })

    test('names of symbols are words', async () => {
      const names = ['c++', 'c#', 'f#', '.net', '.env', 'net', 'env']
      await publishNames(...names)

      for (const name of names) {
        await expectFound([name], `${name.toUpperCase()} a`)
      }
    })

    test('words that mean something only together are one term: in a row, or joined', async () => {
      await publishNames('http/3 x-api', 'http3 xapi')
      await publish({ repo: 'apart', name: 'http api', description: 'In 3 ways, by x.' })

      await expectFound(['http/3 x-api', 'http3 xapi'], 'http/3', 'x-api', 'x-api http/3')
      await expectFound(['apart', 'http/3 x-api'], 'http api')
    })

    test('forms of a word, and its synonyms', async () => {
      const kinds = [
        ['scrape', 'scraper', 'scraping'],
        ['ticket', 'tickets'],
        ['async', 'asynchronous'],
      ]
      await publishNames(...kinds.flat(), 'k8s', 'virtual machine')

      for (const forms of kinds) {
        await expectFound(forms, ...forms.map((form) => `${form} a`))
      }
      await expectFound(['k8s'], 'a kubernetes')
      await expectFound(['virtual machine'], 'a vm')
    })

    test('a misspelled word is corrected: one typo of 4 letters, two of 9, in the first letter twice', async () => {
      await publishNames('table', 'terraform', 'ruby', 'calendar', 'svg', 'kubernetes', 'record', 'records')

      await expectFound(['table'], 'tabel a', 'tabble', 'taple', 'tbale')
      await expectFound(['terraform'], 'teraform a', 'terrofarm', 'terrrafoorm', 'xerraform')
      await expectFound(['ruby'], 'rbuy a')
      await expectFound(['svg'], 'svvg')
      await expectFound(['calendar'], 'calenbar')
      await expectFound(['kubernetes'], 'kubenetes a')
      await expectFound(['record', 'records'], 'recrod a')
      await expectFound([], 'taqqe', 'xerrafrom', 'celenbar', 'kalendar', 'sgv')
    })

    test('a word that the index has is not corrected', async () => {
      await publishNames('tablet', 'tables')

      await expectFound(['tablet'], 'tablet a')
    })

    test.each([
      ['manpager col', 'Export MANPAGER with col.', 'shown'],
      ['manpager col', 'Export MANPAGER with col, dear manager.', 'manager'],
      ['manpager', 'Export MANPAGER with col.', 'manager'],
    ])('of %j and the text %j, %j comes first: many words that a text has are as meant', async (query, text, first) => {
      const manager = { ...aDocument({ repo: 'manager', description: 'A manager of columns' }), text: null }
      const shown = { ...aDocument({ repo: 'shown', description: 'Files' }), text }
      await apply({ publish: [manager, shown], remove: [] })

      expect((await found(query))[0]).toBe(first)
    })

    test('quotes search for an exact phrase', async () => {
      await publishNames('markdown to pdf', 'pdf to markdown', 'markdown to pdfium')

      await expectFound(['markdown to pdf'], '"markdown to pdf"')
      await expectFound(['pdf to markdown'], '“pdf to”')
      await expectFound([], '"markdwon to pdf"')
    })

    test.each(['relevance', 'name'] as const)(
      'by %s, a phrase holds for skills with some of the words, too',
      async (sort) => {
        await publish(
          { repo: 'both', description: 'A rare reader: markdown to pdf.' },
          { repo: 'phrase', description: 'From markdown to pdf.' },
          { repo: 'words', description: 'A rare reader: pdf to markdown.' },
        )

        for (const text of [
          'rare "markdown to pdf" seldom',
          '"markdown to pdf" seldom',
          'reader seldom rare "markdown to pdf"',
        ]) {
          expect({ text, repos: (await found(text, { sort })).sort() }).toEqual({ text, repos: ['both', 'phrase'] })
        }
        expect(await found('rare reader "markdown from pdf"', { sort })).toEqual([])
      },
    )

    test('a phrase holds for skills that are found by their texts: all of its words, or the phrase in a field', async () => {
      const documents = [
        { ...aDocument({ repo: 'field', description: 'From markdown to pdf.' }), text: 'A rare reader.' },
        {
          ...aDocument({ repo: 'text', description: 'Files.' }),
          text: 'A rare reader of markdown that is to be a pdf.',
        },
        { ...aDocument({ repo: 'neither', description: 'Files.' }), text: 'A rare reader of markdown.' },
      ]
      await apply({ publish: documents, remove: [] })

      expect((await found('rare reader "markdown to pdf"')).sort()).toEqual(['field', 'text'])
      expect(await found('rare reader "csv to markdown"')).toEqual([])
    })

    test('a minus excludes a word or a phrase, and alone lists everything else', async () => {
      await publishNames('pdf reader', 'pdf writer', 'csv')

      await expectFound(['pdf reader'], 'pdf -writer')
      await expectFound(['pdf writer'], 'pdf -"pdf reader"', 'a-pdf writer')
      await expectFound(['csv'], '-pdf')
    })

    test('function words neither demand nor hide anything', async () => {
      await publish(
        { repo: 'wanted', name: 'invoice pdf reader' },
        { repo: 'b', description: 'How do I get my, for an?' },
      )

      for (const text of [
        'how do I get an invoice reader for my pdf',
        'Hello, can you please recommend something to get invoice reader pdf? Thanks!',
        'wie kann ich eine invoice mit dem reader aus der pdf',
        'je suis avec un reader pour une invoice dans le pdf',
        'как мне invoice reader из pdf',
      ]) {
        await expectFound(['wanted'], text)
        expect([text, (await search(text)).total]).toEqual([text, 1])
      }
    })

    test('a query of nothing but function words works', async () => {
      await publish({ repo: 'a', name: 'The Who' }, { repo: 'b', description: 'How do I?' })

      await expectFound(['a'], 'the who')
      await expectFound(['b'], 'how do I')
      await expectFound([], 'what')
    })

    test('skills with all words come first, then those with some, the rarest first', async () => {
      const fruits = (count: number, description: string) => Array.from({ length: count }, () => ({ description }))
      const [both, rare, frequent] = ['kumquat and rhubarb', 'the rhubarb', 'the kumquat']
      await publish(...fruits(3, both), ...fruits(4, rare), ...fruits(9, frequent), ...fruits(2, 'apple'))

      for (const text of ['kumquat rhubarb', 'submarine kumquat rhubarb']) {
        const { hits, total, totalIsLowerBound } = await search(text, { limit: 100 })
        const order = [...new Set(hits.map((hit) => skillOf(hit).description))]
        expect([both, rare, frequent]).toEqual(expect.arrayContaining(order))
        expect(order.slice(0, 2)).toEqual([both, rare])
        expect({ total, totalIsLowerBound }).toEqual({ total: hits.length, totalIsLowerBound: false })
      }
    })

    test('no number of stars is too high for a filter', async () => {
      await publish({ repo: 'a', name: 'kumquat', stars: 2_000_000 }, { repo: 'b', name: 'kumquat', stars: 1_048_575 })

      const atLeast = (minStars: number) => found('kumquat', { filters: { minStars } })
      expect(await atLeast(1_048_574)).toHaveLength(2)
      expect(await atLeast(1_048_575)).toHaveLength(2)
      expect(await atLeast(1_048_576)).toEqual(['a'])
      expect(await atLeast(2_000_001)).toEqual([])
    })

    test('equally rare words are found alone', async () => {
      await publish({ repo: 'a', description: 'kumquat' }, { repo: 'b', description: 'rhubarb', stars: 1 })

      expect(await found('kumquat rhubarb')).toEqual(['b', 'a'])
      expect(await found('kumquat rhubarb', { sort: 'stars', order: 'asc' })).toEqual(['b', 'a'])
      expect(await found('kumquat rhubarb', { filters: { minStars: 1 } })).toEqual(['b'])
    })
  })
}
