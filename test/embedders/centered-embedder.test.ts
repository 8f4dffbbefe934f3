import { describe, expect, test } from '@jest/globals'
import { embedderUnavailable } from '../../shared/adapters/embedders/batches.js'
import { CenteredEmbedder } from '../../shared/adapters/embedders/centered-embedder.js'
import { unitVector } from '../../shared/embedding/built-in-embedder.js'
import type { Embedder, Vector } from '../../shared/ports/embedder.js'

const size = 64

/** A vector that depends on the words of a text only a little: most of it is the same for every text. */
function commonVector(text: string, common = 4): Vector {
  const vector = new Float32Array(size)
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const at = [...word].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % (size - 1), 7)
    vector[at + 1] = (vector[at + 1] ?? 0) + 1
  }
  const words = unitVector(vector) ?? vector
  words[0] = common
  return unitVector(words) ?? words
}

function open(embed: Embedder['embed'] = async (texts) => texts.map((text) => commonVector(text))) {
  const calls: [count: number, purpose: string][] = []
  const inner: Embedder = {
    kind: 'model',
    model: 'test',
    dimensions: async () => size,
    embed: async (texts, purpose, signal) => {
      calls.push([texts.length, purpose])
      return embed(texts, purpose, signal)
    },
    close: async () => undefined,
  }
  return { embedder: new CenteredEmbedder(inner), calls }
}

const dot = (a: Vector = new Float32Array(), b: Vector = new Float32Array()): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)

describe('CenteredEmbedder', () => {
  const texts = ['read invoices', 'reads an invoice', 'plant tomatoes'] as const

  test('texts that say different things are far from each other, also where all vectors are alike', async () => {
    expect(dot(commonVector(texts[0]), commonVector(texts[2]))).toBeGreaterThan(0.9)

    const [own, same, other] = await open().embedder.embed([texts[0], texts[0], texts[2]], 'document')
    expect(dot(own, own)).toBeCloseTo(1, 5)
    expect(dot(own, same)).toBeCloseTo(1, 5)
    expect(dot(own, other)).toBeLessThan(0.3)
  })

  test('asks for what is common once for each purpose, and names vectors of its own', async () => {
    const { embedder, calls } = open()
    await Promise.all([embedder.embed([texts[0]], 'document'), embedder.embed([texts[1]], 'document')])
    await embedder.embed([texts[1]], 'query')
    await embedder.embed([texts[2]], 'query')

    const own = calls.filter(([count]) => count > 1)
    expect(own.map(([, purpose]) => purpose)).toEqual(['document', 'query'])
    expect([embedder.model, embedder.kind, await embedder.dimensions()]).toEqual(['test:centered', 'model', size])
  })

  test('asks again after an outage, and passes its error on', async () => {
    let isDown = true
    const { embedder } = open(async (given) => {
      if (isDown) {
        throw embedderUnavailable('it is down')
      }
      return given.map((text) => commonVector(text))
    })

    await expect(embedder.embed([texts[0]], 'query')).rejects.toMatchObject({ code: 'embedder_unavailable' })
    isDown = false
    expect(await embedder.embed([texts[0]], 'query')).toHaveLength(1)
  })

  test('a text without meaning keeps its zeros, and so does one that says what all say', async () => {
    const zeros = open(async (given) =>
      given.map((text) => (text === '' ? new Float32Array(size) : commonVector(text))),
    )
    expect((await zeros.embedder.embed([''], 'document'))[0]).toEqual(new Float32Array(size))

    const alike = open(async (given) => given.map(() => Float32Array.of(1, 0)))
    expect((await alike.embedder.embed(['any'], 'document'))[0]).toEqual(Float32Array.of(0, 0))
  })
})
