import type { ParameterizedContext } from 'koa'
import type { ByteRange } from '../../shared/ports/export-store.js'
import { readByteRange } from './byte-range.js'
import { chooseEncoding } from './content-encoding.js'
import type { Download, Representation } from './download.js'

/** What a request asks for of a download. */
interface SelectedPart {
  /** The download itself, or one of its previous files. */
  file: Download
  representation: Representation
  /** Null: all of it. */
  range: ByteRange | 'unsatisfiable' | null
  /** True: which file the range is of cannot be known, so that it must not be answered. */
  needsValidator: boolean
}

/**
 * Which file a request asks for, in which encoding, and which part of it.
 *
 * A range is of the file that `If-Range` names by its entity tag, in the encoding that the tag names; without
 * `If-Range`, of the one that `If-Match` names. Without either it is of the plain file: clients that ask for packed
 * answers by themselves, as Python's do, cannot unpack a part of one.
 *
 * Where the content changes, a range that names no file must be answered with an error. The client may hold the
 * beginning of another file, and the whole one would not keep it from joining both: `wget -c` skips as many bytes of a
 * 200 as it has.
 */
export function selectPart(ctx: ParameterizedContext, download: Download): SelectedPart {
  const whole = { file: download, representation: negotiate(ctx, download), range: null, needsValidator: false }
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
      return { file, representation, range: part, needsValidator: false }
    }
  }
  // Another file than those that are kept; or a date, which names none: all encodings share it, and a validator that
  // two representations share is weak (RFC 9110, sections 8.8.1 and 13.1.5).
  if (ifRange !== '') {
    return whole
  }
  // With the first bytes of a file a client can start over.
  if (isChanging && range !== 'unsatisfiable' && range.start === 0) {
    return whole
  }
  return { file: download, representation: plain, range, needsValidator: isChanging }
}

/** The encoding that the client likes best. */
function negotiate(ctx: ParameterizedContext, { representations }: Download): Representation {
  const [plain, ...packed] = representations
  const available = packed.flatMap(({ encoding }) => encoding ?? [])
  const chosen = chooseEncoding(ctx.get('Accept-Encoding'), available)
  return packed.find(({ encoding }) => encoding === chosen) ?? plain
}

const isAccepted = (ctx: ParameterizedContext, { encoding }: Representation): boolean =>
  encoding === null || chooseEncoding(ctx.get('Accept-Encoding'), [encoding]) === encoding

/** The entity tag of a representation, strong. */
export const tagOf = ({ sha256 }: Representation): string => `"${sha256}"`

/** The entity tags of a header, weak ones with their `W/`. */
export const readTags = (header: string): string[] => header.match(/(?:W\/)?"[^"]*"/g) ?? []
