import { describe, expect, test } from '@jest/globals'
import { compareAnswer } from './compare-answer.js'

describe('JSON', () => {
  test.each([
    ['{"a": 1}', '{"a": "1"}', '$.a: documented as number, is string: "1"'],
    ['{"a": null}', '{"a": 1}', '$.a: documented as null, is number: 1'],
    ['{"a": 1}', '{"a": 1, "b": 2}', '$.b: is not documented'],
    ['{"a": 1, "b": 2}', '{"a": 1}', '$.b: is documented, but is not in the answer'],
    ['[{"a": 1}]', '[{"a": 1}, {"a": 1}]', '$: documented with 1 elements, has 2'],
    ['["pdf"]', '[1]', '$[0]: documented as string, is number: 1'],
    ['{"id": "a/b"}', '{"id": "a/c"}', '$.id: documented as "a/b", is "a/c"'],
    ['{"total": 64}', '{"total": 16}', '$.total: documented as 64, is 16'],
    ['{}', 'curl: (7)', '$: documented as object, is string: "no JSON: curl: (7)"'],
  ])('%s does not describe %s', (documented, actual, difference) => {
    expect(compareAnswer('json', documented, actual)).toEqual([difference])
  })
})

describe('headers', () => {
  const answer = 'HTTP/1.1 200 OK\r\nETag: "ab1"\r\nContent-Encoding: br\r\n'

  test.each(['HTTP/1.1 404 Not Found', 'Content-Encoding: gzip', 'Age: 0'])('%s is not sent', (line) => {
    expect(compareAnswer('http', line, answer)).toHaveLength(1)
  })
})

describe('lines', () => {
  const answer = 'job    last run\nsync   2026-11-22T23:34:01.003Z\nverify never\n2 indexers\n'

  test.each(['job last run', 'job last run\n…\n2 query services', 'sync 0\n…'])('%j does not', (documented) => {
    expect(compareAnswer('text', documented, answer)).toHaveLength(1)
  })
})
