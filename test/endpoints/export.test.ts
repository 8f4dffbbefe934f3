import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { Readable } from 'node:stream'
import { describe, expect, test } from '@jest/globals'
import type { ExportFileInfo } from '../../shared/ports/export-store.js'
import { anOrganization, aPrompt, aSkill } from '../support/factories.js'
import { wrapped } from '../support/job-bench.js'
import { sendTo, startTestApp } from '../support/test-app.js'

const path = '/api/v1/export?type=skills'

const someInfo: ExportFileInfo = {
  type: 'skills',
  format: 'json',
  snapshot: '20260101T000000000Z',
  generatedAt: '2026-01-01T00:00:00.000Z',
  total: 12_000,
  count: 10_000,
  truncated: true,
  sizeBytes: 100_000_000,
  sha256: 'ab'.repeat(32),
}

describe.each(['skills', 'prompts', 'organizations'])('%s', (type) => {
  test.each([
    ['json', 'application/json; charset=utf-8'],
    ['csv', 'text/csv; charset=utf-8; header=present'],
  ])('as %s, with everything that a download needs', async (format, contentType) => {
    const api = await startTestApp({
      skills: [aSkill({ owner: 'acme' })],
      prompts: [aPrompt()],
      organizations: [anOrganization({ login: 'acme' })],
    })
    await api.publishExports()

    const { status, headers, text } = await api.get(`/api/v1/export?type=${type}&format=${format}`)

    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': contentType,
      'content-disposition': expect.stringMatching(
        new RegExp(`^attachment; filename="${type}-\\d{4}-\\d\\d-\\d\\d\\.${format}"$`),
      ),
      'content-length': String(Buffer.byteLength(text)),
      'last-modified': expect.stringMatching(/ GMT$/),
      etag: `"${createHash('sha256').update(text).digest('hex')}"`,
      'x-total-count': '1',
      'x-export-count': '1',
      'x-export-truncated': 'false',
      'cache-control': 'public, max-age=300, stale-while-revalidate=600',
      link: '<https://creativecommons.org/licenses/by/4.0/>; rel="license"',
    })
  })
})

test('is JSON unless asked otherwise, and holds the rows', async () => {
  const api = await startTestApp({ skills: [aSkill({ name: 'few', stars: 1 }), aSkill({ name: 'many', stars: 9 })] })
  await api.publishExports()

  const answer = await api.get(path)

  expect(answer.names).toEqual(['many', 'few'])
  expect(answer.body).toMatchObject({ type: 'skills', total: 2, count: 2, truncated: false })
})

test('a cut is visible', async () => {
  const api = await startTestApp({
    replace: ({ exports }) => ({
      exports: wrapped(exports, {
        open: async () => ({ info: { ...someInfo, sizeBytes: 2 }, stream: Readable.from(['[]']) }),
      }),
    }),
  })

  expect((await api.get(path)).headers).toMatchObject({
    'x-total-count': '12000',
    'x-export-count': '10000',
    'x-export-truncated': 'true',
    'content-disposition': 'attachment; filename="skills-2026-01-01.json"',
    'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
  })
})

test('before the first snapshot it says when to come back, and asks for one, once', async () => {
  let requested = 0
  const api = await startTestApp({ replace: () => ({ requestExport: () => (requested += 1) }) })

  for (let time = 0; time < 3; time += 1) {
    expect(await api.get(path)).toMatchObject({
      status: 503,
      headers: { 'retry-after': '10', 'cache-control': 'no-store' },
      body: { code: 'export_not_ready' },
    })
  }
  expect(await api.send('HEAD', path)).toMatchObject({ status: 503, text: '' })
  expect(requested).toBe(1)
})

test('HEAD tells the same headers, and opens no file', async () => {
  let opened = 0
  const api = await startTestApp({
    skills: [aSkill()],
    replace: ({ exports }) => ({
      exports: wrapped(exports, {
        open: (...which) => {
          opened += 1
          return exports.open(...which)
        },
      }),
    }),
  })
  await api.publishExports()
  const got = await api.get(path)

  const head = await api.send('HEAD', path)

  const told = [
    'content-type',
    'content-length',
    'content-disposition',
    'etag',
    'last-modified',
    'x-total-count',
    'link',
  ]
  expect(head).toMatchObject({ status: 200, text: '' })
  expect(told.map((name) => head.headers[name])).toEqual(told.map((name) => got.headers[name]))
  expect(opened).toBe(1)
})

test('a download given up closes the file', async () => {
  const stream = new Readable({ read: () => stream.push(Buffer.alloc(65_536)) })
  const closed = once(stream, 'close')
  const api = await startTestApp({
    replace: ({ exports }) => ({ exports: wrapped(exports, { open: async () => ({ info: someInfo, stream }) }) }),
  })

  const download = request(`${api.url}${path}`).end()
  download.on('error', () => {})
  const [response] = await once(download, 'response')
  await once(response, 'data')
  download.destroy()

  await closed
  expect(stream.destroyed).toBe(true)
  expect(api.logLines.filter(({ level }) => Number(level) > 30)).toEqual([])
})

test('a file that fails half-way breaks the download off, so that nobody takes it for whole', async () => {
  const stream = Readable.from(
    (async function* () {
      yield Buffer.alloc(100)
      throw new Error('the disk is gone')
    })(),
  )
  const api = await startTestApp({
    replace: ({ exports }) => ({ exports: wrapped(exports, { open: async () => ({ info: someInfo, stream }) }) }),
  })

  await expect(sendTo(api.url, 'GET', path)).rejects.toThrow('aborted')
  expect(api.logLines).toContainEqual(
    expect.objectContaining({ level: 50, msg: 'answer broke off', requestId: expect.any(String) }),
  )
})

test('a download that has begun ends with its bytes, whatever is published meanwhile', async () => {
  const api = await startTestApp({ skills: [aSkill({ name: 'before', description: 'x'.repeat(10_000) })] })
  await api.publishExports()
  const before = await api.get(path)

  const download = request(`${api.url}${path}`).end()
  const [response] = await once(download, 'response')
  for (let snapshot = 0; snapshot < 3; snapshot += 1) {
    await api.stores.catalog.put('skills', [aSkill({ name: `later ${snapshot}` })])
    await api.publishExports()
  }
  const chunks: Buffer[] = []
  for await (const chunk of response) {
    chunks.push(chunk)
  }

  expect(Buffer.concat(chunks).toString()).toBe(before.text)
  expect((await api.get(path)).text).not.toBe(before.text)
})
