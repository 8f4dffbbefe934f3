import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { readPublicKey, readSigner, verifySignature } from '../../services/indexer/signing/minisign.js'
import { anOrganization, aPrompt, aSkill } from '../support/factories.js'
import { newMinisignKey } from '../support/minisign-key.js'
import { sharedTestApp, startTestApp, type TestApp } from '../support/test-app.js'

interface Listed {
  snapshot: string
  manifest: { path: string; signature: string | null; publicKey: string | null }
  files: { type: string; format: string; path: string; rows: number; bytes: number; sha256: string }[]
}

const listed = async (api: TestApp, kind: 'data' | 'datasets' = 'datasets'): Promise<Listed> =>
  Object((await api.get('/api/v1/exports')).body)[kind][0]

const records = {
  skills: [aSkill({ owner: 'acme', repo: 'one' }), aSkill({ owner: 'acme', repo: 'two' })],
  prompts: [aPrompt()],
  organizations: [anOrganization({ login: 'acme' })],
}

/** Publishes both kinds, not signed. */
const shared = sharedTestApp(records, async (api) => {
  await api.publishExports()
  await api.publishDataset()
})

describe('the dataset', () => {
  test('is listed apart from the exports, and each file matches the list', async () => {
    const api = await startTestApp(records)
    await api.publishDataset()

    const { body } = await api.get('/api/v1/exports')

    const { snapshot, files } = await listed(api)
    expect(body).toMatchObject({
      data: [],
      datasets: [{ snapshot: expect.stringMatching(/^\d{8}T\d{9}Z-dataset$/), changesSince: expect.any(Number) }],
    })
    expect(files.map(({ type, format, rows }) => [type, format, rows])).toEqual([
      ['skills', 'parquet', 2],
      ['prompts', 'parquet', 1],
      ['organizations', 'parquet', 1],
      ['catalog', 'sqlite', 4],
    ])
    for (const { type, format, path, bytes, sha256 } of files) {
      const file = await api.get(path, { 'Accept-Encoding': 'br, gzip' })
      expect(path).toBe(`/api/v1/exports/${snapshot}/${type}.${format}`)
      expect(file.status).toBe(200)
      expect(file.headers).toMatchObject({
        etag: `"${sha256}"`,
        'content-length': String(bytes),
        'content-type': format === 'parquet' ? 'application/vnd.apache.parquet' : 'application/vnd.sqlite3',
        'content-location': path,
        'cache-control': 'public, max-age=31536000, immutable',
        'accept-ranges': 'bytes',
        'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
        link: '<https://creativecommons.org/licenses/by/4.0/>; rel="license"',
      })
      expect(createHash('sha256').update(file.bytes).digest('hex')).toBe(sha256)
      expect(file.headers['content-encoding']).toBeUndefined()
      expect(await api.get(path, { 'If-None-Match': `"${sha256}"` })).toMatchObject({ status: 304 })
      const part = await api.get(path, { Range: 'bytes=-8' })
      expect(part).toMatchObject({
        status: 206,
        headers: { 'content-range': `bytes ${bytes - 8}-${bytes - 1}/${bytes}` },
      })
      expect(part.bytes).toEqual(file.bytes.subarray(-8))
      expect(await api.send('HEAD', path)).toMatchObject({ status: 200, headers: { 'content-length': String(bytes) } })
    }
  })

  test('consumes a quota of its own, of which the headers say what is left', async () => {
    const api = await startTestApp({
      skills: [aSkill()],
      config: { datasetRateLimitPerMinute: 3, rateLimitPerMinute: 2 },
    })
    await api.publishDataset()
    const path = (await listed(api)).files[0]?.path ?? ''

    const first = await api.get(path, { Range: 'bytes=0-3' })
    expect(first.headers).toMatchObject({
      'ratelimit-policy': '"dataset";q=3;w=60',
      ratelimit: expect.stringContaining('"dataset";r=2;'),
    })
    await api.get(path)
    await api.send('HEAD', path)

    expect(await api.get(path)).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect((await api.get('/api/v1/exports')).status).toBe(200)
  })

  const empty = sharedTestApp({})

  test.each([
    '20260101T000000000Z-dataset/skills.parquet',
    '20260101T000000000Z/skills.parquet',
    '20990101T000000000Z-dataset/catalog.sqlite',
    '20260230T000000000Z-dataset/catalog.sqlite',
    '20260101T000000000Z-dataset/secrets.parquet',
    '20260101T000000000Z-dataset/skills.json',
    '20260101T000000000Z-dataset/catalog.parquet',
    '20260101T000000000Z-dataset/manifest.json',
    '20260101T000000000Z-dataset/manifest.json.minisig',
  ])('before the first one there is no file %s', async (name) => {
    expect(await empty().get(`/api/v1/exports/${name}`)).toMatchObject({
      status: 404,
      body: { code: 'export_unknown' },
    })
  })

  test('an older one is a 410 that names the current file', async () => {
    const { snapshot } = await listed(shared())

    expect(await shared().get('/api/v1/exports/20200101T000000000Z-dataset/skills.parquet')).toMatchObject({
      status: 410,
      body: { code: 'export_gone', current: `/api/v1/exports/${snapshot}/skills.parquet` },
    })
  })
})

describe.each(['data', 'datasets'] as const)('the manifest of %s', (kind) => {
  test('lists every file as the list of snapshots does, and never changes', async () => {
    const api = shared()
    const { snapshot, manifest, files } = await listed(api, kind)

    const { status, headers, body } = await api.get(manifest.path)

    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'ratelimit-policy': expect.stringContaining('"default"'),
      etag: expect.any(String),
      'repr-digest': expect.any(String),
    })
    expect(body).toEqual({
      snapshot,
      generatedAt: expect.stringMatching(/Z$/),
      license: 'CC-BY-4.0',
      licenseUrl: 'https://creativecommons.org/licenses/by/4.0/',
      changesSince: expect.any(Number),
      files: files.map(({ type, format, path, ...file }) => ({ name: `${type}.${format}`, ...file })),
    })
    expect(await api.get(manifest.path, { 'If-None-Match': String(headers.etag) })).toMatchObject({ status: 304 })
    expect(await api.get(manifest.path, { Range: 'bytes=0-0' })).toMatchObject({ status: 206, text: '{' })
  })

  test('without a key is not signed', async () => {
    const api = shared()
    const { manifest } = await listed(api, kind)

    expect(manifest).toMatchObject({ signature: null, publicKey: null })
    expect(await api.get(`${manifest.path}.minisig`)).toMatchObject({ status: 404, body: { code: 'export_unknown' } })
  })

  test('is signed with the key, and the list has the public key', async () => {
    const api = await startTestApp(records)
    const { secretKeyFile, publicKey } = newMinisignKey()
    const signer = readSigner(secretKeyFile)
    await (kind === 'data' ? api.publishExports(signer) : api.publishDataset(signer))
    const { snapshot, manifest } = await listed(api, kind)

    const [{ text }, signature] = [await api.get(manifest.path), await api.get(String(manifest.signature))]

    expect(manifest.publicKey).toBe(publicKey)
    expect(signature).toMatchObject({ status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } })
    expect(verifySignature(readPublicKey(publicKey), text, signature.text)).toBe(`snapshot ${snapshot}, CC-BY-4.0`)
  })
})
