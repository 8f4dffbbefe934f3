import { expect, test } from '@jest/globals'
import { stopWordsIn } from '../../shared/ranking/interpret-query.js'

test.each([
  ['how do i convert my pdf to text', ['convert', 'pdf', 'text']],
  ['please help me find a good invoice reader', ['invoice', 'reader']],
  ['wie kann ich eine rechnung lesen', ['rechnung', 'lesen']],
  ['je veux lire une facture dans le pdf', ['lire', 'facture', 'pdf']],
  ['je cherche a faire une presentation', ['presentation']],
  ['por favor convertir un pdf en texto', ['convertir', 'pdf', 'texto']],
  // Two words are English and French, and the third one only seems to be.
  ['comment on a pull request', ['comment', 'pull', 'request']],
  ['как мне найти файл', ['найти', 'файл']],
  // A function word of another language alone is a name.
  ['kubernetes pod', ['kubernetes', 'pod']],
  ['die casting', ['die', 'casting']],
  ['constructor', ['constructor']],
  ['how do i', []],
  ['', []],
])('%j informs by %j', (query, informative) => {
  const words = query.split(' ').filter((word) => word !== '')
  const stopWords = stopWordsIn(words)

  expect(words.filter((word) => !stopWords.has(word))).toEqual(informative)
})
