import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import wabt from 'wabt'
import { CodeMemory, compiled } from '../../shared/adapters/embedded/sqlite/search/distances.js'
import { wordsPerCode, writeCode } from '../../shared/adapters/embedded/sqlite/search/vector-tables.js'
import { projectRoot } from '../../shared/runtime/project-root.js'

test('the compiled bytes are those of distances.wat', async () => {
  const path = join(projectRoot(), 'shared/adapters/embedded/sqlite/search/distances.wat')
  const { parseWat } = await wabt()

  const { buffer } = parseWat(path, readFileSync(path, 'utf8'), { simd: true }).toBinary({})

  expect(Buffer.from(buffer).toString('base64')).toBe(compiled)
})

describe('distances', () => {
  const bitsIn = (word: number) => (word >>> 0).toString(2).replaceAll('0', '').length
  const word = fc.oneof(fc.integer(), fc.constantFrom(0, -1, 1, -2_147_483_648))

  test.each([8, 16, 24, 32, 96])('of codes of %i words are the numbers of bits in which they differ', (words) => {
    const codes = fc.array(fc.array(word, { minLength: words, maxLength: words }), { minLength: 1, maxLength: 9 })
    fc.assert(
      fc.property(codes, fc.nat(8), ([code = [], ...others], spare) => {
        const memory = new CodeMemory(others.length + spare, words)
        for (const [place, other] of others.entries()) {
          memory.codes.set(other, place * words)
        }

        // Twice: the counts of the first time must be gone.
        memory.measure(Int32Array.from(others[0] ?? code), others.length)
        memory.measure(Int32Array.from(code), others.length)

        const expected = others.map((other) =>
          other.reduce((sum, each, at) => sum + bitsIn(each ^ Number(code[at])), 0),
        )
        expect([...memory.distances.subarray(0, others.length)]).toEqual(expected)
        expect([...memory.counts]).toEqual(
          Array.from({ length: words * 32 + 1 }, (_, distance) => expected.filter((each) => each === distance).length),
        )
      }),
      { numRuns: 50 },
    )
  })

  test('are measured in a memory of many pages', () => {
    const [places, words] = [50_000, 8]
    const memory = new CodeMemory(places, words)
    for (let place = 0; place < places; place += 1) {
      memory.codes[place * words + (place % words)] = place
    }

    memory.measure(new Int32Array(words), places)

    for (const place of [0, 1, 255, 32_767, 49_999]) {
      expect([place, memory.distances[place]]).toEqual([place, bitsIn(place)])
    }
    expect(memory.counts.reduce((sum, count) => sum + count, 0)).toBe(places)
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
