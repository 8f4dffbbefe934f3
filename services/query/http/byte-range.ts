import type { ByteRange } from '../../../shared/ports/export-store.js'

/**
 * Reads the bytes that a `Range` header selects.
 *
 * Only a single byte range is supported. Several ranges, other units and malformed values are ignored, as RFC 9110,
 * section 14.2, allows: the response is then the whole file.
 *
 * @param header empty when there is none
 * @returns null: the whole file; `unsatisfiable`: the range begins after the end of the file
 */
export function readByteRange(header: string, sizeBytes: number): ByteRange | null | 'unsatisfiable' {
  const [, first = '', last = ''] = /^bytes=[\t ]*(\d*)-(\d*)[\t ]*$/i.exec(header) ?? []
  if (first === '') {
    return last === '' ? null : lastBytes(Number(last), sizeBytes)
  }
  const start = Number(first)
  const end = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1)
  if (last !== '' && Number(last) < start) {
    return null
  }
  return start < sizeBytes ? { start, end } : 'unsatisfiable'
}

/** A suffix range; all of a file that is smaller. */
const lastBytes = (count: number, sizeBytes: number): ByteRange | 'unsatisfiable' =>
  count === 0 || sizeBytes === 0 ? 'unsatisfiable' : { start: Math.max(0, sizeBytes - count), end: sizeBytes - 1 }
