import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { openSource } from '../../services/indexer/import/open-source.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Opens a file of this name and content. */
function open(name: string, content: Buffer, signal = new AbortController().signal) {
  const path = join(temporaryFolder(), name)
  writeFileSync(path, content)
  const source = { path, label: path, format: null, sizeBytes: content.length, folder: null }
  return openSource(source, Readable.from([]), () => undefined, signal)
}

/** The beginning of a file in a ZIP archive. */
const zipped = (name: string, content = '') =>
  `PK\u0003\u0004${'\0'.repeat(22)}${String.fromCharCode(name.length)}\0\0\0${name}${content}`

test.each([
  ['an Excel workbook', `${zipped('[Content_Types].xml', '...')}${zipped('xl/workbook.xml')}`],
  ['an old Excel workbook', '\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1...'],
  ['an OpenDocument file', zipped('mimetype', 'application/vnd.oasis.opendocument.spreadsheet')],
  ['a document of Numbers', `${zipped('Index/Document.iwa')}`],
  ['a Parquet file', 'PAR1\u0015\u0004'],
  ['an SQLite database', 'SQLite format 3\0...'],
  ['a PDF document', '%PDF-1.7\n'],
  ['a ZIP archive', zipped('a.ndjson', '{}')],
  ['a tar archive', `a.ndjson${'\0'.repeat(249)}ustar\0`],
  ['compressed in a way other than gzip', '\u00fd7zXZ\0...'],
  ['a page of HTML or XML', '\n<!DOCTYPE html>\n'],
])('%s is named as such by its bytes', async (what, beginning) => {
  for (const [name, content] of [
    ['skills.csv', Buffer.from(beginning, 'latin1')],
    ['skills.json.gz', gzipSync(Buffer.from(beginning, 'latin1'))],
  ] as const) {
    await expect(open(name, content)).rejects.toThrow(`is ${what}`)
  }
})

test('decompressing a small file to a huge one stops when the reading is cancelled', async () => {
  const unpackedBytes = 64_000_000
  const cancelled = new AbortController()
  const { chunks } = await open('blank.ndjson.gz', gzipSync('\n'.repeat(unpackedBytes)), cancelled.signal)

  let readBytes = 0
  const reading = (async () => {
    for await (const chunk of chunks) {
      readBytes += chunk.length
      cancelled.abort()
    }
  })()

  await expect(reading).rejects.toThrow()
  expect(readBytes).toBeLessThan(unpackedBytes / 10)
})

const csv = 'full_name\nacme/pdf\n'
const wide = (bytes: number, bigEndian: boolean): Buffer =>
  Buffer.concat(
    [...csv].map((character) => {
      const code = Buffer.alloc(bytes)
      code.writeUInt8(character.charCodeAt(0), bigEndian ? bytes - 1 : 0)
      return code
    }),
  )

test.each<[what: string, content: Buffer, message: string]>([
  ['UTF-32', Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0]), wide(4, false)]), 'is UTF-32. Save it as UTF-8'],
  ['UTF-32 without a mark', wide(4, true), 'iconv -f utf-32be'],
  ['UTF-16', Buffer.concat([Buffer.from([0xfe, 0xff]), wide(2, true)]), 'is UTF-16. Save it as UTF-8'],
  ['UTF-16 without a mark', wide(2, false), 'iconv -f utf-16le'],
  [
    'gzip with bytes after it',
    Buffer.concat([gzipSync(csv), Buffer.from('more')]),
    'has other bytes after its gzip data',
  ],
  [
    'gzip with a line end after it',
    Buffer.concat([gzipSync(csv), Buffer.from('\n')]),
    'has other bytes after its gzip data',
  ],
  ['gzip with a damaged byte', gzipSync(csv).fill(0xff, 14, 15), 'has damaged gzip data. Download or pack it again'],
])('%s is named as what it is', async (_what, content, message) => {
  const reading = async (): Promise<void> => {
    const { chunks } = await open('a.csv', content)
    for await (const _chunk of chunks) {
      // What is after the first bytes is found when they are read.
    }
  }

  await expect(reading()).rejects.toThrow(message)
})
