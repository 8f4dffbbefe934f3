import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { IndexReplica } from '../../shared/ports/search-index.js'
import { type StoredSkill, toPublicSkill } from '../../shared/records/skill.js'
import { aLock } from '../support/a-lock.js'
import { aDocument, aSkill } from '../support/factories.js'

/**
 * The contract of the suggestions of every SearchIndex.
 *
 * @param open opens an empty index
 */
export function searchSuggestionsContract(name: string, open: () => Promise<IndexReplica>): void {
  describe(`suggestions of the search index: ${name}`, () => {
    let index: IndexReplica
    beforeEach(async () => {
      index = await open()
    })
    afterEach(() => index.close())

    const publish = (...skills: Partial<StoredSkill>[]) =>
      index.apply({ publish: skills.map(aDocument), remove: [] }, 'live', aLock())
    const suggested = async (text: string, limit = 10) => (await index.suggest(text, limit)).map(({ id }) => id)

    test('a name is completed from the first letter to the last, with whole skills as results', async () => {
      const skill = aSkill({ repo: 'pdf', name: 'Markdown to PDF', description: 'One, two.', stars: 3 })
      await publish(skill)

      for (const typed of ['m', 'ma', 'mark', 'Markdown', 'markdown t', 'markdown to', 'MARKDOWN-TO-P', 'pd', 'to p']) {
        expect({ typed, skills: await index.suggest(typed, 10) }).toEqual({ typed, skills: [toPublicSkill(skill)] })
      }
    })

    test('names and repositories are completed, then owners, and ids; the others when there is none', async () => {
      await publish(
        { owner: 'a', repo: 'name', name: 'Kumquat peeler', stars: 4 },
        { owner: 'a', repo: 'the-kumquat', name: 'b', stars: 3 },
        { owner: 'kumquat-labs', repo: 'owner', stars: 900 },
        { owner: 'a', repo: 'topic', topics: ['kumquat', 'rhubarb'], stars: 9 },
        { owner: 'a', repo: 'description', description: 'The kumquat.', stars: 9 },
      )

      expect(await suggested('kumq')).toEqual(['a/name', 'a/the-kumquat', 'kumquat-labs/owner'])
      expect(await suggested('kumquat-labs/o')).toEqual(['kumquat-labs/owner'])
      expect(await suggested('kumquat labs own')).toEqual(['kumquat-labs/owner'])
      expect(await suggested('rhub')).toEqual(['a/topic'])
    })

    test('for two letters the most popular come first: stars, then freshness; for more as in a search', async () => {
      await publish(
        { repo: 'a', name: 'pdf one', stars: 5, updatedAt: '2026-01-01T00:00:00.000Z' },
        { repo: 'b', name: 'pdfs', stars: 900 },
        { repo: 'c', name: 'to pdf', stars: 50 },
        { repo: 'd', name: 'pdf', stars: null, description: 'pdf pdf pdf' },
        { repo: 'e', name: 'pdf two', stars: 5, updatedAt: '2026-02-01T00:00:00.000Z' },
      )

      expect(await suggested('pd')).toEqual(['acme/b', 'acme/c', 'acme/e', 'acme/a', 'acme/d'])
      expect(await suggested('pd', 2)).toEqual(['acme/b', 'acme/c'])
      expect(await suggested('pdf')).toEqual(['acme/d', 'acme/e', 'acme/a', 'acme/c', 'acme/b'])
    })

    test('an exact name ranks first, for any popularity; of several the most popular', async () => {
      await publish(
        { repo: 'a', name: 'PDF tools', stars: 900 },
        { repo: 'b', name: 'pdf', stars: 1 },
        { repo: 'c', name: 'Pdf', stars: 2 },
        { repo: 'pdf-suite', name: 'd', stars: 800 },
      )

      expect((await suggested('pdf', 1)).at(0)).toBe('acme/c')
      expect((await suggested('acme/pdf-suite')).at(0)).toBe('acme/pdf-suite')
      expect((await suggested('ACME pdf suite')).at(0)).toBe('acme/pdf-suite')
    })

    test('an owner and a slash complete to skills of the owner', async () => {
      await publish(
        { owner: 'Acme', repo: 'one', stars: 1 },
        { owner: 'acme', repo: 'two', stars: 2 },
        { owner: 'acmes', repo: 'other', stars: 9 },
        { owner: 'x', repo: 'acme-two', stars: 99 },
      )

      expect((await suggested('acme/')).slice(0, 2)).toEqual(['acme/two', 'acme/one'])
      expect((await suggested('ACME/t')).at(0)).toBe('acme/two')
      expect(await suggested('acm')).toEqual(['x/acme-two', 'acmes/other', 'acme/two', 'acme/one'])
    })

    test('all words must be there, in any order; only the last may be incomplete', async () => {
      await publish({ repo: 'markdown-to-pdf', stars: 3 }, { repo: 'mark-pdf', stars: 2 }, { repo: 'markdown' })

      expect(await suggested('pdf markd')).toEqual(['acme/markdown-to-pdf'])
      expect(await suggested('mark pd')).toEqual(['acme/mark-pdf'])
      expect(await suggested('markdown zzz')).toEqual([])
    })

    test('words are corrected, joined and split when no name has them as typed', async () => {
      await publish(
        { repo: 'terraform', stars: 900 },
        { repo: 'teraform-old', stars: 1 },
        { repo: 'kubernetes-operator', stars: 5 },
        { repo: 'kubernetes', stars: 3 },
        { repo: 'fast', name: 'FastAPI' },
        { repo: 'ice-weather' },
      )

      expect(await suggested('teraf')).toEqual(['acme/teraform-old'])
      expect(await suggested('terrafrom')).toEqual(['acme/terraform'])
      expect(await suggested('kubenetes')).toEqual(['acme/kubernetes', 'acme/kubernetes-operator'])
      expect(await suggested('kubernets operator')).toEqual(['acme/kubernetes-operator'])
      expect(await suggested('kubernetesoperator')).toEqual(['acme/kubernetes-operator'])
      expect(await suggested('fast api')).toEqual(['acme/fast'])
      expect(await suggested('fastap')).toEqual(['acme/fast'])
      expect(await suggested('weath')).toEqual(['acme/ice-weather'])
      expect(await suggested('wether ice')).toEqual(['acme/ice-weather'])
      expect(await suggested('xyz ice')).toEqual([])
    })

    test('names in camel case, with accents, without spaces and of symbols are completed by their parts', async () => {
      await publish(
        { repo: 'a', name: 'LangChainTools' },
        { repo: 'b', name: 'Café Übersetzung' },
        { repo: 'c', name: '日本語のデータ分析ツール' },
        { repo: 'd', name: '🦀 tools' },
        { repo: 'e', name: 'データ' },
        { repo: 'f', name: 'C++ helper' },
      )

      expect(await suggested('langch')).toEqual(['acme/a'])
      expect(await suggested('chain')).toEqual(['acme/a'])
      expect(await suggested('cafe uber')).toEqual(['acme/b'])
      expect(await suggested('日本')).toEqual(['acme/c'])
      expect(await suggested('データ分')).toEqual(['acme/c'])
      expect(await suggested('データ')).toEqual(['acme/e', 'acme/c'])
      expect(await suggested('析分')).toEqual([])
      expect(await suggested('🦀')).toEqual(['acme/d'])
      expect(await suggested('c++')).toEqual(['acme/f'])
      expect(await suggested('C++ he')).toEqual(['acme/f'])
    })

    test('there is no syntax: quotes and hyphens separate words', async () => {
      await publish({ repo: 'a', name: 'pdf tools' }, { repo: 'b', name: 'tools' })

      expect(await suggested('"tools pdf"')).toEqual(['acme/a'])
      expect(await suggested('pdf -tools')).toEqual(['acme/a'])
    })

    test('long names are completed too', async () => {
      const [word, run] = ['w'.repeat(150), '語'.repeat(190)]
      await publish({ repo: 'a', name: word }, { repo: 'b', name: `${run}末` }, { repo: 'c', name: run })

      expect(await suggested(word.slice(0, 120))).toEqual(['acme/a'])
      expect(await suggested(run)).toEqual(['acme/c', 'acme/b'])
      expect(await suggested('語末')).toEqual(['acme/b'])
    })
  })
}
