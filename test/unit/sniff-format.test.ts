import { expect, test } from '@jest/globals'
import { toJson } from '../../services/indexer/exports/export-files.js'
import { formatOfName, sniffFormat } from '../../services/indexer/import/sniff-format.js'

test.each([
  ['a.ndjson', 'ndjson'],
  ['a.jsonl.gz', 'ndjson'],
  ['A.JSON', 'json'],
  ['a.csv.GZ', 'csv'],
  ['SKILL.md', 'skill-md'],
  ['README.md', null],
  ['package.json', null],
  ['a-package.json', 'json'],
  ['data', null],
])('the name %s means %s', (name, format) => {
  expect(formatOfName(name)).toBe(format)
})

test.each([
  ['{"a":1}\n{"a":2}\n', 'ndjson'],
  ['{"a":1}', 'ndjson'],
  ['{"a":\n{"a":2}\n', 'ndjson'],
  ['{"a":"very long, not ended', 'ndjson'],
  ['\ufeff [{"a":1}]', 'json'],
  ['{\n  "a": 1\n}\n', 'json'],
  ['{"type":"skills","total":1,"data":[{"a":1}', 'json'],
  [[...toJson({ type: 'skills', total: 2 }, [{ a: 1 }, { a: 2 }])].join(''), 'json'],
  ['{"items":[{"a":1},\n{"a":2}]}', 'json'],
  ['{"a":[\n{"a":2}\n', 'ndjson'],
  ['---\nname: a\n---\n', 'skill-md'],
  ['owner,repo\n', 'csv'],
])('%j is detected as %s', (head, format) => {
  expect(sniffFormat(head, 'skills')).toBe(format)
})
