import { expect, test } from '@jest/globals'
import { stemOf } from '../../shared/text/analyze.js'

test.each([
  [['scrape', 'scraping', 'scraped', 'scrapes']],
  [['ticket', 'tickets']],
  [['kubernetes', 'kubernete']],
  [['organization', 'organizations']],
  [['файл', 'файлов', 'файлами']],
])('%j have one stem', (words) => {
  expect(new Set(words.map(stemOf)).size).toBe(1)
})

test.each([
  ['new', 'news'],
  ['policy', 'police'],
  ['organ', 'organization'],
  ['general', 'generic'],
  ['redis', 'redi'],
])('%s and %s have not', (a, b) => {
  expect(stemOf(a)).not.toBe(stemOf(b))
})

test.each(['pdf', 'gpt4o', '日', 'straße', 'a'.repeat(41)])('%s is its own stem', (word) => {
  expect(stemOf(word)).toBe(word)
})
