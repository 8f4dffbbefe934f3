import { expect, test } from '@jest/globals'
import { repeatedMember } from '../../services/indexer/import/held-records.js'

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
