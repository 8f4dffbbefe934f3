import { expect, test } from '@jest/globals'
import { findSpans } from '../../shared/ranking/find-matches.js'

const marked = (text: string, ...sought: { tokens: string[]; prefix?: boolean }[]) =>
  findSpans(
    text,
    sought.map(({ tokens, prefix = false }) => ({ tokens, prefix })),
  ).map(({ start, length }) => text.slice(start, start + length))

test('every occurrence of a word is marked, as written', () => {
  expect(marked('Cafés and CAFES', { tokens: ['cafes'] })).toEqual(['Cafés', 'CAFES'])
})

test('a prefix marks the whole word', () => {
  expect(marked('Terraforming', { tokens: ['terra'], prefix: true })).toEqual(['Terraforming'])
  expect(marked('Terraforming', { tokens: ['terra'] })).toEqual([])
})

test('a phrase is marked as one range, and only as a whole', () => {
  expect(marked('to-pdf, pdf to', { tokens: ['to', 'pdf'] })).toEqual(['to-pdf'])
  expect(marked('日本語データ分析', { tokens: ['分', '析'] })).toEqual(['分析'])
})

test('overlapping ranges are merged', () => {
  expect(marked('a b c', { tokens: ['a', 'b'] }, { tokens: ['b', 'c'] })).toEqual(['a b c'])
})
