import { expect, test } from '@jest/globals'
import { findSpans } from '../../shared/ranking/find-matches.js'

test.each<[what: string, text: string, sought: { tokens: string[]; prefix?: boolean }[], marked: string[]]>([
  ['every occurrence of a word, as written', 'Cafés and CAFES', [{ tokens: ['cafes'] }], ['Cafés', 'CAFES']],
  ['the whole word of a prefix', 'Terraforming', [{ tokens: ['terra'], prefix: true }], ['Terraforming']],
  ['no beginning of a word', 'Terraforming', [{ tokens: ['terra'] }], []],
  ['a phrase as one range, and only as a whole', 'to-pdf, pdf to', [{ tokens: ['to', 'pdf'] }], ['to-pdf']],
  ['a part of a text without spaces', '日本語データ分析', [{ tokens: ['分', '析'] }], ['分析']],
  ['overlapping ranges as one', 'a b c', [{ tokens: ['a', 'b'] }, { tokens: ['b', 'c'] }], ['a b c']],
])('marked is %s', (_, text, sought, marked) => {
  const spans = findSpans(
    text,
    sought.map(({ tokens, prefix = false }) => ({ tokens, prefix })),
  )

  expect(spans.map(({ start, length }) => text.slice(start, start + length))).toEqual(marked)
})
