import { expect, test } from '@jest/globals'
import { repeatedMember } from '../../services/indexer/import/map-record.js'
import { IdSet } from '../../services/indexer/import/record-ids.js'

describe('repeatedMember', () => {
  test.each([
    ['{"a":1,"b":2}', null],
    ['{"a":1,"b":2,"a":3}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"a":{"x":1},"b":{"x":2}}', null],
    ['{"a":"\\"b\\":1,{[","b":"a:b"}', null],
    ['{"a":["b","b"],"b":"a"}', null],
    ['{"__proto__":1,"a":2}', null],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{}', null],
  ])('%s', (json, twice) => {
    expect(repeatedMember(json, JSON.parse(json))).toBe(twice)
  })
})

test('a set of ids has exactly the added ids', () => {
  const ids = new IdSet()
  const added = Array.from({ length: 20_000 }, (_, at) => `acme/skill-${at}`)

  for (const id of [...added, ...added]) {
    ids.add(id)
  }

  expect(added.filter((id) => !ids.has(id))).toEqual([])
  expect(added.filter((id) => ids.has(`${id}-other`))).toEqual([])
})
