import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { SqliteDatabase } from '../../shared/adapters/embedded/sqlite/database.js'
import { SqliteSearchIndex } from '../../shared/adapters/embedded/sqlite/search/search-index.js'
import { embedderUnavailable } from '../../shared/adapters/embedders/batches.js'
import { BuiltInEmbedder } from '../../shared/embedding/built-in-embedder.js'
import type { Embedder } from '../../shared/ports/embedder.js'
import { aSkill } from '../support/factories.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { startTestApp, type TestApp } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

const skills = [
  aSkill({ name: 'garden-almanac', description: 'When to sow and harvest vegetables.' }),
  aSkill({ name: 'tomato-ketchup', description: 'Cooks sauces.' }),
]

const searchPath = (q: string, rest = '') => `/api/v1/skills/search?q=${encodeURIComponent(q)}${rest}`

/** A service whose search texts are embedded so. */
const withEmbedder = (embed: Embedder['embed']): Promise<TestApp> =>
  startTestApp({ skills, replace: () => ({ embedder: withOverrides(new BuiltInEmbedder(), { embed }) }) })

/** The number of searches that were counted as degraded. */
async function degraded(api: TestApp): Promise<number> {
  const [, count] = /^catalog_search_degraded_total (\d+)$/m.exec(await api.metrics()) ?? []
  return Number(count)
}

const linesOf = (api: TestApp) =>
  api.logLines.filter(({ dependency }) => dependency === 'embedder').map(({ msg }) => msg)

describe('without an embedder', () => {
  test('searches are by words, which is no fault unless meaning was asked for', async () => {
    const api = await startTestApp({ skills, embedder: { kind: 'off' } })

    expect(await api.get(searchPath('tomato'))).toMatchObject({
      names: ['tomato-ketchup'],
      body: { mode: 'keyword', degraded: false },
    })
    expect((await api.get(searchPath('tomato', '&mode=keyword'))).body).toMatchObject({ degraded: false })
    for (const mode of ['hybrid', 'semantic']) {
      expect(await api.get(searchPath('tomato', `&mode=${mode}`))).toMatchObject({
        status: 200,
        names: ['tomato-ketchup'],
        body: { mode: 'keyword', degraded: true },
      })
    }
    expect(linesOf(api)).toEqual([])
  })
})

describe('an embedder that fails', () => {
  test('searches are answered by words, degraded, counted, and logged once', async () => {
    const asked: string[] = []
    const api = await withEmbedder(async (texts) => {
      asked.push(...texts)
      throw embedderUnavailable('nobody answers')
    })
    expect(await degraded(api)).toBe(0)

    for (const q of ['tomato', 'growing tomatoes', 'tomato sauce']) {
      expect(await api.get(searchPath(q, '&explain=true'))).toMatchObject({
        status: 200,
        names: ['tomato-ketchup'],
        body: { mode: 'keyword', degraded: true, data: [{ explanation: { similarity: null } }] },
      })
    }
    expect(await api.get(searchPath('tomato', '&mode=semantic'))).toMatchObject({
      names: ['tomato-ketchup'],
      body: { mode: 'keyword', degraded: true },
    })
    expect((await api.get(searchPath('tomato', '&mode=keyword'))).body).toMatchObject({ degraded: false })
    expect((await api.get(searchPath('tomato', '&sort=stars'))).body).toMatchObject({ degraded: false })

    // The others fall into the pause after the failure.
    expect(asked).toEqual(['tomato'])
    expect(await degraded(api)).toBe(4)
    expect(linesOf(api)).toEqual(['dependency unavailable'])
    // The service goes on, and says that it is ready.
    expect((await api.get('/readyz')).status).toBe(200)
  })

  test('is asked for what the text means, without what it excludes, and not for words alone', async () => {
    const asked: string[] = []
    const api = await withEmbedder(async (texts, purpose) => {
      asked.push(...texts)
      return new BuiltInEmbedder().embed(texts, purpose)
    })

    await api.get(searchPath('  growing "tomato plants" -ketchup '))
    await api.get(searchPath('one', '&mode=keyword'))
    await api.get(searchPath('two', '&sort=name'))

    expect(asked).toEqual(['growing tomato plants'])
  })
})

test('an embedder that is slower than 300 ms does not delay a search; its late answer serves the next', async () => {
  const ends: (() => void)[] = []
  const api = await withEmbedder(async (texts, purpose) => {
    await new Promise<void>((resolve) => ends.push(resolve))
    return new BuiltInEmbedder().embed(texts, purpose)
  })

  const startedMs = performance.now()
  const answer = await api.get(searchPath('growing tomatoes'))
  const tookMs = performance.now() - startedMs

  expect(answer).toMatchObject({ status: 200, names: ['tomato-ketchup'], body: { mode: 'keyword', degraded: true } })
  expect(answer.headers['etag']).toBeDefined()
  // Far below the limit of any client; the machine may be busy.
  expect(tookMs).toBeLessThan(3_000)
  expect(await degraded(api)).toBe(1)
  expect(linesOf(api)).toEqual(['dependency unavailable'])

  for (const end of ends) {
    end()
  }
  await sleep(50)
  expect(await api.get(searchPath('growing tomatoes'))).toMatchObject({
    names: expect.arrayContaining(['garden-almanac', 'tomato-ketchup']),
    body: { mode: 'hybrid', degraded: false },
  })
  expect(await degraded(api)).toBe(1)
})

test('an index with vectors of another model is searched by words, until it has been built again', async () => {
  const dataDir = temporaryFolder()
  const other = () => new SqliteSearchIndex(new SqliteDatabase(join(dataDir, 'catalog.db')), { model: 'other/1' })
  const api = await startTestApp({ skills, dataDir, replace: () => ({ index: other() }) })

  for (const mode of ['hybrid', 'semantic']) {
    expect(await api.get(searchPath('growing tomatoes', `&mode=${mode}`))).toMatchObject({
      status: 200,
      names: ['tomato-ketchup'],
      body: { mode: 'keyword', degraded: true },
    })
  }
})

test('an embedder with vectors of other dimensions than the index degrades searches, and breaks none', async () => {
  const api = await withEmbedder(async (texts) => texts.map(() => new Float32Array(384).fill(1 / Math.sqrt(384))))

  expect(await api.get(searchPath('growing tomatoes'))).toMatchObject({
    status: 200,
    names: ['tomato-ketchup'],
    body: { mode: 'keyword', degraded: true },
  })
})
