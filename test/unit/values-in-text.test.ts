import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { joinList, splitList, splitTopics } from '../../shared/text/values-in-text.js'

test.each([
  ['pdf, ocr|c;d', ['pdf', ' ocr', 'c', 'd']],
  [String.raw`ci\, cd|r\|shiny|c#`, ['ci, cd', 'r|shiny', 'c#']],
  ['jane&#64;mail.example;x', ['jane&#64;mail.example', 'x']],
  [String.raw`c:\dir`, [String.raw`c:\dir`]],
  ['["pdf", "ocr"]', ['pdf', 'ocr']],
  ["['pdf', 'ocr']", ['pdf', 'ocr']],
  ["['it\\'s', \"say 'x'\", '\\u00e9', '\\U0001f980', '\\xe9']", ["it's", "say 'x'", 'é', '🦀', 'é']],
  ["['a b' 'c'\n 'd']", ['a b', 'c', 'd']],
  ["[-x, '=y', 'ci, cd', r|shiny, '\\\\n']", ['-x', '=y', 'ci, cd', 'r|shiny', String.raw`\n`]],
  ['[pdf, NULL, null]', ['pdf', 'null']],
  ['{pdf,"a b","d\\"e"}', ['pdf', 'a b', 'd"e']],
  ["('pdf',)", ['pdf']],
  ['[]', []],
  [' [ "pdf" ] ', ['pdf']],
  ['[x]|y', ['[x]', 'y']],
  ['[pdf', ['[pdf']],
  ['[[a], [b]]', ['[[a]', ' [b]]']],
])('the list %s', (text, items) => {
  expect(splitList(text)).toEqual(items)
})

test('topics with separators of another script are read back', () => {
  const topics = ['甲、乙', String.raw`甲\，乙`, '؛']

  expect(splitTopics(joinList(topics))).toEqual(topics)
})

test('a joined list is read back equal, and is never one in brackets', () => {
  const item = fc.string({ unit: fc.constantFrom(...'[]{}(),;|\\\'" =&amp;#64ab\n'), minLength: 1, maxLength: 6 })

  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 5 }), (items) => {
      expect(splitList(joinList(items))).toEqual(items)
      expect(joinList(items)).not.toMatch(/^[[{(]/)
    }),
  )
})
