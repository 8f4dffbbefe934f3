import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { bodyMalformed, bodyNotUtf8, bodyTooLarge, bodyTooSlow } from '../problems/errors.js'

/** A small body arrives with its headers, or shortly after them. */
const defaultTimeLimitMs = 10_000

/** Without a byte order mark, which programs on Windows write. */
const utf8 = new TextDecoder()

const malformedEvent = 'malformed'
const malformed = new WeakSet<IncomingMessage>()

/** Ends the reading of a body of which a part is not valid HTTP: the rest of it never arrives. */
export function noteMalformed(request: IncomingMessage): void {
  malformed.add(request)
  request.emit(malformedEvent)
}

/**
 * Reads the body of a request as text. A client that waits for `100 Continue` before it sends one gets it.
 *
 * @param timeLimitMs from now to its last byte, milliseconds
 * @throws AppError `body_too_large` (413) as soon as it has more than `maxBytes` bytes; `request_timeout` (408) when it is
 * not complete in time, or the client has left; `malformed_request` (400) as soon as a part of it is no valid HTTP, or
 * where it is not UTF-8
 */
export function readBody(
  request: IncomingMessage,
  response: Pick<ServerResponse, 'writeContinue'>,
  maxBytes: number,
  timeLimitMs: number = defaultTimeLimitMs,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let sizeBytes = 0
    const end = (settle: () => void) => {
      clearTimeout(timer)
      request.off('data', onData)
      request.off(malformedEvent, onMalformed)
      settle()
    }
    const timer = setTimeout(() => end(() => reject(bodyTooSlow())), timeLimitMs)
    const onData = (chunk: Buffer) => {
      sizeBytes += chunk.length
      chunks.push(chunk)
      if (sizeBytes > maxBytes) {
        end(() => reject(bodyTooLarge(maxBytes)))
      }
    }
    const onMalformed = () => end(() => reject(bodyMalformed()))
    if (malformed.has(request)) {
      onMalformed()
      return
    }
    if (/^100-continue$/i.test(request.headers.expect ?? '')) {
      response.writeContinue()
    }
    request.once(malformedEvent, onMalformed)
    request.on('data', onData)
    request.once('end', () =>
      end(() => {
        const bytes = Buffer.concat(chunks)
        return isUtf8(bytes) ? resolve(utf8.decode(bytes)) : reject(bodyNotUtf8())
      }),
    )
    request.once('error', () => end(() => reject(bodyTooSlow())))
    request.once('close', () => end(() => reject(bodyTooSlow())))
  })
}
