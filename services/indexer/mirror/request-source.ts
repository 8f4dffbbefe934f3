import { statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { removeCredentials } from '../../../shared/privacy/personal-addresses.js'
import { operatorError } from '../../../shared/runtime/errors.js'
import { parseUrl } from '../../../shared/text/parse-url.js'

/** The headers and time limits of one request. */
export interface RequestOptions {
  headers: Record<string, string>
  /** Makes the request a POST; null, the default: it is a GET. */
  body?: string | null
  /** Milliseconds from the request to the last byte of the response. */
  maxMs: number
  /** Milliseconds without a received byte. */
  maxIdleMs: number
  signal: AbortSignal
}

/** A response of the source, of any status. */
export interface SourceResponse {
  url: string
  status: number
  statusText: string
  headers: Headers
  /** The decompressed body; can be read once. */
  chunks: AsyncIterable<Buffer>
}

/**
 * The address of a catalog as an operator gives it, without a slash at the end.
 *
 * @throws AppError `bad_arguments` when it is invalid, or has a user and password: `fetch` refuses them
 */
export function catalogAddress(given: string): string {
  const url = /^https?:\/\//.test(given) ? parseUrl(given) : null
  if (url === null || url.username !== '' || url.password !== '') {
    throw operatorError(
      'bad_arguments',
      `${removeCredentials(given)} is not the address of a catalog. It looks like https://host:port, without user and password.`,
    )
  }
  return given.replace(/[/?#]+$/, '')
}

const maxRedirects = 5
const redirectStatuses = new Set([301, 302, 303, 307, 308])

/**
 * Sends a request and passes the response to `read`; when `read` has not read the whole body, the connection is
 * closed. Redirects are followed within the origin of `url` only: the source must not direct requests to addresses that
 * only this machine reaches.
 *
 * @throws AppError `source_redirects`; errors of `read`; an Error when the source does not respond in time
 */
export async function requestSource<T>(
  url: string,
  { headers, body: sent = null, maxMs, maxIdleMs, signal }: RequestOptions,
  read: (response: SourceResponse) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  const abortAfter = (ms: number, reason: string) => setTimeout(() => stop.abort(new Error(reason)), ms)
  const total = abortAfter(maxMs, `the response was not complete after ${maxMs / 1_000} s`)
  const idle = abortAfter(maxIdleMs, `nothing arrived for ${maxIdleMs / 1_000} s`)
  try {
    const response = await followRedirects(url, {
      headers,
      ...(sent !== null && { method: 'POST', body: sent }),
      signal: AbortSignal.any([signal, stop.signal]),
    })
    const { status, statusText, body } = response
    return await read({ url, status, statusText, headers: response.headers, chunks: readChunks(body, idle) })
  } finally {
    clearTimeout(total)
    clearTimeout(idle)
  }
}

async function followRedirects(url: string, request: RequestInit): Promise<Response> {
  let address = new URL(url)
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const response = await fetch(address, { ...request, redirect: 'manual' })
    const location = response.headers.get('location')
    if (!redirectStatuses.has(response.status) || location === null) {
      return response
    }
    await response.body?.cancel()
    const target = parseUrl(location, address)
    if (target?.origin !== address.origin) {
      throw operatorError(
        'source_redirects',
        `${address} redirects to ${target ?? 'an invalid address'}, which is another server. ` +
          'If you trust that server, name it in the command instead.',
      )
    }
    address = target
  }
  throw operatorError('source_redirects', `${url} redirects more than ${maxRedirects} times.`)
}

/** Aborts the request when its reader stops early. */
async function* readChunks(body: Response['body'], idle: NodeJS.Timeout): AsyncGenerator<Buffer> {
  if (body !== null) {
    for await (const chunk of body) {
      idle.refresh()
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    }
  }
}

/**
 * The body as text.
 *
 * @throws AppError `answer_too_large` as soon as it has more than `maxBytes` bytes
 */
export async function readText({ url, chunks }: SourceResponse, maxBytes: number): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > maxBytes) {
      throw operatorError(
        'answer_too_large',
        `The response of ${url} has more than ${maxBytes} bytes, unlike any Skill Catalog. Check the address.`,
      )
    }
    parts.push(chunk)
  }
  return Buffer.concat(parts).toString()
}

/** The announced size and hash of a file. */
export interface ExpectedFile {
  bytes: number
  /** Hex; also the entity tag. */
  sha256: string
}

/** Size of a local file in bytes; 0 when it does not exist. */
export const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/**
 * Writes a response to a file: a part (206) is appended, a complete response replaces the file.
 *
 * @throws AppError `download_damaged` when the size is not the announced one; `copy_not_written` when the local file
 *   cannot be written; an Error when the response was interrupted
 */
export async function receiveFile(
  { status, chunks }: SourceResponse,
  { bytes }: ExpectedFile,
  toFile: string,
): Promise<void> {
  const part = status === 206
  let size = part ? sizeOf(toFile) : 0
  const file = await written(toFile, () => open(toFile, part ? 'a' : 'w'))
  try {
    for await (const chunk of chunks) {
      size += chunk.length
      if (size > bytes) {
        throw operatorError('download_damaged', `A download is longer than the announced ${bytes} bytes.`)
      }
      await written(toFile, () => file.appendFile(chunk))
    }
  } finally {
    await file.close()
  }
  if (size < bytes) {
    throw operatorError('download_damaged', `A download has ${size} of the announced ${bytes} bytes.`)
  }
}

/** Distinguishes errors of the local disk from errors of the source. */
async function written<T>(toFile: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    throw operatorError('copy_not_written', `${toFile} cannot be written: ${Object(error).message}`, error)
  }
}
