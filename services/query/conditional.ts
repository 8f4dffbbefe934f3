import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { parseHttpDate } from '../../shared/text/parse-http-date.js'
import type { ContentEncoding } from './content-encoding.js'

/**
 * A strong entity tag for a text: another one for each encoding, since their bytes differ (RFC 9110, section 8.8.3).
 *
 * @param encoding how the body is packed; null: not at all
 */
export const entityTag = (text: string, encoding: ContentEncoding | null): string =>
  `"${createHash('sha256').update(text).digest('base64url')}${encoding === null ? '' : `-${encoding}`}"`

/** What tells one state of a resource from another. */
export interface Validators {
  /** With its quotes. */
  etag: string
  lastModified?: Date
}

/**
 * Whether the client has what it asks for: its `If-None-Match` names the tag, or is `*`; where it sends none, its
 * `If-Modified-Since` is no earlier than the last change. Tags are compared weakly: a cache on the way may have
 * weakened ours. A value that is no HTTP-date is ignored (section 13.1.3).
 *
 * Source: RFC 9110, section 13.2.2.
 */
export function isNotModified(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const tags = headers['if-none-match']
  if (tags !== undefined) {
    const named: string[] = tags.match(/"[^"]*"/g) ?? []
    return tags.trim() === '*' || named.includes(etag)
  }
  const sinceMs = parseHttpDate(headers['if-modified-since'] ?? '')
  // The header counts in whole seconds.
  return lastModified !== undefined && sinceMs !== null && Math.floor(lastModified.getTime() / 1_000) * 1_000 <= sinceMs
}
