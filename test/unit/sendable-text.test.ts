import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import type { ParameterizedContext } from 'koa'
import { SendableText } from '../../services/query/http/sendable-text.js'

/** The parts of a response that are set. */
function aContext() {
  const headers: Record<string, string> = {}
  const ctx = { body: null as Buffer | null, set: (name: string, value: string) => (headers[name] = value) }
  return { ctx, headers, asContext: ctx as unknown as ParameterizedContext }
}

const long = 'all the same '.repeat(200)

test('is compressed as the client prefers, above a minimum size', () => {
  const text = new SendableText(long)

  expect([text.encodingFor('gzip'), text.encodingFor('gzip, br'), text.encodingFor('')]).toEqual(['gzip', 'br', null])
  expect(new SendableText('short').encodingFor('gzip')).toBe(null)
  expect(new SendableText('é'.repeat(600)).encodingFor('gzip')).toBe('gzip')
})

test('decoded it is the text', async () => {
  const text = new SendableText(long)
  const [plain, gzip, br] = [aContext(), aContext(), aContext()]

  await text.setBody(plain.asContext, null)
  await text.setBody(gzip.asContext, 'gzip')
  await text.setBody(br.asContext, 'br')

  expect(String(plain.ctx.body)).toBe(long)
  expect(String(gunzipSync(gzip.ctx.body ?? ''))).toBe(long)
  expect(String(brotliDecompressSync(br.ctx.body ?? ''))).toBe(long)
  expect([plain, gzip, br].map(({ headers }) => headers['Content-Encoding'])).toEqual([undefined, 'gzip', 'br'])
})

test('is compressed once, however often it is sent', async () => {
  const text = new SendableText(long)
  const [one, other] = [aContext(), aContext()]

  await Promise.all([text.setBody(one.asContext, 'br'), text.setBody(other.asContext, 'br')])

  expect(one.ctx.body).toBe(other.ctx.body)
})

test('its tag is computed from the whole text, or from a part', () => {
  expect(new SendableText('a').entityTag(null)).not.toBe(new SendableText('b').entityTag(null))
  expect(new SendableText('a', 'same').entityTag('br')).toBe(new SendableText('b', 'same').entityTag('br'))
})
