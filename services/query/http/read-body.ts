import type { IncomingMessage } from 'node:http'
import { bodyTooLarge, bodyTooSlow } from '../problems/errors.js'

/** A small body arrives with its headers, or shortly after them. */
const defaultTimeLimitMs = 10_000

/**
 * Reads the body of a request as text.
 *
 * @param timeLimitMs from now to its last byte, milliseconds
 * @throws AppError `body_too_large` (413) as soon as it has more than `maxBytes` bytes; `request_timeout` (408) when it is
 * not complete in time, or the client has left
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  timeLimitMs: number = defaultTimeLimitMs,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let sizeBytes = 0
    const end = (settle: () => void) => {
      clearTimeout(timer)
      request.off('data', onData)
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
    request.on('data', onData)
    request.once('end', () => end(() => resolve(Buffer.concat(chunks).toString())))
    request.once('error', () => end(() => reject(bodyTooSlow())))
    request.once('close', () => end(() => reject(bodyTooSlow())))
  })
}
