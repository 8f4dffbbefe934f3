import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { QueryVectors, type QueryVectorsOptions } from '../../services/query/skills/query-vectors.js'
import { embedderRefused, embedderUnavailable } from '../../shared/adapters/embedders/batches.js'
import type { Vector } from '../../shared/ports/embedder.js'
import { keptLog } from '../support/test-log.js'

/** Shows which text it belongs to; it has no meaning. */
const vectorFor = (text: string): Vector => Float32Array.of(text.length, 1)

/** Vectors of texts over an embedder whose answers the test controls. */
function someVectors(options: Partial<QueryVectorsOptions> = {}) {
  const { log, lines } = keptLog()
  const state = {
    nowMs: 1_000_000,
    unavailable: 0,
    texts: [] as string[],
    signals: [] as AbortSignal[],
    answer: async (text: string): Promise<Vector> => vectorFor(text),
  }
  const vectors = new QueryVectors({
    embedder: {
      embed: async (texts, purpose, signal) => {
        expect(purpose).toBe('query')
        state.texts.push(...texts)
        state.signals.push(...(signal === undefined ? [] : [signal]))
        return Promise.all(texts.map((text) => state.answer(text)))
      },
    },
    log,
    timeLimitMs: 30,
    onUnavailable: () => {
      state.unavailable += 1
    },
    clock: () => state.nowMs,
    ...options,
  })
  return { vectors, state, messages: () => lines.map(({ msg, dependency }) => `${dependency}: ${msg}`) }
}

/** An answer that the test gives later. */
function laterAnswer() {
  let give: (vector: Vector) => void = () => {}
  let fail: (error: Error) => void = () => {}
  const answer = new Promise<Vector>((resolve, reject) => {
    give = resolve
    fail = reject
  })
  return { answer, give: (vector: Vector) => give(vector), fail: (error: Error) => fail(error) }
}

describe('the vector of a text', () => {
  test('is asked for once, and then kept', async () => {
    const { vectors, state } = someVectors()

    expect(await vectors.vectorOf('pdf')).toEqual(vectorFor('pdf'))
    expect(await vectors.vectorOf('pdf')).toEqual(vectorFor('pdf'))
    expect(state).toMatchObject({ texts: ['pdf'], unavailable: 0 })
  })

  test('is asked for once by concurrent searches', async () => {
    const { vectors, state } = someVectors()
    const { answer, give } = laterAnswer()
    state.answer = () => answer

    const both = Promise.all([vectors.vectorOf('pdf'), vectors.vectorOf('pdf')])
    give(vectorFor('pdf'))

    expect(await both).toEqual([vectorFor('pdf'), vectorFor('pdf')])
    expect(state.texts).toEqual(['pdf'])
  })

  test('is dropped when it was not used for the longest time', async () => {
    const { vectors, state } = someVectors({ maxTexts: 2 })

    for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) {
      await vectors.vectorOf(text)
    }

    expect(state.texts).toEqual(['a', 'b', 'c', 'b'])
  })

  test('takes little memory: 32 MiB for all of them, with their texts', async () => {
    const { vectors, state } = someVectors()
    // 4 MiB each, with its text.
    state.answer = async () => new Float32Array(1024 * 1024 - 8)

    for (const text of ['1', '2', '3', '4', '5', '6', '7', '8', '9', '2', '1']) {
      await vectors.vectorOf(text)
    }

    expect(state.texts).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '1'])

    // 16 MiB each.
    const [one, other] = ['a'.repeat(8 * 1024 * 1024), 'b'.repeat(8 * 1024 * 1024)]
    for (const text of [one, other, one]) {
      await vectors.vectorOf(text)
    }

    expect(state.texts).toHaveLength(13)
  })
})

