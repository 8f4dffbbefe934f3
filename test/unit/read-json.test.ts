import { describe, expect, test } from '@jest/globals'
import { readJson, readNdjson } from '../../services/indexer/import/read-json.js'
import { maxRecordBytes } from '../../services/indexer/import/source.js'
import { inPieces, mapDocument, readAll } from '../support/source-items.js'

const read = (content: string | Buffer, size?: number) => readAll(readJson(inPieces(content, size), 'skills'))

test('each object of an array is a record', async () => {
  expect(await read('\ufeff[\n {"a": 1, "b": {"c": [1, {"d": null}]}},\n {"a": "é\\n🚀", "e": -1.5e2}\n]\n')).toEqual([
    'record 1: {"a":1,"b":{"c":[1,{"d":null}]}}',
    'record 2: {"a":"é\\n🚀","e":-150}',
  ])
})

test.each(['data', 'items', 'results', 'records'])('the array may be the member %s of an object', async (name) => {
  const document = { type: 'skills', meta: { data: [1] }, [name]: [{ a: 1 }, { a: 2 }], total: 2, more: [{ a: 3 }] }

  expect(await read(JSON.stringify(document))).toEqual(['record 1: {"a":1}', 'record 2: {"a":2}'])
})

test('a single object is a record, and several may follow each other', async () => {
  expect(await read('{\n "a": 1\n}\n{"a": 2, "topics": [{"data": []}]}')).toEqual([
    'record 1: {"a":1}',
    'record 2: {"a":2,"topics":[{"data":[]}]}',
  ])
})

test.each(['', '[]', '{"data":[]}', ' \n'])('%j has no records', async (content) => {
  expect(await read(content)).toEqual([])
})

test('a server with its packages is a record', async () => {
  const server = JSON.stringify({
    name: 'io.acme/mail',
    repository: { url: 'https://x.example' },
    packages: [{ a: 1 }],
  })

  for (const text of [server, JSON.stringify(JSON.parse(server), null, 2)]) {
    expect(await read(text)).toEqual([`record 1: ${server}`])
  }
})

test('numbers that are none, as Python writes them, are null', async () => {
  const text = '[{"a":NaN,"b":[-Infinity, Infinity],"c":"NaN, \\"NaN","d":1}]'

  expect(await read(text)).toEqual(['record 1: {"a":null,"b":[null,null],"c":"NaN, \\"NaN","d":1}'])
  expect(await readAll(readNdjson(inPieces('{"a":NaN}\n{"a":NaNs}\n'), 'skills'))).toEqual([
    'line 1: {"a":null}',
    expect.stringContaining('line 2 rejected: is not valid JSON'),
  ])
})

test('a value that is no object is rejected and the next one is read', async () => {
  expect(await read('[1, "x", null, [{"a":0}], {"a":1}]')).toEqual([
    'record 1 rejected: is not a JSON object',
    expect.stringMatching(/^record 2 rejected: is not a JSON object, but a text: /),
    'record 3 rejected: is not a JSON object',
    'record 4: {"a":0}',
    'record 5: {"a":1}',
  ])
})

test('a record with a repeated key is refused, and __proto__ is a key like any other', async () => {
  expect(await read('[{"a":1,"a":2},{"__proto__":{"b":1}}]')).toEqual([
    'record 1 rejected: has "a" twice: leave one of them',
    'record 2: {"__proto__":{"b":1}}',
  ])
})

describe('a record that is too large', () => {
  test('is rejected, and the next one is read', async () => {
    const large = `{"a":"${'x'.repeat(5_000_000)}","b":1}`

    expect(await read(`[${large},{"a":2}]`, 65_536)).toEqual([
      'record 1 rejected: is longer than the 1048576 bytes that a record may have',
      'record 2: {"a":2}',
    ])
  })

  test('may be too large by its keys, numbers or depth', async () => {
    const records = [
      `{"${'k'.repeat(2_000_000)}":1}`,
      `{"a":${'9'.repeat(2_000_000)}}`,
      `{"a":${'['.repeat(1_100_000)}${']'.repeat(1_100_000)}}`,
      `${'[1,'.repeat(500_000)}{}${']'.repeat(500_000)}`,
    ]

    expect(await read(`[${records.join(',')},{"a":2}]`, 65_536)).toEqual([
      ...[1, 2, 3].map((at) => expect.stringMatching(`record ${at} rejected: is longer`)),
      // The lists of several answers may be in a list.
      expect.stringMatching('record 4 rejected: is not a JSON object, but a list of values'),
      expect.stringMatching('record 5 rejected: is longer'),
      'record 6: {"a":2}',
    ])
  })
})

test('a record that is nested too deeply is rejected, and the next one is read', async () => {
  const deep = (levels: number) => `{"a":${'[{"b":"]}",\n"c":'.repeat(levels / 2)}0${'}]'.repeat(levels / 2)}}`

  expect(await read(`[${deep(60)},${deep(80)},${deep(10_000)},{"a":2}]`)).toEqual([
    expect.stringMatching('record 1: {"a":'),
    'record 2 rejected: is nested deeper than 64 levels',
    'record 3 rejected: is nested deeper than 64 levels',
    'record 4: {"a":2}',
  ])
})

