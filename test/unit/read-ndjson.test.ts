import { describe, expect, test } from '@jest/globals'
import { readNdjson } from '../../services/indexer/import/read-json.js'
import { maxRecordBytes } from '../../services/indexer/import/source.js'
import { inPieces, readAll } from '../support/source-items.js'

const read = (content: string | Buffer, size?: number) => readAll(readNdjson(inPieces(content, size), 'skills'))

test('each line is a record; blank lines, a byte order mark and Windows line ends are ignored', async () => {
  expect(await read('\ufeff{"a":1}\r\n\r\n  \n{"a":"é🚀"}\n')).toEqual(['line 1: {"a":1}', 'line 4: {"a":"é🚀"}'])
})

test('a last line without an end is a record like any other', async () => {
  expect(await read('{"a":1}\n{"a":2}')).toEqual(['line 1: {"a":1}', 'line 2: {"a":2}'])
})

test('a record with a repeated key is rejected as ambiguous', async () => {
  expect(await read('{"a":1,"a":2}\n')).toEqual(['line 1 rejected: has "a" twice: leave one of them'])
})

test('an invalid line is rejected and the next one is read', async () => {
  const bad = Buffer.concat([
    Buffer.from('{"a":1}\n[1]\n"x"\n{"a":}\n{"a":"'),
    Buffer.from([0xe9]),
    Buffer.from('"}\n{"a":2}\n'),
  ])

  expect(await read(bad)).toEqual([
    'line 1: {"a":1}',
    'line 2, record 1 rejected: is not a JSON object',
    'line 3 rejected: is not a JSON object',
    expect.stringMatching(/^line 4 rejected: is not valid JSON: /),
    'line 5 rejected: is not UTF-8. Convert it, for instance with: iconv -f cp1252 -t utf-8',
    'line 6: {"a":2}',
  ])
})

test('a comma after a record is none of it, and what Python prints is named', async () => {
  expect(await read('{"a":1},\n{"a":[2]},\r\n{"a":3}},\n{\'a\': 4}\n')).toEqual([
    'line 1: {"a":1}',
    'line 2: {"a":[2]}',
    expect.stringMatching(/^line 3 rejected: is not valid JSON: /),
    'line 4 rejected: is an object as Python prints it, and no JSON: write it with json.dumps',
  ])
})

test('lines with a comment alone are no records', async () => {
  expect(await read('# mine\n// more\n{"a":1}\n  # end')).toEqual(['line 3: {"a":1}'])
})

test('a truncated last line is rejected, and the file is reported as incomplete', async () => {
  expect(await read('{"a":1}\n{"a":"tw')).toEqual([
    'line 1: {"a":1}',
    expect.stringMatching(/^line 2 rejected: is not valid JSON/),
    'UnreadableSource: is truncated: its last line, 2, ends in the middle',
  ])
})

describe('a long line', () => {
  test('of the maximum size is read', async () => {
    const line = `{"a":"${'x'.repeat(maxRecordBytes - 8)}"}`

    expect(await read(`${line}\n`, 65_536)).toEqual([`line 1: ${line}`])
  })
})
