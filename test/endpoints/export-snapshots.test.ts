import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { exportEncodings, exportFormats } from '../../shared/ports/export-store.js'
import { recordTypes } from '../../shared/records/records.js'
import { publishText } from '../support/export-drafts.js'
import { onEachExportStore } from '../support/export-stores.js'
import { anOrganization, aPrompt, aSkill } from '../support/factories.js'
import { sharedTestApp, startTestApp, type TestApp } from '../support/test-app.js'

interface ListedFile {
  type: string
  format: string
  encoding: string
  path: string
  rows: number
  total: number
  truncated: boolean
  bytes: number
  sha256: string
}

interface ListedSnapshot {
  snapshot: string
  generatedAt: string
  files: ListedFile[]
}

const listed = async (api: TestApp): Promise<ListedSnapshot[]> => Object((await api.get('/api/v1/exports')).body).data

onEachExportStore((store, open) => {
  describe(`the snapshots: ${store}`, () => {
    test('are listed with hashes, and each file matches the list', async () => {
      const api = await startTestApp({
        exports: await open(),
        skills: [aSkill({ owner: 'acme' }), aSkill({ owner: 'acme' })],
        prompts: [aPrompt()],
        organizations: [anOrganization({ login: 'acme' })],
      })
      await api.publishExports()

      const { status, headers, body } = await api.get('/api/v1/exports')

      expect(status).toBe(200)
      expect(headers['cache-control']).toBe('public, max-age=60, stale-while-revalidate=300')
      expect(body).toEqual({
        data: [
          {
            snapshot: expect.stringMatching(/^\d{8}T\d{9}Z$/),
            generatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
            license: 'CC-BY-4.0',
            licenseUrl: 'https://creativecommons.org/licenses/by/4.0/',
            changesSince: expect.any(Number),
            manifest: { path: expect.any(String), signature: null, publicKey: null },
            files: expect.any(Array),
          },
        ],
        datasets: [],
      })
      const [{ snapshot, files } = { snapshot: '', files: [] }] = await listed(api)
      expect(files.map(({ type, format, encoding }) => [type, format, encoding])).toEqual(
        recordTypes.flatMap((type) =>
          exportFormats.flatMap((format) => exportEncodings.map((encoding) => [type, format, encoding])),
        ),
      )
      for (const { type, format, encoding, path, rows, total, truncated, bytes, sha256 } of files) {
        const file = await api.get(path, { 'Accept-Encoding': encoding })
        expect(path).toBe(`/api/v1/exports/${snapshot}/${type}.${format}`)
        expect([rows, total, truncated]).toEqual([type === 'skills' ? 2 : 1, type === 'skills' ? 2 : 1, false])
        expect(file).toMatchObject({ status: 200, headers: { etag: `"${sha256}"`, 'content-length': String(bytes) } })
        expect(file.headers['content-encoding'] ?? 'identity').toBe(encoding)
        expect(createHash('sha256').update(file.bytes).digest('hex')).toBe(sha256)
      }
    })

    test('a file of a snapshot never changes and may be cached as immutable', async () => {
      const api = await startTestApp({ exports: await open(), skills: [aSkill({ name: 'before' })] })
      await api.publishExports()
      const [first] = await listed(api)
      const path = `/api/v1/exports/${first?.snapshot}/skills.json`
      const before = await api.get(path)

      await api.stores.catalog.put('skills', [aSkill({ name: 'later' })])
      await api.publishExports()

      const after = await api.get(path)
      expect(after.bytes).toEqual(before.bytes)
      expect(after.headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-location': path,
        'accept-ranges': 'bytes',
        link: '<https://creativecommons.org/licenses/by/4.0/>; rel="license"',
      })
      expect(await api.get(path, { 'If-None-Match': String(before.headers.etag) })).toMatchObject({ status: 304 })
      expect(await api.get(path, { Range: 'bytes=1-3' })).toMatchObject({ status: 206, text: before.text.slice(1, 4) })
      expect((await listed(api)).map(({ snapshot }) => snapshot)).toEqual([expect.anything(), first?.snapshot])
    })

    test('three are kept; others are answered with a 410 that names the current file', async () => {
      const exports = await open()
      const api = await startTestApp({ exports })
      for (const day of [1, 2, 3, 4]) {
        await publishText(exports, day, `day ${day}`)
      }

      expect((await listed(api)).map(({ snapshot }) => snapshot)).toEqual([
        '20260104T000000000Z',
        '20260103T000000000Z',
        '20260102T000000000Z',
      ])
      expect(await api.get('/api/v1/exports/20260102T000000000Z/skills.json')).toMatchObject({
        status: 200,
        text: 'day 2',
      })
      expect(await api.get('/api/v1/exports/20260101T000000000Z/skills.json')).toMatchObject({
        status: 410,
        headers: { 'cache-control': 'no-store' },
        body: { code: 'export_gone', current: '/api/v1/export?type=skills&format=json' },
      })
    })

    test('a file that a snapshot does not have is a 410 too', async () => {
      const exports = await open()
      const api = await startTestApp({ exports })
      await publishText(exports, 1, 'only skills')

      expect(await api.get('/api/v1/exports/20260101T000000000Z/prompts.csv')).toMatchObject({
        status: 410,
        body: { code: 'export_gone' },
      })
    })
  })
})

const named = sharedTestApp({}, async ({ stores }) => {
  await publishText(stores.exports, 1, 'the first of January')
})

test.each([
  '20260101T000000000Z/skills',
  '20260101T000000000Z/skills.xml',
  '20260101T000000000Z/secrets.json',
  '20260101T000000000Z/skills.json.br',
  '20260101T000000000Z/manifest.json',
  '20260101T000000000Z/..%2Fmanifest.json',
  '20260101T000000000Z/.json',
  '20260101/skills.json',
  'latest/skills.json',
  '../skills.json',
  // Times that do not exist, and times in the future.
  '82407112T644992197Z/skills.json',
  '20260230T000000000Z/skills.json',
  '20260101T240000000Z/skills.json',
  '2026-01-01T00:00:00.000Z/skills.json',
  '20260101T000000001Z/skills.json',
  '99991231T235959999Z/skills.json',
  '%2e%2e/skills.json',
])('%s is not the name of a file: 404', async (name) => {
  expect(await named().get(`/api/v1/exports/${name}`)).toMatchObject({ status: 404, body: { code: 'export_unknown' } })
})

test('before the first snapshot the list is empty, and a run of the export is requested', async () => {
  let requested = 0
  const api = await startTestApp({ replace: () => ({ requestExport: () => (requested += 1) }) })

  expect(await api.get('/api/v1/exports')).toMatchObject({ status: 200, body: { data: [], datasets: [] } })
  expect(requested).toBe(1)
})
