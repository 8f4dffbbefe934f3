import { createHash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import type { ExportStore } from '../../shared/ports/export-store.js'
import { onEachExportStore } from '../support/export-stores.js'
import { aSkill } from '../support/factories.js'
import { startTestApp, type TestAnswer, type TestApp } from '../support/test-app.js'

const path = '/api/v1/export?type=skills&format=csv'

onEachExportStore((store, open) => {
  describe(`parts and encodings of an export: ${store}`, () => {
    test('a part of it, with what a download needs to go on', async () => {
      const api = await published(await open())
      const whole = await api.get(path)
      const size = whole.bytes.length
      const ranges: [range: string, start: number, end: number][] = [
        ['bytes=0-9', 0, 9],
        ['bytes=1000-', 1_000, size - 1],
        ['bytes=-7', size - 7, size - 1],
        ['bytes=5-99999999', 5, size - 1],
        ['bytes=-99999999', 0, size - 1],
      ]
      for (const [range, start, end] of ranges) {
        const part = await api.get(path, { Range: range })

        expect(part.status).toBe(206)
        expect(part.bytes).toEqual(whole.bytes.subarray(start, end + 1))
        expect(part.headers).toMatchObject({
          'content-range': `bytes ${start}-${end}/${size}`,
          'content-length': String(part.bytes.length),
        })
        for (const name of ['etag', 'repr-digest', 'last-modified', 'vary', 'cache-control', 'link', 'content-type']) {
          expect(part.headers[name]).toBe(whole.headers[name])
        }
      }
    })

    test('several ranges, another unit, nonsense, an end before the start: the whole file', async () => {
      const api = await published(await open())
      for (const range of ['bytes=0-1,5-6', 'rows=0-1', 'bytes=b-a', 'bytes=9-2']) {
        const answer = await api.get(path, { Range: range })

        expect(answer.status).toBe(200)
        expect(sha256(answer.bytes)).toBe(etagHash(answer))
        expect(answer.headers).not.toHaveProperty('content-range')
      }
    })

    test('a range behind the end is a 416 that tells the size', async () => {
      const api = await published(await open())
      const whole = await api.get(path)

      const answer = await api.get(path, { Range: `bytes=${whole.bytes.length}-` })

      expect(answer).toMatchObject({
        status: 416,
        headers: {
          'content-range': `bytes */${whole.bytes.length}`,
          'content-type': 'application/problem+json',
          'cache-control': 'no-store',
        },
        body: { code: 'range_not_satisfiable' },
      })
      for (const name of ['etag', 'repr-digest', 'content-disposition']) {
        expect(answer.headers).not.toHaveProperty(name)
      }
    })

    test('If-Range: the part of the very file, else the whole present one', async () => {
      const api = await published(await open())
      const { headers, bytes } = await api.get(path)
      const etag = String(headers.etag)
      const modified = String(headers['last-modified'])
      const statusOf = async (ifRange: string, range = 'bytes=1-2') =>
        (await api.get(path, { Range: range, 'If-Range': ifRange })).status

      expect(await statusOf(etag)).toBe(206)
      expect(await statusOf(modified)).toBe(206)
      expect(await statusOf(`W/${etag}`)).toBe(200)
      expect(await statusOf('"another"')).toBe(200)
      expect(await statusOf(new Date(0).toUTCString())).toBe(200)
      expect(await statusOf(new Date(Date.parse(modified) + 1_000).toUTCString())).toBe(200)
      // What is asked for of another file need not make sense for this one.
      expect(await statusOf('"another"', `bytes=${bytes.length}-`)).toBe(200)
    })

    test('a download that was cut ends with the bytes it began with, from the address of its snapshot', async () => {
      const api = await published(await open())
      const before = await api.get(path)
      await api.stores.catalog.put('skills', [aSkill({ stars: 1_000_000 })])
      await api.publishExports()

      const rest = await api.get(String(before.headers['content-location']), {
        Range: 'bytes=1000-',
        'If-Range': String(before.headers.etag),
      })
      const anew = await api.get(path, { Range: 'bytes=1000-', 'If-Range': String(before.headers.etag) })

      expect(rest.status).toBe(206)
      expect(Buffer.concat([before.bytes.subarray(0, 1_000), rest.bytes])).toEqual(before.bytes)
      expect(anew.status).toBe(200)
      expect(anew.bytes).not.toEqual(before.bytes)
    })

    test.each([
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const)('packed with %s: its own size, tag, digest and parts', async (encoding, unpack) => {
      const api = await published(await open())
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

      const part = await api.get(path, { 'Accept-Encoding': encoding, Range: 'bytes=10-' })
      expect(part).toMatchObject({
        status: 206,
        headers: {
          'content-encoding': encoding,
          'content-range': `bytes 10-${packed.bytes.length - 1}/${packed.bytes.length}`,
        },
      })
      expect(part.bytes).toEqual(packed.bytes.subarray(10))
    })

    test('the encoding is the best that the client takes', async () => {
      const api = await published(await open())
      for (const [accepted, encoding] of [
        ['gzip, deflate, br, zstd', 'br'],
        ['br;q=0, *', 'gzip'],
        ['gzip;q=1, br;q=0.5', 'gzip'],
        ['identity, gzip;q=0.5', undefined],
        ['identity;q=0, *;q=0', undefined],
        ['zstd', undefined],
      ] as const) {
        const { status, headers } = await api.get(path, { 'Accept-Encoding': accepted })

        expect([accepted, status, headers['content-encoding']]).toEqual([accepted, 200, encoding])
      }
    })

    test('what the client has already is a 304, in its encoding', async () => {
      const api = await published(await open())
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

    test('conditions by time, and of what must not have changed', async () => {
      const api = await published(await open())
      const { headers } = await api.get(path)
      const etag = String(headers.etag)
      const modified = String(headers['last-modified'])
      const before = new Date(Date.parse(modified) - 1_000).toUTCString()
      const statusWith = async (conditions: Record<string, string>) => (await api.get(path, conditions)).status

      expect(await statusWith({ 'If-Modified-Since': modified })).toBe(304)
      expect(await statusWith({ 'If-Modified-Since': before })).toBe(200)
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

/** A catalog whose files are long enough to be worth cutting and packing. */
async function published(exports: ExportStore): Promise<TestApp> {
  const skills = Array.from({ length: 40 }, (_, place) =>
    aSkill({ stars: place, description: `Skill ${place}: ${'words, '.repeat(20)}` }),
  )
  const api = await startTestApp({ exports, skills })
  await api.publishExports()
  return api
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

const etagHash = ({ headers }: TestAnswer): string => String(headers.etag).slice(1, -1)
