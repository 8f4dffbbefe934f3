import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliCompress, createGzip, constants as zlib } from 'node:zlib'
import type { ExportEncoding } from '../../../shared/ports/export-store.js'

/** Characters per piece of text that is compressed or written at once. */
const pieceLength = 64 * 1024

/** Compressed once and sent many times. Brotli's levels above 9 take ten times as long for a few percent. */
const brotliQuality = 9
const gzipLevel = 9

/** The bytes of a text in one encoding; equal texts give equal bytes. */
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

/** The reader of the result gets the errors of both streams. */
const through = (bytes: Readable, compressor: Transform): AsyncIterable<Uint8Array> =>
  pipeline(bytes, compressor, () => {})

function* inPieces(text: Iterable<string>): Generator<Uint8Array> {
  let piece = ''
  for (const part of text) {
    piece += part
    if (piece.length >= pieceLength) {
      yield Buffer.from(piece)
      piece = ''
    }
  }
  if (piece !== '') {
    yield Buffer.from(piece)
  }
}
