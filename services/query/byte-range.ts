import type { ByteRange } from '../../shared/ports/export-store.js'

/**
 * Which bytes of a file a `Range` header asks for.
 *
 * Answered is one range of bytes. Several at once, other units, and what cannot be understood are ignored, as RFC 9110,
 * section 14.2, allows: the whole file is no wrong answer to any of them.
 *
 * @param header empty when there is none
 * @returns null: the whole file; `unsatisfiable`: it begins behind the file's end
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

/** As many bytes from the end; all of a file that has fewer. */
const lastBytes = (count: number, sizeBytes: number): ByteRange | 'unsatisfiable' =>
  count === 0 || sizeBytes === 0 ? 'unsatisfiable' : { start: Math.max(0, sizeBytes - count), end: sizeBytes - 1 }
