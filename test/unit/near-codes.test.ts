import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import wabt from 'wabt'
import {
  CodeMemory,
  compiled,
  wordsPerCode,
  writeCode,
} from '../../shared/adapters/embedded/sqlite/search/vector-codes.js'
import { projectRoot } from '../../shared/runtime/project-root.js'

test('the compiled bytes are those of near-codes.wat', async () => {
  const path = join(projectRoot(), 'shared/adapters/embedded/sqlite/search/near-codes.wat')
  const { parseWat } = await wabt()

  const { buffer } = parseWat(path, readFileSync(path, 'utf8')).toBinary({})

  expect(Buffer.from(buffer).toString('base64')).toBe(compiled)
})

describe('the nearest codes', () => {
  const bitsIn = (word: number) => (word >>> 0).toString(2).replaceAll('0', '').length
  const word = fc.oneof(fc.integer(), fc.constantFrom(0, -1, 1, -2_147_483_648))

  test.each([8, 16, 24, 32, 96])('of %i words differ in the fewest bits, and are in order', (words) => {
    const codes = fc.array(fc.array(word, { minLength: words, maxLength: words }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(codes, fc.nat(8), fc.nat(40), fc.nat(3), ([code = [], ...others], spare, count, left) => {
        const memory = new CodeMemory(others.length + spare, words)
        for (const [place, other] of others.entries()) {
          memory.codes.set(other, place * words)
        }
        const isWanted = (place: number) => place % 4 !== left
        const ask = (to: number[]) => memory.nearest(Int32Array.from(to), others.length, count, isWanted)

        // Twice: nothing is left of the first time.
        ask(others[0] ?? code)
        const found = ask(code)

        const distances = others.map((other) =>
          other.reduce((sum, each, at) => sum + bitsIn(each ^ Number(code[at])), 0),
        )
        const wanted = distances.filter((_, place) => isWanted(place)).sort((a, b) => a - b)
        expect(found.map(({ distance }) => distance)).toEqual(wanted.slice(0, count))
        expect(found.map(({ place }) => distances[place])).toEqual(wanted.slice(0, count))
        expect(found.every(({ place }) => isWanted(place))).toBe(true)
        expect(new Set(found.map(({ place }) => place)).size).toBe(found.length)
      }),
      { numRuns: 50 },
    )
  })

  test.each([
    ['the farthest first', (n: number) => 256 - (n % 256)],
    ['the nearest first', (n: number) => n % 256],
    ['all equal', () => 7],
  ])('are found among 50,000, %s', (_name, distanceOf) => {
    const [places, words, count] = [50_000, 8, 250]
    const memory = new CodeMemory(places, words)
    const distances = Array.from({ length: places }, (_, n) => distanceOf(Math.floor((n * 256) / places)))
    for (const [place, distance] of distances.entries()) {
      for (let bit = 0; bit < distance; bit += 1) {
        memory.codes[place * words + (bit >> 5)] = Number(memory.codes[place * words + (bit >> 5)]) | (1 << (bit & 31))
      }
    }

    const found = memory.nearest(new Int32Array(words), places, count, () => true)

    expect(found.map(({ distance }) => distance)).toEqual([...distances].sort((a, b) => a - b).slice(0, count))
    expect(found.map(({ place }) => distances[place])).toEqual(found.map(({ distance }) => distance))
  })
})

describe('the code of a vector', () => {
  test.each([
    [1, 8],
    [256, 8],
    [257, 16],
    [384, 16],
    [512, 16],
    [768, 24],
    [1_536, 48],
  ])('of %i dimensions has %i words', (dimensions, words) => {
    expect(wordsPerCode(dimensions)).toBe(words)
  })

  test('has a bit for each positive dimension, and zeros after the last', () => {
    const vector = new Float32Array(384)
    vector.set([0.5, -0.5, 0, 1], 0)
    vector[31] = 1
    vector[383] = 1
    const codes = new Int32Array(48).fill(-1)

    writeCode(vector, codes, 16)

    const code = codes.subarray(16, 32)
    expect(code[0]).toBe(1 | 8 | (1 << 31))
    expect(code[11]).toBe(1 << 31)
    expect([...code.subarray(1, 11), ...code.subarray(12)].every((each) => each === 0)).toBe(true)
    expect([codes[15], codes[32]]).toEqual([-1, -1])
  })
})
