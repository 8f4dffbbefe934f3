import { expect, test } from '@jest/globals'
import { openEmbedder } from '../../shared/adapters/embedders/open-embedder.js'
import type { Embedder } from '../../shared/ports/embedder.js'
import { freePort } from '../support/free-port.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'

const builtIn: Embedder = {
  kind: 'table',
  model: 'built-in:test',
  dimensions: async () => 2,
  embed: async (texts) => texts.map(() => Float32Array.of(1, 0)),
  close: async () => undefined,
}
const options = { log: silentLog(), builtIn: () => builtIn }

test('off: none; built-in: the one of the caller', async () => {
  expect(await openEmbedder({ kind: 'off' }, options)).toBeNull()
  expect(await openEmbedder({ kind: 'built-in' }, options)).toBe(builtIn)
})

test('a server may be down when it is opened', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  const server = { url, key: null, model: 'a-model', requestsPerMinute: null }

  expect(await openEmbedder({ kind: 'openai', ...server }, options)).toMatchObject({ model: 'openai:a-model:centered' })
  expect(await openEmbedder({ kind: 'ollama', ...server }, options)).toMatchObject({ model: 'ollama:a-model:centered' })
})

test('a folder without a model is refused when it is opened', async () => {
  const folder = temporaryFolder()

  await expect(openEmbedder({ kind: 'onnx', folder }, options)).rejects.toMatchObject({ code: 'embedder_refused' })
})
