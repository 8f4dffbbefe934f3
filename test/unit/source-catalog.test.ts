import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { sizeOf } from '../../services/indexer/mirror/request-source.js'
import { SourceCatalog, type SourceOptions } from '../../services/indexer/mirror/source-catalog.js'
import { dripping, endless, startHostileSource } from '../support/hostile-source.js'
import { startHttpRelay } from '../support/relays.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const anything = z.object({ data: z.string() })
const found = { status: 200, headers: {}, body: '{"data":"found"}' }

async function openSource(options: Partial<SourceOptions> = {}, url?: string) {
  const relay = await startHttpRelay('http://127.0.0.1:1')
  const reported: string[] = []
  const source = new SourceCatalog(url ?? relay.url, {
    signal: new AbortController().signal,
    attempts: 3,
    retryMs: 1,
    report: (line) => reported.push(line),
    ...options,
  })
  return { relay, source, reported }
}

describe('a source catalog', () => {
  test('is retried when it fails, up to a number of times in a row', async () => {
    const { relay, source, reported } = await openSource()
    let asked = 0
    relay.script = async () => {
      asked += 1
      return asked < 3 ? { status: 503, headers: {}, body: '{"detail":"down"}' } : found
    }

    expect(await source.get('/path', anything)).toEqual({ data: 'found' })
    expect(reported).toEqual([`${relay.url} does not answer (down): retrying.`])

    relay.script = async () => ({ status: 502, headers: {}, body: '' })
    await expect(source.get('/path', anything)).rejects.toMatchObject({ code: 'source_unavailable' })
    expect(relay.requests).toHaveLength(6)
  })

  test('that aborts every response fails too', async () => {
    const { relay, source } = await openSource({ attempts: 2 })
    relay.script = async () => ({
      status: 200,
      headers: { 'Content-Length': '100' },
      body: '{',
      cut: { afterBytes: 1, when: async () => undefined },
    })

    await expect(source.get('/path', anything)).rejects.toMatchObject({
      code: 'source_unavailable',
      message: expect.stringContaining(`${relay.url} does not answer (`),
    })
    expect(relay.requests).toHaveLength(2)
  })

  test('may send any number of Retry-After, in seconds or as a date', async () => {
    const { relay, source, reported } = await openSource({ attempts: 1 })
    const waits = ['0', new Date(Date.now() - 1_000).toUTCString(), '0', '0']
    relay.script = async () => {
      const wait = waits.shift()
      return wait === undefined ? found : { status: 429, headers: { 'Retry-After': wait }, body: '' }
    }

    expect(await source.get('/path', anything)).toEqual({ data: 'found' })
    expect(relay.requests).toHaveLength(5)
    expect(reported).toEqual([])
  })

  test('that refuses is not retried, and its problem is reported', async () => {
    const { relay, source } = await openSource()
    const body = '{"code":"changes_gone","detail":"Start again."}'
    relay.script = async () => ({ status: 410, headers: {}, body })

    await expect(source.get('/path', anything)).rejects.toMatchObject({
      status: 410,
      code: 'changes_gone',
      message: `${relay.url}/path answered 410: Start again.`,
    })
    expect(relay.requests).toHaveLength(1)
  })

  test.each(['There is nothing here.', '{"code":"unknown_path","detail":"Endpoints: …"}'])(
    'that is no catalog, and refuses, is reported with the remedy: %s',
    async (body) => {
      const { relay, source } = await openSource()
      relay.script = async () => ({ status: 404, headers: {}, body })

      await expect(source.get('/path', anything)).rejects.toMatchObject({
        message: `${relay.url}/path answered 404: Not Found. Check that this is the address of a catalog.`,
      })
    },
  )

  test('that limits requests is waited for, which is reported where it is long', async () => {
    const stop = new AbortController()
    const { relay, source, reported } = await openSource({ signal: stop.signal })
    relay.script = async () => ({ status: 429, headers: { 'Retry-After': '59' }, body: '' })

    const asked = source.get('/path', anything).catch(({ message }) => message)
    while (reported.length === 0) {
      await sleep(5)
    }
    stop.abort(new Error('stopped by hand'))

    expect(await asked).toBe('stopped by hand')
    expect(relay.requests).toHaveLength(1)
    expect(reported).toEqual([`${relay.url} limits the requests: the next one follows in 59 s.`])
  })

  test('with an invalid response is reported with the position', async () => {
    const { relay, source } = await openSource()
    relay.script = async () => ({ status: 200, headers: {}, body: '{"data":5}' })
    await expect(source.get('/path', anything)).rejects.toMatchObject({
      code: 'source_not_understood',
      message: expect.stringContaining('/path is not a response of a Skill Catalog: data: '),
    })

    relay.script = async () => ({ status: 200, headers: {}, body: '<html>' })
    await expect(source.get('/path', anything)).rejects.toMatchObject({ code: 'source_not_understood' })
  })

  test('with a Retry-After of years is retried after a limited pause', async () => {
    const stop = new AbortController()
    const { relay, source } = await openSource({ signal: stop.signal })
    relay.script = async () => ({ status: 429, headers: { 'Retry-After': '99999999999' }, body: '' })
    setTimeout(() => stop.abort(new Error('stopped by hand')), 300)

    await expect(source.get('/path', anything)).rejects.toThrow('stopped by hand')
    expect(relay.requests).toHaveLength(1)
  })

  test('that sends Retry-After without end times out', async () => {
    const { relay, source } = await openSource()
    relay.script = async () => ({ status: 429, headers: { 'Retry-After': '0' }, body: '' })

    await expect(source.get('/path', anything)).rejects.toMatchObject({ code: 'source_unavailable' })
    expect(relay.requests).toHaveLength(30)
  })

  test.each([
    ['a response too slowly', dripping(20), { maxResponseMs: 500 }, 'the response was not complete after 0.5 s'],
    ['nothing', () => undefined, { maxIdleMs: 200 }, 'nothing arrived for 0.2 s'],
  ] as const)('that sends %s times out', async (_what, answer, limits, reason) => {
    const hostile = await startHostileSource()
    hostile.answers['/slow'] = answer
    const { source, reported } = await openSource({ attempts: 2, ...limits }, hostile.url)

    await expect(source.get('/slow', anything)).rejects.toMatchObject({
      code: 'source_unavailable',
      message: expect.stringContaining(reason),
    })
    expect(hostile.paths).toEqual(['/slow', '/slow'])
    expect(reported).toHaveLength(1)
  })

  test('with an endless problem document is reported by its status', async () => {
    const hostile = await startHostileSource()
    hostile.answers['/path'] = endless(Buffer.alloc(65_536, '['), 403)
    const { source } = await openSource({}, hostile.url)

    await expect(source.get('/path', anything)).rejects.toMatchObject({ status: 403, code: 'source_refused' })
    expect(hostile.sentBytes).toBeLessThan(8_000_000)
  })

  test('whose downloads are interrupted fails, and the received part is kept for the next run', async () => {
    const { relay, source } = await openSource()
    const file = { path: '/file', bytes: 10, sha256: 'a'.repeat(64) }
    const toFile = join(temporaryFolder(), 'file')
    const arrived = async () => {
      while (sizeOf(toFile) < 5) {
        await sleep(5)
      }
    }
    relay.script = async ({ headers }) =>
      headers.range === undefined
        ? {
            status: 200,
            headers: { 'Content-Length': '10' },
            body: '1234567890',
            cut: { afterBytes: 5, when: arrived },
          }
        : { status: 503, headers: {}, body: '' }

    await expect(source.download(file, toFile)).rejects.toMatchObject({ code: 'source_unavailable' })
    expect(relay.requests.map(({ headers }) => headers.range)).toEqual([undefined, 'bytes=5-', 'bytes=5-'])
    relay.script = async ({ headers }) => ({
      status: headers['if-range'] === `"${file.sha256}"` ? 206 : 200,
      headers: {},
      body: '67890',
    })
    await source.download(file, toFile)
    expect(readFileSync(toFile, 'latin1')).toBe('1234567890')
  })

  test('does not get the blame for a local file that cannot be written', async () => {
    const { relay, source } = await openSource()
    relay.script = async () => ({ status: 200, headers: {}, body: '12345' })

    const file = { path: '/file', bytes: 5, sha256: 'a'.repeat(64) }
    await expect(source.download(file, join(temporaryFolder(), 'missing', 'file'))).rejects.toMatchObject({
      code: 'copy_not_written',
    })
    expect(relay.requests).toHaveLength(1)
  })
})
