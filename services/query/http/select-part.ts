import type { Readable } from 'node:stream'
import type { ParameterizedContext } from 'koa'
import type { ByteRange } from '../../../shared/ports/export-store.js'
import { readByteRange } from './byte-range.js'
import type { ContentEncoding } from './content-encoding.js'
import { chooseEncoding } from './content-encoding.js'

/** A file to send, in one encoding or several. */
export interface Download {
  lastModified: Date
  /** Headers of every encoding: `Content-Type`, `Content-Disposition` and so on. */
  headers: Record<string, string>
  /** The same content unencoded and compressed, the smallest first. */
  representations: [plain: Representation, ...packed: Representation[]]
  /** The previous files that are kept of a URL whose content changes, newest first. Null: the content never changes. */
  previous: Download[] | null
}

/** The bytes of a file in one encoding. */
export interface Representation {
  /** Null: not encoded. */
  encoding: ContentEncoding | null
  sizeBytes: number
  /** SHA-256 of the bytes, hex. */
  sha256: string
  /** @throws AppError (503) when the file is unavailable */
  open(range: ByteRange | null): Promise<Readable>
}

/** The file and range to send. */
interface SelectedPart {
  /** The current file, or one of its previous ones. */
  file: Download
  representation: Representation
  /** Null: the whole file. */
  range: ByteRange | 'unsatisfiable' | null
  /**
   * Set where the file that the range belongs to is unknown. `refused`: the client may have a part of another file.
   * `redirected`: it asks for a part with both ends, so that it reads the file in parts; they are answered where the
   * bytes never change.
   */
  unnamed: 'refused' | 'redirected' | null
}

/**
 * Selects the file, its encoding and the range to send.
 *
 * A range belongs to the file that `If-Range` names by its entity tag, in the encoding of that tag; without `If-Range`,
 * to that of `If-Match`. Without either it belongs to the unencoded file: clients that send `Accept-Encoding` by
 * default, as Python's do, cannot decode a part of a compressed file.
 *
 * Where the content changes, the rest of a file (`bytes=5-`) without such a tag must be answered with an error. The
 * client may hold the start of another file, and would join the two even on a 200 with the whole file: `wget -c` skips as
 * many bytes of it as it already has. It would follow a redirect to another snapshot as well.
 */
export function selectPart(ctx: ParameterizedContext, download: Download): SelectedPart {
  const whole = { file: download, representation: negotiate(ctx, download), range: null, unnamed: null }
  const [plain] = download.representations
  // Only GET has parts (RFC 9110, section 14.2).
  const header = ctx.method === 'GET' ? ctx.get('Range') : ''
  const range = readByteRange(header, plain.sizeBytes)
  if (range === null) {
    return whole
  }
  const ifRange = ctx.get('If-Range').trim()
  const tags = ifRange === '' ? readTags(ctx.get('If-Match')) : [ifRange]
  const isChanging = download.previous !== null
  for (const file of ifRange === '' ? [download] : [download, ...(download.previous ?? [])]) {
    const representation = file.representations.find((other) => tags.includes(tagOf(other)) && isAccepted(ctx, other))
    if (representation !== undefined) {
      const part = readByteRange(header, representation.sizeBytes)
      return { file, representation, range: part, unnamed: null }
    }
  }
  // No entity tag of a kept file; or a date, which is a weak validator, since all encodings share it (RFC 9110,
  // sections 8.8.1 and 13.1.5).
  if (ifRange !== '') {
    return whole
  }
  if (!isChanging) {
    return { file: download, representation: plain, range, unnamed: null }
  }
  // aria2c continues a file with both ends of the rest, follows redirects, and joins what it gets. Of the clients that
  // read files in parts it alone asks for a digest.
  const isPart = !/-[\t ]*$/.test(header) && ctx.get('Want-Digest') === ''
  // The rest from the first byte starts the download again.
  if (!isPart && range !== 'unsatisfiable' && range.start === 0) {
    return whole
  }
  return { file: download, representation: plain, range, unnamed: isPart ? 'redirected' : 'refused' }
}

/** The encoding that the client prefers. */
function negotiate(ctx: ParameterizedContext, { representations }: Download): Representation {
  const [plain, ...packed] = representations
  const available = packed.flatMap(({ encoding }) => encoding ?? [])
  const chosen = chooseEncoding(ctx.get('Accept-Encoding'), available)
  return packed.find(({ encoding }) => encoding === chosen) ?? plain
}

const isAccepted = (ctx: ParameterizedContext, { encoding }: Representation): boolean =>
  encoding === null || chooseEncoding(ctx.get('Accept-Encoding'), [encoding]) === encoding

/** The strong entity tag of a representation. */
export const tagOf = ({ sha256 }: Representation): string => `"${sha256}"`

/** The entity tags of a header, weak ones including `W/`. */
export const readTags = (header: string): string[] => header.match(/(?:W\/)?"[^"]*"/g) ?? []
