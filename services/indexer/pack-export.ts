import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliCompress, createGzip, constants as zlib } from 'node:zlib'
import type { ExportEncoding } from '../../shared/ports/export-store.js'

/** Text is gathered to pieces of about this size before it is packed or written. */
const pieceLength = 64 * 1024

/**
 * Packed once and sent many times: worth most of what can be had. The last steps of Brotli's scale take ten times as
 * long for a few percent.
 */
const brotliQuality = 9
const gzipLevel = 9

/** A text as the bytes of one encoding; the same text always gives the same bytes. */
export function packExport(text: Iterable<string>, encoding: ExportEncoding): AsyncIterable<Uint8Array> {
  const bytes = Readable.from(inPieces(text))
  switch (encoding) {
    case 'identity':
      return bytes
    case 'br':
      return through(bytes, createBrotliCompress({ params: { [zlib.BROTLI_PARAM_QUALITY]: brotliQuality } }))
    case 'gzip':
      return through(bytes, createGzip({ level: gzipLevel }))
  }
}

/** Whoever reads the result meets the errors of both. */
const through = (bytes: Readable, packer: Transform): AsyncIterable<Uint8Array> => pipeline(bytes, packer, () => {})

function* inPieces(text: Iterable<string>): Generator<Uint8Array> {
  let gathered = ''
  for (const part of text) {
    gathered += part
    if (gathered.length >= pieceLength) {
      yield Buffer.from(gathered)
      gathered = ''
    }
  }
  if (gathered !== '') {
    yield Buffer.from(gathered)
  }
}