describe('an embedder that fails', () => {
  test.each([
    ['unavailable', embedderUnavailable('nobody answers')],
    ['refusing', embedderRefused('check EMBEDDER_KEY')],
    ['broken', new TypeError('a bug')],
  ])('%s: null, one line in the log, and no call for five seconds', async (_, error) => {
    const { vectors, state, messages } = someVectors()
    state.answer = () => Promise.reject(error)

    expect(await vectors.vectorOf('a')).toBeNull()
    state.nowMs += 4_999
    expect(await vectors.vectorOf('a')).toBeNull()
    expect(await vectors.vectorOf('b')).toBeNull()
    expect(state).toMatchObject({ texts: ['a'], unavailable: 3 })
    state.nowMs += 1
    expect(await vectors.vectorOf('b')).toBeNull()
    expect(state.texts).toEqual(['a', 'b'])
    expect(messages()).toEqual(['embedder: dependency unavailable'])
  })

  test('kept vectors are still returned', async () => {
    const { vectors, state } = someVectors()
    await vectors.vectorOf('kept')
    state.answer = () => Promise.reject(embedderUnavailable('nobody answers'))
    await vectors.vectorOf('other')

    expect(await vectors.vectorOf('kept')).toEqual(vectorFor('kept'))
    expect(state.unavailable).toBe(1)
  })

  test('after the pause, one call shows whether it answers again', async () => {
    const { vectors, state, messages } = someVectors()
    state.answer = () => Promise.reject(embedderUnavailable('nobody answers'))
    await vectors.vectorOf('a')
    state.nowMs += 30_000
    const { answer, give } = laterAnswer()
    state.answer = () => answer

    const first = vectors.vectorOf('b')
    expect(await vectors.vectorOf('c')).toBeNull()
    give(vectorFor('b'))
    expect(await first).toEqual(vectorFor('b'))
    expect(await vectors.vectorOf('c')).not.toBeNull()
    expect(state.texts).toEqual(['a', 'b', 'c'])
    expect(messages()).toEqual(['embedder: dependency unavailable', 'embedder: dependency recovered'])
  })
})

describe('a slow embedder', () => {
  test('a search waits for the time limit; the late answer is kept, and ends the pause', async () => {
    const { vectors, state } = someVectors()
    const { answer, give } = laterAnswer()
    state.answer = () => answer

    expect(await vectors.vectorOf('slow')).toBeNull()
    expect(await vectors.vectorOf('other')).toBeNull()
    give(vectorFor('slow'))
    await sleep(0)

    expect(await vectors.vectorOf('slow')).toEqual(vectorFor('slow'))
    expect(await vectors.vectorOf('other')).not.toBeNull()
    expect(state).toMatchObject({ texts: ['slow', 'other'], unavailable: 2 })
  })

  test('is logged as unavailable once, however often it is slow', async () => {
    const { vectors, state, messages } = someVectors()

    for (const text of ['a', 'b', 'c']) {
      const { answer, give } = laterAnswer()
      state.answer = () => answer
      expect(await vectors.vectorOf(text)).toBeNull()
      give(vectorFor(text))
      await sleep(0)
    }

    expect(state.texts).toEqual(['a', 'b', 'c'])
    expect(messages()).toEqual(['embedder: dependency unavailable'])
  })

  test('a call is aborted when even a late answer is overdue', async () => {
    const { vectors, state } = someVectors({ lateLimitMs: 60 })
    const { answer, fail } = laterAnswer()
    state.answer = () => answer

    expect(await vectors.vectorOf('slow')).toBeNull()
    expect(state.signals[0]?.aborted).toBe(false)
    await sleep(80)
    expect(state.signals[0]?.aborted).toBe(true)
    // The late failure is nobody's.
    fail(new Error('aborted'))
    await sleep(0)
    state.nowMs += 5_000
    state.answer = async (text) => vectorFor(text)
    expect(await vectors.vectorOf('slow')).toEqual(vectorFor('slow'))
  })

  test('at most 32 calls run at the same time', async () => {
    const { vectors, state } = someVectors()
    state.answer = () => new Promise(() => {})

    const found = await Promise.all(Array.from({ length: 40 }, (_, at) => vectors.vectorOf(String(at))))

    expect(found).toEqual(Array(40).fill(null))
    expect(state).toMatchObject({ unavailable: 40 })
    expect(state.texts).toHaveLength(32)
  })
})
