import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { decodeCursor, encodeCursor, type ListScope } from '../../services/query/request/cursor.js'
import type { ListPosition } from '../../shared/ports/skill-reader.js'

const scope = (overrides: Partial<ListScope> = {}): ListScope => ({
  sort: 'stars',
  order: 'desc',
  filters: {},
  ...overrides,
})
const position = { value: 42, id: 'acme/pdf' }

describe('cursor', () => {
  test('encodes any position, in characters of URLs', () => {
    const positions = fc
      .record({
        value: fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.constant(null)),
        id: fc.string({ unit: 'grapheme' }),
      })
      .chain((known) => fc.constantFrom<ListPosition>(known, { ...known, stars: null }, { ...known, stars: 7 }))
    fc.assert(
      fc.property(positions, (any) => {
        const cursor = encodeCursor(scope(), any)
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(decodeCursor(cursor, scope())).toEqual({ position: any })
      }),
    )
  })

  test('of an earlier version, which has no stars to continue after, is refused in the order of trends', () => {
    const cursor = encodeCursor(scope({ sort: 'trending' }), { value: null, id: 'acme/pdf' })
    expect(decodeCursor(cursor, scope({ sort: 'trending' })).error?.message).toMatch(/another version of this service/)
  })

  test('is accepted for equivalent filters', () => {
    const cursor = encodeCursor(scope({ filters: { license: 'MIT', topics: ['a', 'b'] } }), position)

    expect(decodeCursor(cursor, scope({ filters: { topics: ['b', 'a', 'b'], license: 'mit' } }))).toEqual({ position })
  })

  test('is refused when any character of it is changed, missing or added', () => {
    const cursor = encodeCursor(scope(), position)
    const damaged = [...cursor].flatMap((character, at) => [
      cursor.slice(0, at) + cursor.slice(at + 1),
      cursor.slice(0, at) + (character === 'A' ? 'B' : 'A') + cursor.slice(at + 1),
      `${cursor.slice(0, at)}x${cursor.slice(at)}`,
    ])

    for (const text of [...damaged, '', 'x', 'null', '=', 'ü', '\0', 'A'.repeat(7_000)]) {
      expect(decodeCursor(text, scope()).error?.message).toMatch(/^is damaged or not a cursor of this service/)
    }
  })
})
