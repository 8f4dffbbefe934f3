import { expect, test } from '@jest/globals'
import { readRerankerConfig } from '../../shared/runtime/query-config.js'

const server = { RERANKER_URL: 'http://localhost:8080/v1/', RERANKER_MODEL: 'bge-reranker-v2-m3' }

test('by default there is none; an address and a model name one', () => {
  expect(readRerankerConfig({})).toBeNull()
  expect(readRerankerConfig({ RERANKER_URL: '' })).toBeNull()
  expect(readRerankerConfig(server)).toEqual({
    url: 'http://localhost:8080/v1',
    model: 'bge-reranker-v2-m3',
    key: null,
    timeLimitMs: 500,
  })
  const all = { ...server, RERANKER_KEY: 'sk-1', RERANKER_TIME_LIMIT_MS: '1500' }
  expect(readRerankerConfig(all)).toMatchObject({ key: 'sk-1', timeLimitMs: 1_500 })
})

test.each([
  [{ RERANKER_URL: server.RERANKER_URL }, 'RERANKER_MODEL: is required with RERANKER_URL'],
  [{ RERANKER_MODEL: 'm', RERANKER_KEY: 'k' }, 'RERANKER_MODEL: is used only with RERANKER_URL'],
  [{ ...server, RERANKER_URL: 'localhost:8080' }, 'RERANKER_URL: must look like http://localhost:8080/v1'],
  [{ ...server, RERANKER_URL: 'http://u:secret@h' }, 'put the key into RERANKER_KEY'],
  [{ ...server, RERANKER_KEY: 'a secret' }, 'RERANKER_KEY: must be ASCII'],
  [{ ...server, RERANKER_TIME_LIMIT_MS: '5' }, 'RERANKER_TIME_LIMIT_MS'],
])('refuses %j', (env, message) => {
  expect(() => readRerankerConfig(env)).toThrow(message)
  expect(() => readRerankerConfig(env)).not.toThrow('secret@')
})
