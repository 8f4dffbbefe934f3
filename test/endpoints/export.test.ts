import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { aLock } from '../support/a-lock.js'
import { aDraft, aMoment, streaming } from '../support/export-drafts.js'
import { onEachExportStore } from '../support/export-stores.js'
import { anOrganization, aPrompt, aSkill } from '../support/factories.js'
import { sendTo, sharedTestApp, startTestApp } from '../support/test-app.js'
import { withOverrides } from '../support/with-overrides.js'

const path = '/api/v1/export?type=skills'

onEachExportStore((store, open) => {
  const shared = sharedTestApp(
    async () => ({
      exports: await open(),
      skills: [aSkill({ owner: 'acme' })],
      prompts: [aPrompt()],
      organizations: [anOrganization({ login: 'acme' })],
    }),
    (api) => api.publishExports(),
  )

  describe.each(['skills', 'prompts', 'organizations'])(`${store}: %s`, (type) => {
    test.each([
      ['json', 'application/json; charset=utf-8'],
      ['csv', 'text/csv; charset=utf-8; header=present'],
      ['ndjson', 'application/x-ndjson; charset=utf-8'],
    ])('as %s, with the headers of a download', async (format, contentType) => {
      const api = shared()
      const [current] = await api.stores.exports.snapshots()

      const { status, headers, bytes } = await api.get(`/api/v1/export?type=${type}&format=${format}`)

      const hash = createHash('sha256').update(bytes)
      const address = `/api/v1/exports/${current?.snapshot}/${type}.${format}`
      expect(status).toBe(200)
      expect(headers).toMatchObject({
        'content-type': contentType,
        'content-disposition': `attachment; filename="${type}-${current?.generatedAt.slice(0, 10)}.${format}"`,
        'content-length': String(bytes.length),
        'content-location': address,
        'last-modified': new Date(String(current?.generatedAt)).toUTCString(),
        etag: `"${hash.copy().digest('hex')}"`,
        'repr-digest': `sha-256=:${hash.copy().digest('base64')}:`,
        'accept-ranges': 'bytes',
        'x-total-count': '1',
        'x-export-count': '1',
        'x-export-truncated': 'false',
        'cache-control': 'public, max-age=300, stale-while-revalidate=600',
        link: `<https://creativecommons.org/licenses/by/4.0/>; rel="license", <${api.url}${address}>; rel="canonical"`,
        vary: 'Accept-Encoding',
      })
      expect(headers).not.toHaveProperty('content-encoding')
    })
  })
})

onEachExportStore((store, open) => {
  test(`${store}: an interruption is detectable`, async () => {
    const exports = await open()
    const api = await startTestApp({ exports })
    await exports.publish(aMoment(1), [aDraft('[]', { total: 12_000, count: 10_000 })], aLock())

    expect((await api.get(path)).headers).toMatchObject({
      'x-total-count': '12000',
      'x-export-count': '10000',
      'x-export-truncated': 'true',
      'content-disposition': 'attachment; filename="skills-2026-01-01.json"',
      'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
    })
  })

  test(`${store}: before the first snapshot it is a 503 with Retry-After, and requests one run of the export`, async () => {
    let requested = 0
    const api = await startTestApp({
      exports: await open(),
      replace: () => ({ requestExport: () => (requested += 1) }),
    })

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
})

test('a file that is deleted before it is opened is a 503 without the headers of a file', async () => {
  const api = await startTestApp({
    skills: [aSkill()],
    replace: ({ exports }) => ({ exports: withOverrides(exports, { open: async () => null }) }),
  })
  await api.publishExports()

  const { status, headers, body } = await api.get(path)

  expect(status).toBe(503)
  expect(body).toMatchObject({ code: 'export_not_ready' })
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'application/problem+json' })
  for (const name of ['etag', 'repr-digest', 'content-disposition', 'content-location', 'link', 'accept-ranges']) {
    expect(headers).not.toHaveProperty(name)
  }
})

test('HEAD has the same headers, and opens no file', async () => {
  let opened = 0
  const api = await startTestApp({
    skills: [aSkill()],
    replace: ({ exports }) => ({
      exports: withOverrides(exports, {
        open: (...which) => {
          opened += 1
          return exports.open(...which)
        },
      }),
    }),
  })
  await api.publishExports()

  for (const headers of [{}, { 'Accept-Encoding': 'br' }]) {
    const got = await api.get(path, headers)
    opened = 0
    // Only GET has ranges.
    const head = await api.send('HEAD', path, { ...headers, Range: 'bytes=0-1' })

    expect(head).toMatchObject({ status: 200, text: '' })
    expect(lasting(head.headers)).toEqual(lasting(got.headers))
    expect(opened).toBe(0)
  }
})

test('a read error half-way aborts the download, so that the client notices it', async () => {
  const stream = Readable.from(
    (async function* () {
      yield Buffer.alloc(100)
      throw new Error('the disk is gone')
    })(),
  )
  const api = await startTestApp({
    skills: [aSkill()],
    replace: ({ exports }) => ({ exports: streaming(exports, stream) }),
  })
  await api.publishExports()

  await expect(sendTo(api.url, 'GET', path)).rejects.toThrow('aborted')
  expect(api.logLines).toContainEqual(
    expect.objectContaining({ level: 50, msg: 'response interrupted', requestId: expect.any(String) }),
  )
})

/** The headers that two responses must have in common: without date, request id and rate limits. */
const lasting = (headers: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(date|x-request-id|.*ratelimit.*)$/.test(name)))

