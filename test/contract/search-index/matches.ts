import { describe, expect, test } from '@jest/globals'
import type { IndexUnderTest } from './index-under-test.js'

/** The matches of a SearchIndex. */
export function matches({ publish, search, found }: IndexUnderTest): void {
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
      'separators and case are ignored: %j',
      async (text) => {
        await publish({ repo: 'markdown-to-pdf' }, { repo: 'Markdown_to.PDF' }, { repo: 'x', name: 'markdown/To pdf' })

        expect((await found(text)).sort()).toEqual(['Markdown_to.PDF', 'markdown-to-pdf', 'x'])
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

    test('a word of 5 letters tolerates one typo, one of 9 two, a shorter one none', async () => {
      await publish({ repo: 'a', name: 'table' }, { repo: 'b', name: 'terraform' }, { repo: 'c', name: 'pdfs' })
      await publish({ repo: 'd', name: 'calendar' })

      expect(await found('tabel')).toEqual(['a'])
      expect(await found('tabble')).toEqual(['a'])
      expect(await found('taple')).toEqual(['a'])
      expect(await found('tbale')).toEqual(['a'])
      expect(await found('taqqe')).toEqual([])
      expect(await found('teraform')).toEqual(['b'])
      expect(await found('terrofarm')).toEqual(['b'])
      expect(await found('terrrafoorm')).toEqual(['b'])
      expect(await found('kalendar')).toEqual([])
      expect(await found('calenbar')).toEqual(['d'])
      expect(await found('celenbar')).toEqual([])
      expect(await found('pfds')).toEqual([])
    })

    test('a corrected word ranks after an exact one', async () => {
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

    test('quotes search for an exact phrase', async () => {
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

    test('when no skill has all the words, those with most of them rank first', async () => {
      await publish(
        { repo: 'one', description: 'kumquat' },
        { repo: 'two', description: 'kumquat and rhubarb' },
        { repo: 'none', description: 'apple' },
      )

      const page = await search('kumquat rhubarb submarine')

      expect(page.hits.map((hit) => hit.skill.repo)).toEqual(['two', 'one'])
      expect(page.total).toBe(2)
    })

    test('every word of a long text is searched', async () => {
      const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
      await publish({ repo: 'all', name: words.join(' ') }, { repo: 'most', name: words.slice(0, -1).join(' ') })

      expect(await found(words.join(' '))).toEqual(['all'])
      expect(await found(`${words.join(' ')} -two`)).toEqual([])
    })
  })
}
