import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { type RunningServer, type ServerKind, servers, stop } from '../support/run-servers.js'
import { meiliKey } from '../support/servers.js'
import { runOnServers } from '../support/servers-catalog.js'
import { greetingEnd, serviceStart } from '../support/service-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

const kinds: ServerKind[] = ['mongodb', 'meilisearch', 'redis']
const missing = kinds.filter((kind) => !servers[kind].found())

const running: RunningServer[] = []
afterAll(() => Promise.all(running.map(stop)))

/** Dedicated servers, since they are killed. */
async function startOwn(kind: ServerKind): Promise<string> {
  const server = await servers[kind].start(temporaryFolder())
  running.push(server)
  return server.url
}

const problemOf = async (answer: Response) => ({
  status: answer.status,
  headers: Object.fromEntries(answer.headers),
  problem: await answer.json(),
})

const testWithOwnServers = missing.length === 0 ? test : test.skip

testWithOwnServers(
  `records are hidden without Meilisearch, statistics and downloads survive the outage of every server${missing.length === 0 ? '' : ` (missing: ${missing.join(', ')})`}`,
  async () => {
    const [mongodb, meilisearch, redis] = await Promise.all(kinds.map(startOwn))
    const cacheDir = temporaryFolder()
    const env = {
      MONGODB_URL: `${mongodb}/catalog`,
      MEILI_URL: String(meilisearch),
      MEILI_KEY: meiliKey,
      REDIS_URL: String(redis),
    }
    const loaded = await runOnServers(env, ['import', 'infra/sample/skills.ndjson', '--type', 'skills', '--json'])
    expect(loaded.status).toBe(0)
    // An operator must be able to hide a record while searches are down.
    await stop(running.find(({ url }) => url === meilisearch) as RunningServer)
    const hidden = 'quillmoor/pdf-table-lifter'
    const hide = await runOnServers(env, ['hide', hidden, '--json'])
    expect({ status: hide.status, text: hide.stderr }).toMatchObject({
      status: 0,
      text: expect.stringContaining('Meilisearch is unavailable'),
    })
    const { rows } = JSON.parse(loaded.stdout).exports
    expect(JSON.parse(hide.stdout)).toMatchObject({ changed: [hidden], sync: null, exports: { rows: rows - 1 } })
    const line = '{"owner":"acme","repo":"label-printer"}'
    const imported = await runOnServers(env, ['import', '-', '--type', 'skills', '--format', 'ndjson'], line)
    expect({ status: imported.status, text: imported.stdout }).toMatchObject({
      status: 0,
      text: expect.stringContaining('1 added'),
    })
    const verify = await runOnServers(env, ['verify', '--local'])
    expect({ status: verify.status, text: verify.stderr }).toMatchObject({
      status: 2,
      text: expect.stringContaining(`Meilisearch does not answer at ${meilisearch}: is it up?`),
    })

    const query = serviceStart('query', { ...env, EXPORT_CACHE_DIR: cacheDir })
    await query.says(greetingEnd)
    const get = (path: string, headers: Record<string, string> = {}) => fetch(query.url() + path, { headers })
    expect((await get('/api/v1/stats')).status).toBe(200)
    const [{ files }] = (await (await get('/api/v1/exports')).json()).data
    await until(() => files.every(({ sha256 }: { sha256: string }) => existsSync(join(cacheDir, sha256))))
    expect((await get(`/api/skills/${hidden}`)).status).toBe(404)
    expect((await get('/api/skills/acme/label-printer')).status).toBe(200)
    const before = await get('/api/v1/export?type=skills')
    const text = await before.text()

    // Every server.
    await Promise.all(running.map(stop))

    expect(await (await get('/api/v1/export?type=skills')).text()).toBe(text)
    const part = { Range: 'bytes=5-9', 'If-Range': String(before.headers.get('etag')), 'Accept-Encoding': 'gzip, br' }
    expect((await get('/api/v1/export?type=skills', part)).status).toBe(206)
    expect((await get('/api/v1/exports')).status).toBe(200)
    expect(
      (await get('/api/v1/export?type=skills', { 'If-None-Match': String(before.headers.get('etag')) })).status,
    ).toBe(304)
    expect((await get('/api/v1/stats')).status).toBe(200)
    for (const [path, code] of [
      ['/api/skills', 'catalog_unavailable'],
      ['/api/v1/skills/quillmoor/pdf-table-lifter', 'catalog_unavailable'],
      ['/api/v1/changes', 'catalog_unavailable'],
      ['/api/v1/skills/search?q=pdf', 'search_unavailable'],
      ['/api/v1/skills/suggest?q=pdf', 'search_unavailable'],
    ]) {
      const { status, headers, problem } = await problemOf(await get(String(path)))
      expect({ path, status, headers }).toMatchObject({ path, status: 503, headers: { 'cache-control': 'no-store' } })
      expect(headers['content-type']).toBe('application/problem+json')
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
      expect(problem).toMatchObject({ status: 503, code, requestId: headers['x-request-id'] })
      expect(JSON.stringify(problem)).not.toMatch(/127\.0\.0\.1|mongo|meili|redis|ECONN|socket|\.js/i)
    }
  },
  180_000,
)
