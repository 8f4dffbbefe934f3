import { operatorError } from '../../../shared/errors.js'

/** The bounds of one request. */
export interface RequestOptions {
  headers: Record<string, string>
  /** Milliseconds from the request to the last byte of its answer. */
  maxMs: number
  /** Milliseconds without a byte from the source. */
  maxIdleMs: number
  signal: AbortSignal
}

/** An answer of the source, in whatever status. */
export interface SourceAnswer {
  url: string
  status: number
  statusText: string
  headers: Headers
  /** The body, decompressed. Can be read once. */
  chunks: AsyncIterable<Buffer>
}

const maxRedirects = 5
const redirectStatuses = new Set([301, 302, 303, 307, 308])

/**
 * Sends a GET request and hands the answer to `read`; the connection is closed when `read` has not read the whole body.
 * Redirects are followed within the origin of `url` alone: an operator has named the source, and the source must not
 * direct requests to addresses that only this machine reaches.
 *
 * @throws AppError `source_redirects`; what `read` throws; an Error when the source does not answer in time
 */
export async function requestSource<T>(
  url: string,
  { headers, maxMs, maxIdleMs, signal }: RequestOptions,
  read: (answer: SourceAnswer) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  const endAfter = (ms: number, reason: string) => setTimeout(() => stop.abort(new Error(reason)), ms)
  const total = endAfter(maxMs, `the answer was not complete after ${maxMs / 1_000} s`)
  const idle = endAfter(maxIdleMs, `nothing arrived for ${maxIdleMs / 1_000} s`)
  try {
    const response = await followRedirects(url, headers, AbortSignal.any([signal, stop.signal]))
    const { status, statusText, body } = response
    return await read({ url, status, statusText, headers: response.headers, chunks: readChunks(body, idle) })
  } finally {
    clearTimeout(total)
    clearTimeout(idle)
  }
}

async function followRedirects(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
  let address = new URL(url)
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const response = await fetch(address, { headers, signal, redirect: 'manual' })
    const location = response.headers.get('location')
    if (!redirectStatuses.has(response.status) || location === null) {
      return response
    }
    await response.body?.cancel()
    const target = URL.canParse(location, address.href) ? new URL(location, address) : null
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

/** Ends the request when its reader stops early. */
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
export async function readText({ url, chunks }: SourceAnswer, maxBytes: number): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > maxBytes) {
      throw operatorError(
        'answer_too_large',
        `${url} answers with more than ${maxBytes} bytes, which no Skill Catalog does. Check the address.`,
      )
    }
    parts.push(chunk)
  }
  return Buffer.concat(parts).toString()
}
