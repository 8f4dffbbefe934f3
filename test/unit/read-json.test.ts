import { describe, expect, test } from '@jest/globals'
import { readJson } from '../../services/indexer/import/read-json.js'
import { inPieces, readAll } from '../support/source-items.js'

const read = (content: string | Buffer, size?: number) => readAll(readJson(inPieces(content, size)))

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

test('an object alone is a record, and several may follow each other', async () => {
  expect(await read('{\n "a": 1\n}\n{"a": 2, "topics": [{"data": []}]}')).toEqual([
    'record 1: {"a":1}',
    'record 2: {"a":2,"topics":[{"data":[]}]}',
  ])
})

test.each(['', '[]', '{"data":[]}', ' \n'])('%j holds nothing', async (content) => {
  expect(await read(content)).toEqual([])
})

test('what is no object is told and the next one is read', async () => {
  expect(await read('[1, "x", null, [{"a":0}], {"a":1}]')).toEqual([
    'record 1 rejected: is not a JSON object',
    'record 2 rejected: is not a JSON object',
    'record 3 rejected: is not a JSON object',
    'record 4 rejected: is not a JSON object',
    'record 5: {"a":1}',
  ])
})

test('of a repeated key the last one counts, and __proto__ is a key like any other', async () => {
  expect(await read('[{"a":1,"a":2,"__proto__":{"b":1}}]')).toEqual(['record 1: {"a":2,"__proto__":{"b":1}}'])
})

describe('a record that is too large', () => {
  test('is told, and the next one is read', async () => {
    const large = `{"a":"${'x'.repeat(5_000_000)}","b":1}`

    expect(await read(`[${large},{"a":2}]`, 65_536)).toEqual([
      'record 1 rejected: is longer than the 1048576 bytes that a record may have',
      'record 2: {"a":2}',
    ])
  })

  test('may be so by its keys, numbers or depth', async () => {
    const records = [
      `{"${'k'.repeat(2_000_000)}":1}`,
      `{"a":${'9'.repeat(2_000_000)}}`,
      `{"a":${'['.repeat(1_100_000)}${']'.repeat(1_100_000)}}`,
    ]

    expect(await read(`[${records.join(',')},{"a":2}]`, 65_536)).toEqual([
      ...[1, 2, 3].map((at) => expect.stringMatching(`record ${at} rejected: is longer`)),
      'record 4: {"a":2}',
    ])
  })
})

test.each([
  ['[{"a":1},{"a":tru}]', /^UnreadableSource: is not valid JSON after record 1: /],
  ['[{"a":1},{"a":2', /^UnreadableSource: (is not valid JSON|ends in the middle,?) after record 1/],
  ['[{"a":1}', /^UnreadableSource: /],
  ['[{"a":1}]]', /^UnreadableSource: is not valid JSON/],
])('behind a mistake in %s nothing is guessed', async (content, told) => {
  const items = await read(content)

  expect(items.at(-1)).toMatch(told)
  expect(items.slice(0, -1)).toEqual(items.length > 1 ? ['record 1: {"a":1}'] : [])
})

test('text that is not UTF-8 is not read', async () => {
  expect(await read(Buffer.concat([Buffer.from('[{"a":"'), Buffer.from([0xe9]), Buffer.from('"}]')]))).toEqual([
    expect.stringMatching(/^UnreadableSource: is not UTF-8\. Convert it/),
  ])
})
