import { expect, test } from '@jest/globals'
import { maxQueryLength } from '../../services/query/request/parameters.js'
import { bareBm25 } from '../relevance/bare-bm25.js'
import { acceptedText } from '../relevance/engine.js'
import type { RelevanceSkill } from '../relevance/words.js'

const skill = (repo: string, description: string): RelevanceSkill => ({
  id: `acme/${repo}`,
  owner: 'acme',
  repo,
  skill: null,
  name: repo,
  description,
  topics: [],
})
const skills = [
  skill('labels', 'Prints labels and letters for letters'),
  skill('stamps', 'Counts stamps for letters'),
  skill('forms', 'Fills forms'),
]
const texts = new Map([['acme/forms', 'Reads the watermark of a stamp']])

test('bare BM25: a rare word counts more than a frequent one, a repeated one more, an inflected one as much', async () => {
  const { search } = bareBm25('BM25', skills, ({ description }) => description ?? '')

  expect(await search('stamp letters')).toEqual(['acme/stamps', 'acme/labels'])
  expect(await search('letter')).toEqual(['acme/labels', 'acme/stamps'])
  expect(await search('watermark')).toEqual([])
})

test('bare BM25 finds what only the text says', async () => {
  const { search } = bareBm25('BM25 texts', skills, ({ id, description }) => `${description} ${texts.get(id) ?? ''}`)

  expect(await search('watermarks')).toEqual(['acme/forms'])
})

test('a query that is too long for the service ends after a whole word', () => {
  const long = 'label '.repeat(maxQueryLength)
  const fits = 'a'.repeat(maxQueryLength)

  expect(acceptedText('print labels')).toBe('print labels')
  expect(acceptedText(fits)).toBe(fits)
  expect(acceptedText(`${fits} b`)).toBe(fits)
  expect(acceptedText(`${fits}b`)).toBe(fits)
  expect(acceptedText(long)).toMatch(/^(?:label )+label$/)
  expect([...acceptedText(long)].length).toBeLessThanOrEqual(maxQueryLength)
})
