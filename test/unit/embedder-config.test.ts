import { describe, expect, test } from '@jest/globals'
import { readEmbedderConfig } from '../../shared/runtime/query-config.js'

describe('readEmbedderConfig', () => {
  test('default: the built-in embedder; an empty variable counts as not set', () => {
    expect(readEmbedderConfig({})).toEqual({ kind: 'built-in' })
    expect(readEmbedderConfig({ EMBEDDER: '', EMBEDDER_URL: '', EMBEDDER_KEY: '' })).toEqual({ kind: 'built-in' })
  })

  test('off, and a local folder', () => {
    expect(readEmbedderConfig({ EMBEDDER: 'off' })).toEqual({ kind: 'off' })
    expect(readEmbedderConfig({ EMBEDDER: 'onnx', EMBEDDER_MODEL: './model' })).toEqual({
      kind: 'onnx',
      folder: './model',
    })
  })

  test('a server with the API of OpenAI', () => {
    expect(
      readEmbedderConfig({
        EMBEDDER: 'openai',
        EMBEDDER_URL: 'https://api.example/v1/',
        EMBEDDER_KEY: 'sk-1',
        EMBEDDER_MODEL: 'text-embedding-3-small',
        EMBEDDER_REQUESTS_PER_MINUTE: '300',
      }),
    ).toEqual({
      kind: 'openai',
      url: 'https://api.example/v1',
      key: 'sk-1',
      model: 'text-embedding-3-small',
      requestsPerMinute: 300,
    })
  })

  test('Ollama needs a model only', () => {
    expect(readEmbedderConfig({ EMBEDDER: 'ollama', EMBEDDER_MODEL: 'all-minilm' })).toEqual({
      kind: 'ollama',
      url: 'http://localhost:11434',
      key: null,
      model: 'all-minilm',
      requestsPerMinute: null,
    })
  })

  test.each([
    [{ EMBEDDER: 'magic' }, 'EMBEDDER: "magic" must be built-in, off, openai, ollama or onnx'],
    [{ EMBEDDER: 'ollama' }, 'EMBEDDER_MODEL: is required when EMBEDDER is ollama'],
    [{ EMBEDDER: 'onnx' }, 'EMBEDDER_MODEL: is required when EMBEDDER is onnx: the folder'],
    [{ EMBEDDER: 'openai', EMBEDDER_MODEL: 'm' }, 'EMBEDDER_URL: is required when EMBEDDER is openai'],
    [{ EMBEDDER: 'openai', EMBEDDER_MODEL: 'm', EMBEDDER_URL: 'api.example' }, 'EMBEDDER_URL: must look like https://'],
    [{ EMBEDDER: 'ollama', EMBEDDER_URL: 'http://u:secret@h' }, 'put the key into EMBEDDER_KEY'],
    [{ EMBEDDER: 'ollama', EMBEDDER_URL: 'http://h/?a=1' }, 'remove everything from the first ?'],
    [{ EMBEDDER: 'ollama', EMBEDDER_KEY: 'a secret' }, 'EMBEDDER_KEY: must be ASCII'],
    [{ EMBEDDER: 'ollama', EMBEDDER_REQUESTS_PER_MINUTE: '0' }, 'must be a whole number from 1 to'],
    [{ EMBEDDER: 'off', EMBEDDER_MODEL: 'm' }, 'EMBEDDER_MODEL: is not used when EMBEDDER is off: unset it.'],
    [{ EMBEDDER: 'onnx', EMBEDDER_MODEL: 'm', EMBEDDER_URL: 'http://h' }, 'EMBEDDER_URL: is not used when'],
    [{ EMBEDDER_URL: 'http://h' }, 'EMBEDDER_URL: is used only with EMBEDDER: set EMBEDDER to openai or ollama, or'],
  ])('%j is refused: %s', (env, message) => {
    expect(() => readEmbedderConfig(env)).toThrow(expect.objectContaining({ code: 'bad_configuration' }))
    expect(() => readEmbedderConfig(env)).toThrow(message)
  })

  test('no message has the key or a password', () => {
    for (const env of [
      { EMBEDDER: 'ollama', EMBEDDER_URL: 'http://u:secret@h', EMBEDDER_KEY: 'secret key' },
      { EMBEDDER_KEY: 'secret' },
    ]) {
      expect(() => readEmbedderConfig(env)).toThrow(/^(?![\s\S]*secret)/)
    }
  })
})
