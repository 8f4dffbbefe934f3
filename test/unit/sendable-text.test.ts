import { expect, test } from '@jest/globals'
import { SendableText } from '../../services/query/request/sendable-text.js'

const long = 'all the same '.repeat(200)

test('is compressed as the client prefers, above a minimum size', () => {
  const text = new SendableText(long)

  expect([text.encodingFor('gzip'), text.encodingFor('gzip, br'), text.encodingFor('')]).toEqual(['gzip', 'br', null])
  expect(new SendableText('short').encodingFor('gzip')).toBe(null)
  expect(new SendableText('é'.repeat(600)).encodingFor('gzip')).toBe('gzip')
})

test('is compressed once, however often it is sent', async () => {
  const text = new SendableText(long)

  const [one, other] = await Promise.all([text.encoded('br'), text.encoded('br')])

  expect(one).toBe(other)
})

test('its tag is computed from the whole text, or from a part', () => {
  expect(new SendableText('a').entityTag(null)).not.toBe(new SendableText('b').entityTag(null))
  expect(new SendableText('a', 'same').entityTag('br')).toBe(new SendableText('b', 'same').entityTag('br'))
})
