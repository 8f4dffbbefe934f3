import { createHash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { onEachExportStore } from '../support/export-stores.js'
import { aSkill } from '../support/factories.js'
import { sharedTestApp } from '../support/test-app.js'

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