describe('where the text stops being JSON', () => {
  test.each([
    ['[{"a":1},{"a":tru}]', 'line 1, column 15: expected a number, true, false or null, found "tru"'],
    ['[{"a":1},\n{"b":01}]', 'line 2, column 6: expected a number, true, false or null, found "01"'],
    ['[{"a":1},\n {"a":2,}]', 'line 2, column 9: expected a name in double quotes, found "}"'],
    ['[{"a":1} {"a":2}]', 'line 1, column 10: expected a comma or the closing bracket, found "{"'],
    ['[{"a":1},]', 'line 1, column 10: expected a value, found "]"'],
    ['[{"a":1}]]', 'line 1, column 10: expected a value, found "]"'],
    ['[{"a":1}}', 'line 1, column 9: expected a comma or the closing bracket, found "}"'],
    ['{"a":1}\n\nxyz', 'line 3, column 1: expected a value, found "x"'],
    ['[{"a":1},{"é🚀" "b"}]', 'line 1, column 17: expected ":", found "\\""'],
    ['[{"a":1},{"a":"x},\n{"a":2}]', 'line 1, column 19: expected the closing quote of a string, found "\\n"'],
    ['[{"a":1},{"a":"\\x"}]', 'line 1, column 17: expected one of " \\ / b f n r t after a backslash, or u and'],
    ['[{"a":1},{"a":"\\u12g4"}]', 'line 1, column 20: expected one of'],
  ])('every record before %j is read, in chunks of any size', async (content, place) => {
    for (const size of [1, 7, 65_536]) {
      expect(await read(content, size)).toEqual([
        'record 1: {"a":1}',
        expect.stringContaining(`UnreadableSource: is not valid JSON in ${place}`),
      ])
    }
  })

  test.each([
    ['[{"a":1}', 'line 1, column 9'],
    ['[{"a":1},\n{"a":"tw', 'line 2, column 9'],
    ['{"data":[{"a":1}]', 'line 1, column 18'],
  ])('%j is known to be truncated', async (content, place) => {
    expect(await read(content)).toEqual([
      'record 1: {"a":1}',
      `UnreadableSource: ends in the middle, in ${place}: the file is truncated`,
    ])
  })

  test.each([
    ['[{"a":1},]', 'Remove the comma before it'],
    ['[{"a":1,}]', 'Remove the comma before it'],
    ['[\n// one\n{"a":1}]', 'Remove the comments'],
    ["[{'a':1}]", 'Write strings in double quotes'],
  ])('%j: what to do is said', async (content, remedy) => {
    expect((await read(content)).at(-1)).toContain(`found `)
    expect((await read(content)).at(-1)).toContain(remedy)
  })

  test.each(['[{"a":}]', '[{"a":1},{"b":1]', `["it\\'s"]`])(
    '%j: neither a comma nor a quote is wrong',
    async (content) => {
      expect((await read(content)).at(-1)).toMatch(/found "[\]}']"$/)
    },
  )

  test('the position is right in a large file', async () => {
    const records = Array.from({ length: 1_500 }, (_, at) => `{"owner":"acme",\n"repo":"r${at}"}`)

    const items = await read(`[\n${[...records, '{"owner":"acme"\n"repo":"x"}', '{}'].join(',\n')}]`, 65_536)

    expect(items).toHaveLength(1_501)
    expect(items.at(-1)).toContain('is not valid JSON in line 3003, column 1: expected a comma')
  })
})

test.each([1, 2, 3, 1_000])('text is read up to invalid UTF-8, in chunks of %d bytes', async (size) => {
  const content = Buffer.concat([Buffer.from('[{"a":"é🚀"},{"a":"'), Buffer.from([0xe9]), Buffer.from('é"},{"a":2}]')])

  expect(await read(content, size)).toEqual([
    'record 1: {"a":"é🚀"}',
    expect.stringMatching(/^UnreadableSource: is not UTF-8 at byte 22\. Convert it/),
  ])
})

describe('NDJSON', () => {
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
      expect.stringMatching(/^line 3 rejected: is not a JSON object, but a text: write it in an object under the name/),
      expect.stringMatching(/^line 4 rejected: is not valid JSON/),
      'line 5 rejected: is not UTF-8. Convert it, for instance with: iconv -f cp1252 -t utf-8',
      'line 6: {"a":2}',
    ])
  })

  test('a comma after a record is none of it, and what Python and mongosh print is named', async () => {
    expect(await read('{"a":1},\n{"a":[2]},\r\n{"a":3}},\n{\'a\': 4}\n{"_id":ObjectId("a")}\n')).toEqual([
      'line 1: {"a":1}',
      'line 2: {"a":[2]}',
      'line 3 rejected: is not valid JSON in column 8: expected a value, found "}"',
      'line 4 rejected: is an object as Python prints it, and no JSON: write it with json.dumps',
      'line 5 rejected: is a document as mongosh prints it, and no JSON: write it with mongoexport',
    ])
  })

  test('what to do about a line that is nearly JSON is said', async () => {
    expect(await read('{"a":1,}\n{"a":1} // one\n{"a":True}\n{"a":None}\n{"a":1}\n{"a":"b\tc"}\n')).toEqual([
      'line 1 rejected: is not valid JSON in column 8: expected a name in double quotes, found "}". Remove the comma before it',
      expect.stringMatching(/^line 2 rejected: .*column 9: .*\. Remove the comments: JSON has none$/),
      expect.stringMatching(/^line 3 rejected: .*column 6: .*\. Write true in lower case$/),
      expect.stringMatching(/^line 4 rejected: .*column 6: .*null, found "None"$/),
      'line 5: {"a":1}',
      expect.stringMatching(/^line 6 rejected: .*column 8: .*\. Write line ends and tabs in a text as \\n and \\t$/),
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
})

test('one of the records under their ids may be null, and costs no other', async () => {
  expect(await mapDocument({ 'acme/pdf': { stars: 3 }, 'acme/gone': null, 'acme/csv': { stars: 4 } })).toMatchObject([
    { id: 'acme/pdf', stars: 3 },
    { reason: 'is not a JSON object' },
    { id: 'acme/csv', stars: 4 },
  ])
})
