import { parse } from 'csv-parse/sync'
import type { TestAnswer } from '../support/test-app.js'

/** Of an answer what two modes must give alike. */
export interface Comparable {
  status: number
  headers: Record<string, unknown>
  body: unknown
}

/** In the place of a value that need not be alike: that there is one must be. */
const itsOwn = 'its own'

/** Of one answer only: when it was given, how old it was then, by whom, on which connection, how much is left of a quota. */
const ownHeaders = new Set([
  'age',
  'connection',
  'content-length',
  'date',
  'etag',
  'keep-alive',
  'last-modified',
  'ratelimit',
  'repr-digest',
  'transfer-encoding',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
])

/** Of one catalog or one answer only: when it was indexed, computed, answered. */
const ownMembers = new Set([
  'bytes',
  'changesSince',
  'exportsGeneratedAt',
  'generatedAt',
  'indexedAt',
  'lastSyncAt',
  'nextCursor',
  'requestId',
  'sha256',
  'snapshot',
  'statsGeneratedAt',
  'tookMs',
])

/**
 * A cursor names its page and is signed: where it leads is compared, not how it is written. A snapshot is called by the
 * time at which it was made, and so is a position among the changes.
 */
const withoutOwnNames = (text: string): string =>
  text.replace(/(cursor|since)=[\w-]+/g, '$1=…').replace(/exports\/\d{8}T\d{9}Z/g, 'exports/…')

export function comparable({ status, headers, body, text }: TestAnswer): Comparable {
  return {
    status,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        ownHeaders.has(name) ? itsOwn : typeof value === 'string' ? withoutOwnNames(value) : value,
      ]),
    ),
    // A part of a file is no file.
    body: comparableValue(body ?? (status === 206 ? text : readText(text, headers['content-type'] ?? ''))),
  }
}

function readText(text: string, contentType: string): unknown {
  if (contentType.startsWith('text/csv')) {
    return parse(text, { columns: true, bom: true })
  }
  return contentType.startsWith('application/x-ndjson') ? text.trimEnd().split('\n').map(parseLine) : text
}

const parseLine = (line: string): unknown => JSON.parse(line)

function comparableValue(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(comparableValue)
  }
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'string' ? withoutOwnNames(value) : value
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      ownMembers.has(name) && member !== null ? itsOwn : comparableValue(member),
    ]),
  )
}
