import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { onEachExportStore } from '../support/export-stores.js'
import { aSkill } from '../support/factories.js'
import { sharedTestApp, startTestApp, type TestResponse } from '../support/test-app.js'

const path = '/api/v1/export?type=skills&format=csv'

/** A catalog whose files are long enough to interrupt. */
const skills = Array.from({ length: 40 }, (_, place) =>
  aSkill({ stars: place, description: `Skill ${place}: ${'words, '.repeat(20)}` }),
)

onEachExportStore((store, open) => {
  describe(`parts of an export: ${store}`, () => {
    const shared = sharedTestApp(
      async () => ({ exports: await open(), skills }),
      (api) => api.publishExports(),
    )

    test('a part of the file that If-Range names, with the headers to continue a download', async () => {
      const api = shared()
      const whole = await api.get(path)
      const snapshotPath = String(whole.headers['content-location'])
      const size = whole.bytes.length
      const ranges: [range: string, start: number, end: number][] = [
        ['bytes=0-9', 0, 9],
        ['bytes=1000-', 1_000, size - 1],
        ['bytes=-7', size - 7, size - 1],
        ['bytes=5-99999999', 5, size - 1],
        ['bytes=-99999999', 0, size - 1],
      ]
      for (const [range, start, end] of ranges) {
        const part = await api.get(path, { Range: range, 'If-Range': String(whole.headers.etag) })

        expect(part.status).toBe(206)
        expect(part.bytes).toEqual(whole.bytes.subarray(start, end + 1))
        expect(part.headers).toMatchObject({
          'content-range': `bytes ${start}-${end}/${size}`,
          'content-length': String(part.bytes.length),
        })
        for (const name of ['etag', 'repr-digest', 'last-modified', 'vary', 'cache-control', 'link', 'content-type']) {
          expect(part.headers[name]).toBe(whole.headers[name])
        }
        // At a URL whose bytes never change, no tag is needed.
        const unnamed = await api.get(snapshotPath, { Range: range })
        expect([unnamed.status, unnamed.bytes]).toEqual([206, part.bytes])
      }
    })

    test('at the URL whose content changes, the rest of a file without a tag is refused, so that no files are mixed', async () => {
      const api = shared()
      const whole = await api.get(path)
      const etag = String(whole.headers.etag)
      for (const range of ['bytes=1-', 'bytes=5- ', `bytes=${whole.bytes.length}-`]) {
        for (const headers of [{}, { 'If-Match': '*' }, { 'If-Unmodified-Since': new Date().toUTCString() }]) {
          const refused = await api.get(path, { Range: range, ...headers })

          expect(refused).toMatchObject({
            status: 428,
            headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
            body: { code: 'validator_required', title: 'Precondition Required' },
          })
          expect(refused.headers).not.toHaveProperty('etag')
        }
        expect(await api.send('HEAD', path, { Range: range })).toMatchObject({ status: 200 })
        expect(await api.get(path, { Range: range, 'If-None-Match': etag })).toMatchObject({ status: 304 })
        expect(await api.get(path, { Range: range, 'If-Match': '"x"' })).toMatchObject({ status: 412 })
      }
      expect(await api.get(path, { Range: 'bytes=5-9', 'If-Match': `"x", ${etag}` })).toMatchObject({ status: 206 })
      const answer = await api.get(path, { Range: 'bytes=0-' })
      expect([answer.status, answer.bytes]).toEqual([200, whole.bytes])
    })

    test('there, a part with both ends is redirected to the URL where the bytes never change', async () => {
      const api = shared()
      const { headers, bytes } = await api.get(path)
      const size = bytes.length
      for (const range of ['bytes=5-9', 'bytes=0-9', 'bytes=-7', 'bytes=-99999999', `bytes=${size}-${size}`]) {
        for (const conditions of [{}, { 'If-Match': '*' }, { 'If-Unmodified-Since': new Date().toUTCString() }]) {
          const redirected = await api.get(path, { Range: range, ...conditions })

          expect(redirected).toMatchObject({
            status: 307,
            headers: { location: headers['content-location'], 'cache-control': 'no-store' },
            body: { code: 'part_elsewhere' },
          })
        }
        expect(await api.send('HEAD', path, { Range: range })).toMatchObject({ status: 200 })
        expect(await api.get(path, { Range: range, 'If-None-Match': String(headers.etag) })).toMatchObject({
          status: 304,
        })
        expect(await api.get(path, { Range: range, 'If-Match': '"x"' })).toMatchObject({ status: 412 })
      }
      const part = await api.get(String(headers['content-location']), { Range: 'bytes=5-9' })
      expect([part.status, part.bytes]).toEqual([206, bytes.subarray(5, 10)])
    })

    test('HEAD costs no download, and the parts of one file cost one', async () => {
      const api = await startTestApp({ exports: await open(), skills, config: { exportRateLimitPerMinute: 4 } })
      await api.publishExports()
      const location = String((await api.send('HEAD', path)).headers['content-location'])
      for (const at of [0, 10, 20, 30]) {
        const headers = { Range: `bytes=${at}-${at + 9}` }
        expect([(await api.get(path, headers)).status, (await api.get(location, headers)).status]).toEqual([307, 206])
      }

      const another = '/api/v1/export?type=prompts'
      expect((await api.get(another, { Range: 'bytes=0-9' })).status).toBe(307)
      // The rest from the first byte is a whole file.
      expect((await api.get(location, { Range: 'bytes=0-' })).status).toBe(206)
      expect((await api.get(location)).status).toBe(200)
      expect((await api.get(location)).status).toBe(429)
      expect((await api.get('/api/v1/export?type=organizations', { Range: 'bytes=0-9' })).status).toBe(429)
      expect((await api.get(location, { Range: 'bytes=40-49' })).status).toBe(206)
    })

    test('more than 30 further parts in a minute count as downloads', async () => {
      const api = await startTestApp({ exports: await open(), skills, config: { exportRateLimitPerMinute: 2 } })
      await api.publishExports()
      const location = String((await api.send('HEAD', path)).headers['content-location'])
      const statuses: number[] = []
      for (let at = 0; at < 33; at += 1) {
        statuses.push((await api.get(location, { Range: 'bytes=1-' })).status)
      }

      expect(statuses).toEqual([...Array.from({ length: 32 }, () => 206), 429])
    })

    test('a range that is answered with the whole file counts as a download each time', async () => {
      const api = await startTestApp({ exports: await open(), skills, config: { exportRateLimitPerMinute: 2 } })
      await api.publishExports()
      const location = String((await api.send('HEAD', path)).headers['content-location'])
      const statuses: number[] = []
      for (const range of ['bytes=0-1,5-6', 'rows=0-1', 'bytes=9-2']) {
        statuses.push((await api.get(location, { Range: range })).status)
      }

      expect(statuses).toEqual([200, 200, 429])
    })

    test('several ranges, another unit, nonsense, an end before the start: the whole file', async () => {
      const api = shared()
      for (const range of ['bytes=0-1,5-6', 'rows=0-1', 'bytes=b-a', 'bytes=9-2']) {
        const answer = await api.get(path, { Range: range })

        expect(answer.status).toBe(200)
        expect(sha256(answer.bytes)).toBe(etagHash(answer))
        expect(answer.headers).not.toHaveProperty('content-range')
      }
    })

    test('a range after the end is a 416 that reports the size', async () => {
      const api = shared()
      const whole = await api.get(path)
      const Range = `bytes=${whole.bytes.length}-`

      for (const answer of [
        await api.get(String(whole.headers['content-location']), { Range }),
        await api.get(path, { Range, 'If-Range': String(whole.headers.etag) }),
      ]) {
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
      }
    })

    test('If-Range: the part of that file, else the whole current one', async () => {
      const api = shared()
      const { headers, bytes } = await api.get(path)
      const etag = String(headers.etag)
      const modified = String(headers['last-modified'])
      const location = headers['content-location']
      const statusOf = async (ifRange: string, range = 'bytes=1-2') => {
        const headers = { Range: range, 'If-Range': ifRange }
        const statuses = [await api.get(path, headers), await api.get(String(location), headers)].map(
          (got) => got.status,
        )
        expect(statuses[1]).toBe(statuses[0])
        return statuses[0]
      }

      expect(await statusOf(etag)).toBe(206)
      // All encodings of a file have the same date, so it does not identify one of them.
      expect(await statusOf(modified)).toBe(200)
      expect(await statusOf(`W/${etag}`)).toBe(200)
      expect(await statusOf('"another"')).toBe(200)
      expect(await statusOf(new Date(0).toUTCString())).toBe(200)
      expect(await statusOf(new Date(Date.parse(modified) + 1_000).toUTCString())).toBe(200)
      // A range for another file may be outside the current one.
      expect(await statusOf('"another"', `bytes=${bytes.length}-`)).toBe(200)
    })

    test('a download that was interrupted ends with the bytes it began with, while their snapshot is kept', async () => {
      const api = await startTestApp({ exports: await open(), skills })
      await api.publishExports()
      const before = await api.get(path)
      const rest = { Range: 'bytes=1000-', 'If-Range': String(before.headers.etag) }
      const publishAnother = async (stars: number, daysAhead = 0) => {
        await api.stores.catalog.put('skills', [aSkill({ stars })])
        await api.publishExports(null, daysAhead)
      }

      for (const stars of [1_000_000, 2_000_000]) {
        await publishAnother(stars)
        for (const address of [path, String(before.headers['content-location'])]) {
          const part = await api.get(address, rest)
          expect(part).toMatchObject({
            status: 206,
            headers: { etag: before.headers.etag, 'content-location': before.headers['content-location'] },
          })
          expect(Buffer.concat([before.bytes.subarray(0, 1_000), part.bytes])).toEqual(before.bytes)
        }
      }
      // A part of a previous file must not be cached for this URL.
      expect((await api.get(path, rest)).headers).toMatchObject({
        'cache-control': 'no-store',
        link: '<https://creativecommons.org/licenses/by/4.0/>; rel="license"',
      })
      // Only a part: a whole file is the current one.
      expect((await api.get(path, { 'If-Range': rest['If-Range'] })).bytes).not.toEqual(before.bytes)
      expect((await api.get(path, { ...rest, Range: 'bytes=0-1,5-6' })).bytes).not.toEqual(before.bytes)
      expect(await api.get(path, { Range: 'bytes=1000-', 'If-Match': rest['If-Range'] })).toMatchObject({ status: 412 })

      for (const day of [1, 2, 3]) {
        await publishAnother(3_000_000 + day, day)
      }
      const present = await api.get(path, rest)
      expect(present.status).toBe(200)
      expect(sha256(present.bytes)).toBe(etagHash(present))
    })
  })
})

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

const etagHash = ({ headers }: TestResponse): string => String(headers.etag).slice(1, -1)
