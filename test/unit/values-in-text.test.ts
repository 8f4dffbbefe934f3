import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { joinList, licenceName, splitList, splitTopics } from '../../shared/text/values-in-text.js'

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
  expect(splitList(joinList(['\n[a', ']']))).toEqual(['\n[a', ']'])
  const item = fc.string({ unit: fc.constantFrom(...'[]{}(),;|\\\'" =&amp;#64ab\n'), minLength: 1, maxLength: 6 })

  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 5 }), (items) => {
      expect(splitList(joinList(items))).toEqual(items)
      expect(joinList(items)).not.toMatch(/^[[{(]/)
    }),
  )
})

test.each([
  ['mit', 'MIT'],
  ['The MIT License (MIT)', 'MIT'],
  ['Apache License, Version 2.0', 'Apache-2.0'],
  ['https://spdx.org/licenses/Apache-2.0.html', 'Apache-2.0'],
  ['https://opensource.org/license/mit', 'MIT'],
  ['apache-2', 'Apache-2.0'],
  ['BSD 3-Clause "New" or "Revised" License', 'BSD-3-Clause'],
  ['3 clause BSD license', 'BSD-3-Clause'],
  ['GPLv3 license', 'GPL-3.0'],
  ['GNU LGPLv3', 'LGPL-3.0'],
  ['http://www.apache.org/licenses/LICENSE-2.0.html', 'Apache-2.0'],
  ['License :: OSI Approved :: MIT License', 'MIT'],
  ['GNU Affero General Public License v3.0', 'AGPL-3.0'],
  ['GNU Lesser General Public License v2.1', 'LGPL-2.1'],
  ['Mozilla Public License 2.0', 'MPL-2.0'],
  ['Creative Commons Zero v1.0 Universal', 'CC0-1.0'],
  ['CC BY 4.0', 'CC-BY-4.0'],
  ['The Unlicense', 'Unlicense'],
])('the licence %s is %s', (text, id) => {
  expect(licenceName(text)).toBe(id)
})

test.each([
  'BSD license',
  'https://acme.example/licenses/MIT',
  'MIT OR Apache-2.0',
  'MIT (code), CC-BY-4.0 (data)',
  'MIT License (CC0-1.0)',
  'Proprietary. LICENSE.txt has complete terms',
  `MIT ${'license '.repeat(20)}`,
])('the licence %s is left as it is', (text) => {
  expect(licenceName(text)).toBe(text)
})
