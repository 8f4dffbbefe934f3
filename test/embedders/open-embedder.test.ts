import { expect, test } from '@jest/globals'
import { openEmbedder } from '../../shared/adapters/embedders/open-embedder.js'
import { BuiltInEmbedder } from '../../shared/embedding/built-in-embedder.js'
import { freePort } from '../support/local-server.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { silentLog } from '../support/test-log.js'

const log = silentLog()

test('off: none; built-in: the table of words', async () => {
  expect(await openEmbedder({ kind: 'off' }, log)).toBeNull()
  expect(await openEmbedder({ kind: 'built-in' }, log)).toBeInstanceOf(BuiltInEmbedder)
})

test('a server may be down when it is opened', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  const server = { url, key: null, model: 'a-model', requestsPerMinute: null }

  expect(await openEmbedder({ kind: 'openai', ...server }, log)).toMatchObject({ model: 'openai:a-model:centered' })
  expect(await openEmbedder({ kind: 'ollama', ...server }, log)).toMatchObject({ model: 'ollama:a-model:centered' })
})

test('a folder without a model is refused when it is opened', async () => {
  const folder = temporaryFolder()

  await expect(openEmbedder({ kind: 'onnx', folder }, log)).rejects.toMatchObject({ code: 'embedder_refused' })
})
