import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { parseQuery } from '../../services/query/request/parse-query.js'

const schema = z.object({
  name: z.string({ error: 'is required.' }),
  size: z.string().regex(/^\d+$/, 'must be a number.').transform(Number).default(1),
  tag: z.array(z.string()).optional().meta({ repeatable: true }),
})

test('returns the values by the schema, and the texts as sent', () => {
  expect(parseQuery('name=a%20b+c&tag=x&tag=y&size=7', schema)).toEqual({
    query: { name: 'a b c', tag: ['x', 'y'], size: 7 },
    given: [
      ['name', 'a b c'],
      ['tag', 'x'],
      ['tag', 'y'],
      ['size', '7'],
    ],
  })
})

test('a value may have = and text of any script; empty pairs are ignored', () => {
  expect(parseQuery('&name=a=%E6%97%A5&&', schema)).toMatchObject({ query: { name: 'a=日', size: 1 } })
})

test.each([
  ['a lone surrogate', 'name=%ED%A0%80', 'name', 'is not valid percent-encoded UTF-8; write a literal % as %25.'],
  ['truncated', 'name=100%', 'name', 'is not valid percent-encoded UTF-8; write a literal % as %25.'],
  ['named like a method', 'name=a&toString=1', 'toString', 'is not known: this endpoint takes name, size, tag.'],
])('a parameter that is %s', (_, querystring, parameter, message) => {
  expect(parseQuery(querystring, schema).errors).toEqual([{ parameter, message }])
})

test('thousands of parameters are one error', () => {
  expect(parseQuery('x&'.repeat(2_000), schema).errors).toEqual([
    { parameter: '*', message: 'has 2000 parameters: send at most 100.' },
  ])
})

test('a long name is shortened in the error', () => {
  expect(parseQuery(`name=a&${'x'.repeat(500)}=1`, schema).errors?.[0]?.parameter).toBe(`${'x'.repeat(100)}…`)
})
