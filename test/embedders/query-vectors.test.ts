import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { QueryVectors } from '../../services/query/skills/query-vectors.js'
import { HttpEmbedder } from '../../shared/adapters/embedders/http-embedder.js'
import { startEmbeddingServer } from '../support/embedding-server.js'
import { silentLog } from '../support/test-log.js'

test('a slow server: the search goes on, and its late answer serves the next one', async () => {
  let answer = () => {}
  const waiting = new Promise<void>((resolve) => {
    answer = resolve
  })
  const server = await startEmbeddingServer(async (texts) => {
    await waiting
    return texts.map(() => [0, 1])
  })
  const { vectors, close } = vectorsOf(server.url, 300)

  expect(await vectors.vectorOf('pdf')).toBeNull()
  answer()
  while ((await vectors.vectorOf('pdf')) === null) {
    await sleep(5)
  }
  expect(await vectors.vectorOf('csv')).toEqual(Float32Array.of(0, 1))
  expect(server.requests.map(({ body }) => body.input)).toEqual([['pdf'], ['csv']])
  await close()
})

test('a server that is stopped and started again', async () => {
  const server = await startEmbeddingServer(async (texts) => texts.map(() => [0, 1]))
  const { vectors, close, clock } = vectorsOf(server.url, 1_000)
  expect(await vectors.vectorOf('a')).not.toBeNull()

  server.fault = (response) => {
    response.destroy()
    return true
  }
  expect(await vectors.vectorOf('b')).toBeNull()
  server.fault = () => false
  expect(await vectors.vectorOf('b')).toBeNull()
  clock.nowMs += 5_000

  expect(await vectors.vectorOf('b')).not.toBeNull()
  await close()
})

function vectorsOf(url: string, timeLimitMs: number) {
  const log = silentLog()
  const clock = { nowMs: 0 }
  const embedder = new HttpEmbedder(
    { kind: 'ollama', url, key: null, model: 'a-model', requestsPerMinute: null },
    { log },
  )
  const vectors = new QueryVectors({
    embedder,
    log,
    onUnavailable: () => undefined,
    timeLimitMs,
    clock: () => clock.nowMs,
  })
  return { vectors, clock, close: () => embedder.close() }
}
