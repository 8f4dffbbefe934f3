import { isUtf8 } from 'node:buffer'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { decodeUtf8 } from '../../services/indexer/import/sniff-format.js'
import { inPieces } from '../support/source-items.js'

/** The decoded text, and the place that the error names; null: there is none. */
async function decode(bytes: Buffer, size: number): Promise<{ text: string; place: number | null }> {
  let text = ''
  try {
    for await (const part of decodeUtf8(inPieces(bytes, size))) {
      text += part
    }
    return { text, place: null }
  } catch (error) {
    return { text, place: Number(/^UnreadableSource: is not UTF-8 at byte (\d+)\./.exec(String(error))?.[1]) }
  }
}

/** Bytes of text, some with others in them. */
const anyBytes = fc
  .tuple(fc.string({ unit: 'binary' }), fc.nat(), fc.uint8Array({ maxLength: 4 }))
  .map(([text, at, others]) => {
    const bytes = Buffer.from(`é漢🚀${text}\ufeff`)
    const place = at % (bytes.length + 1)
    return Buffer.concat([bytes.subarray(0, place), others, bytes.subarray(place)])
  })

test('bytes in chunks of any size are decoded up to the first that are not UTF-8', async () => {
  await fc.assert(
    fc.asyncProperty(anyBytes, fc.integer({ min: 1, max: 9 }), async (bytes, size) => {
      let valid = bytes.length
      while (!isUtf8(bytes.subarray(0, valid))) {
        valid -= 1
      }
      const text = bytes.toString('utf8', 0, valid).replace(/^\ufeff/, '')

      expect(await decode(bytes, size)).toEqual({ text, place: valid === bytes.length ? null : valid })
    }),
    { numRuns: 2_000 },
  )
})

test('the mark at the beginning is left out, and others are kept', async () => {
  for (const size of [1, 2, 3, 100]) {
    expect(await decode(Buffer.from('\ufeffa\ufeff'), size)).toEqual({ text: 'a\ufeff', place: null })
  }
})
