import { expect, test } from '@jest/globals'
import { filterHints } from '../../services/query/skills/explain-hits.js'

const found = (q: string) => filterHints(q).map(({ text, parameter, value }) => [text, parameter, value])

test.each<[q: string, hints: string[][]]>([
  ['owner:acme', [['owner:acme', 'owner', 'acme']]],
  ['pdf Owner:Acme tables', [['Owner:Acme', 'owner', 'Acme']]],
  [
    'user:acme org:other',
    [
      ['user:acme', 'owner', 'acme'],
      ['org:other', 'owner', 'other'],
    ],
  ],
  [
    'topic:pdf, topic:c++',
    [
      ['topic:pdf,', 'topic', 'pdf'],
      ['topic:c++', 'topic', 'c++'],
    ],
  ],
  ['topic:"machine learning" x', [['topic:"machine learning"', 'topic', 'machine learning']]],
  ['language:„Jupyter Notebook“', [['language:„Jupyter Notebook“', 'language', 'Jupyter Notebook']]],
  [
    'license:MIT licence:Apache-2.0',
    [
      ['license:MIT', 'license', 'MIT'],
      ['licence:Apache-2.0', 'license', 'Apache-2.0'],
    ],
  ],
  ['lang:c# lang:c#', [['lang:c#', 'language', 'c#']]],
  ['topic:日本語', [['topic:日本語', 'topic', '日本語']]],
])('%s', (q, hints) => {
  expect(found(q)).toEqual(hints)
})

test.each([
  'pdf',
  'owner acme',
  'owner: acme',
  'owner:',
  'owner:a/b',
  'owner:"a b"',
  'xowner:acme',
  '-owner:acme',
  'http://owner:x@host',
  'owner:<script>',
  'topic:""',
  'constructor:x',
  '__proto__:x',
  'stars:5',
  '"owner:acme',
])('no filter: %s', (q) => {
  expect(found(q)).toEqual([])
})

test('the message has the parameter as it is sent', () => {
  expect(filterHints('topic:"c & d"')[0]?.message).toBe(
    'topic:"c & d" is searched for as text. To filter, ask with topic=c+%26+d, and without it in q.',
  )
})

test('a long text of them takes no time to speak of', () => {
  expect(filterHints('owner:"'.repeat(5_000))).toEqual([])
  expect(filterHints('owner:a '.repeat(5_000))).toHaveLength(1)
})
