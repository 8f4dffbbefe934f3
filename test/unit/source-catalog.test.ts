import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { SourceCatalog, type SourceOptions } from '../../services/indexer/mirror/source-catalog.js'
import { startRelay } from '../support/http-relay.js'

const anything = z.object({ data: z.string() })
const found = { status: 200, headers: {}, body: Buffer.from('{"data":"found"}') }

async function openSource(options: Partial<SourceOptions> = {}) {
  const relay = await startRelay('http://127.0.0.1:1')
  const told: string[] = []
  const source = new SourceCatalog(relay.url, {
    signal: new AbortController().signal,
    attempts: 3,
    retryMs: 1,
    tell: (line) => told.push(line),
    ...options,
  })
  return { relay, source, told }
}

describe('a source catalog', () => {
  test('is asked again when it fails, up to so many times in a row', async () => {
    const { relay, source, told } = await openSource()
    let asked = 0
    relay.script = async () => {
      asked += 1
      return asked < 3 ? { status: 503, headers: {}, body: Buffer.from('{"detail":"away"}') } : found
    }

    expect(await source.get('/path', anything)).toEqual({ data: 'found' })
    expect(told).toEqual([`${relay.url} does not answer (away): trying again.`])

    relay.script = async () => ({ status: 502, headers: {}, body: Buffer.from('') })
    await expect(source.get('/path', anything)).rejects.toMatchObject({ code: 'source_unavailable' })
    expect(relay.requests).toHaveLength(6)
  })

  test('that breaks every answer off is given up as well', async () => {
    const { relay, source } = await openSource({ attempts: 2 })
    relay.script = async () => ({
      status: 200,
      headers: { 'Content-Length': '100' },
      body: Buffer.from('{'),
      cut: { afterBytes: 1, when: async () => undefined },
    })

    await expect(source.get('/path', anything)).rejects.toMatchObject({
      code: 'source_unavailable',
      message: expect.stringContaining(`${relay.url} does not answer (`),
    })
    expect(relay.requests).toHaveLength(2)
  })

  test('may ask to be asked later as often as it likes, in seconds or by a date', async () => {
    const { relay, source, told } = await openSource({ attempts: 1 })
    const waits = ['0', new Date(Date.now() - 1_000).toUTCString(), '0', '0']
    relay.script = async () => {
      const wait = waits.shift()
      return wait === undefined ? found : { status: 429, headers: { 'Retry-After': wait }, body: Buffer.from('') }
    }

    expect(await source.get('/path', anything)).toEqual({ data: 'found' })
    expect(relay.requests).toHaveLength(5)
    expect(told).toEqual([])
  })

  test('that refuses is not asked again, and its problem is told', async () => {
    const { relay, source } = await openSource()
    const body = Buffer.from('{"code":"changes_gone","detail":"Start again."}')
    relay.script = async () => ({ status: 410, headers: {}, body })

    await expect(source.get('/path', anything)).rejects.toMatchObject({
      status: 410,
      code: 'changes_gone',
      message: `${relay.url}/path answered 410: Start again.`,
    })
    expect(relay.requests).toHaveLength(1)
  })

  test('is left alone when the command is asked to stop, also in a wait', async () => {
    const stop = new AbortController()
    const { relay, source } = await openSource({ signal: stop.signal })
    relay.script = async () => {
      setImmediate(() => stop.abort(new Error('stopped by hand')))
      return { status: 429, headers: { 'Retry-After': '3600' }, body: Buffer.from('') }
    }

    await expect(source.get('/path', anything)).rejects.toThrow('stopped by hand')
  })

  test('whose answer is something else is told with the place in it', async () => {
    const { relay, source } = await openSource()
    relay.script = async () => ({ status: 200, headers: {}, body: Buffer.from('{"data":5}') })
    await expect(source.get('/path', anything)).rejects.toMatchObject({
      code: 'source_not_understood',
      message: expect.stringContaining('/path is not what a Skill Catalog answers: data: '),
    })

    relay.script = async () => ({ status: 200, headers: {}, body: Buffer.from('<html>') })
    await expect(source.get('/path', anything)).rejects.toMatchObject({ code: 'source_not_understood' })
  })
})
