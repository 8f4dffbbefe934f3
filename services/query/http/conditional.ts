import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { parseHttpDate } from '../../../shared/runtime/parse-http-date.js'
import type { ContentEncoding } from './content-encoding.js'

/**
 * A strong entity tag for a text, different for each encoding, since the bytes differ (RFC 9110, section 8.8.3).
 *
 * @param encoding the content coding; null: none
 */
export const entityTag = (text: string | Buffer, encoding: ContentEncoding | null): string =>
  `"${hash('sha256', text, 'base64url')}${encoding === null ? '' : `-${encoding}`}"`

/** The validators of a resource's current state. */
export interface Validators {
  /** Including its quotes, and `W/` where it is weak. */
  etag: string
  lastModified?: Date
}

/**
 * Whether the client's copy is current: its `If-None-Match` has the tag, or is `*`; without that header, its
 * `If-Modified-Since` is no earlier than the last change. Tags are compared weakly, since a cache may have weakened
 * them. A value that is no HTTP-date is ignored (section 13.1.3).
 *
 * Source: RFC 9110, section 13.2.2.
 */
export function isNotModified(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const tags = headers['if-none-match']
  if (tags !== undefined) {
    const named: string[] = tags.match(/"[^"]*"/g) ?? []
    return tags.trim() === '*' || named.includes(etag.replace(/^W\//, ''))
  }
  const sinceMs = parseHttpDate(headers['if-modified-since'] ?? '')
  // The header has a resolution of one second.
  return lastModified !== undefined && sinceMs !== null && Math.floor(lastModified.getTime() / 1_000) * 1_000 <= sinceMs
}