describe('encodings', () => {
  const path = '/api/v1/export?type=skills&format=csv'

  /** A catalog whose files are long enough to compress. */
  const skills = Array.from({ length: 40 }, (_, place) =>
    aSkill({ stars: place, description: `Skill ${place}: ${'words, '.repeat(20)}` }),
  )

  onEachExportStore((store, open) => {
    describe(`encodings and conditions of an export: ${store}`, () => {
      const shared = sharedTestApp(
        async () => ({ exports: await open(), skills }),
        (api) => api.publishExports(),
      )

      test.each([
        ['gzip', gunzipSync],
        ['br', brotliDecompressSync],
      ] as const)('encoded with %s: its own size, tag, digest and parts', async (encoding, unpack) => {
        const api = shared()
        const plain = await api.get(path)

        const packed = await api.get(path, { 'Accept-Encoding': encoding })

        expect(packed.headers).toMatchObject({
          'content-encoding': encoding,
          'content-length': String(packed.bytes.length),
          etag: `"${sha256(packed.bytes)}"`,
          'repr-digest': `sha-256=:${createHash('sha256').update(packed.bytes).digest('base64')}:`,
          'content-type': plain.headers['content-type'],
          vary: 'Accept-Encoding',
        })
        expect(unpack(packed.bytes)).toEqual(plain.bytes)
        expect(packed.bytes.length * 2).toBeLessThan(plain.bytes.length)

        // A client that sends Accept-Encoding by default means the file: only the tag shows that it has encoded bytes.
        const packedTag = String(packed.headers.etag)
        for (const address of [path, String(packed.headers['content-location'])]) {
          const headers = { 'Accept-Encoding': encoding, Range: 'bytes=10-' }
          const part = await api.get(address, { ...headers, 'If-Range': packedTag })
          expect(part).toMatchObject({
            status: 206,
            headers: {
              'content-encoding': encoding,
              'content-range': `bytes 10-${packed.bytes.length - 1}/${packed.bytes.length}`,
            },
          })
          expect(part.bytes).toEqual(packed.bytes.subarray(10))

          const plainPart = await api.get(address, { ...headers, 'If-Range': String(plain.headers.etag) })
          expect([plainPart.status, plainPart.bytes]).toEqual([206, plain.bytes.subarray(10)])
          expect(plainPart.headers).not.toHaveProperty('content-encoding')
          // A client that does not accept the encoding gets no encoded bytes, for any tag.
          expect(await api.get(address, { Range: 'bytes=10-', 'If-Range': packedTag })).toMatchObject({
            status: 200,
            text: plain.text,
          })
        }
        const unnamed = await api.get(String(packed.headers['content-location']), {
          'Accept-Encoding': encoding,
          Range: 'bytes=10-',
        })
        expect([unnamed.status, unnamed.bytes]).toEqual([206, plain.bytes.subarray(10)])
      })

      test('a current copy gets a 304, in its encoding', async () => {
        const api = shared()
        for (const accepted of ['identity', 'gzip', 'br']) {
          const encoding = { 'Accept-Encoding': accepted }
          const { headers } = await api.get(path, encoding)
          const etag = String(headers.etag)

          for (const method of ['GET', 'HEAD']) {
            const same = await api.send(method, path, { ...encoding, 'If-None-Match': `"x", W/${etag}` })
            expect(same).toMatchObject({ status: 304, text: '' })
            expect(same.headers).toHaveProperty('ratelimit')
            for (const name of ['etag', 'repr-digest', 'vary', 'cache-control', 'link', 'content-location']) {
              expect(same.headers[name]).toBe(headers[name])
            }
          }
          const another = accepted === 'br' ? 'gzip' : 'br'
          expect((await api.get(path, { 'Accept-Encoding': another, 'If-None-Match': etag })).status).toBe(200)
        }
      })

      test('conditions by time, and If-Match conditions', async () => {
        const api = shared()
        const { headers } = await api.get(path)
        const etag = String(headers.etag)
        const modified = String(headers['last-modified'])
        const before = new Date(Date.parse(modified) - 1_000).toUTCString()
        const statusWith = async (conditions: Record<string, string>) => (await api.get(path, conditions)).status

        expect(await statusWith({ 'If-Modified-Since': modified })).toBe(304)
        expect(await statusWith({ 'If-Modified-Since': before })).toBe(200)
        // Not dates: ignored.
        for (const text of ['99999', '2099', '2099-01-01', modified.replace('GMT', 'PST')]) {
          expect([text, await statusWith({ 'If-Modified-Since': text })]).toEqual([text, 200])
          expect([text, await statusWith({ 'If-Unmodified-Since': text })]).toEqual([text, 200])
        }
        expect(await statusWith({ 'If-Unmodified-Since': '1970' })).toBe(200)
        expect(await statusWith({ 'If-Modified-Since': modified, 'If-None-Match': '"x"' })).toBe(200)
        expect(await statusWith({ 'If-Match': etag })).toBe(200)
        expect(await statusWith({ 'If-Match': '*' })).toBe(200)
        expect(await statusWith({ 'If-Match': `W/${etag}` })).toBe(412)
        expect(await statusWith({ 'If-Match': '"x"' })).toBe(412)
        expect(await statusWith({ 'If-Unmodified-Since': modified })).toBe(200)
        expect(await statusWith({ 'If-Unmodified-Since': before })).toBe(412)
        expect(await statusWith({ 'If-Unmodified-Since': before, 'If-Match': etag })).toBe(200)
      })
    })
  })

  const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
})
