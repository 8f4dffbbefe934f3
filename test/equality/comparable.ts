import { parse } from 'csv-parse/sync'
import type { TestAnswer } from '../support/test-app.js'

/** Of an answer what two modes must give alike. */
export interface Comparable {
  status: number
  headers: Record<string, unknown>
  body: unknown
}

/** Of one answer only: when it was given, by whom, on which connection, how much is left of a quota. */
const ownHeaders = new Set([
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
  'exportsGeneratedAt',
  'generatedAt',
  'indexedAt',
  'lastSyncAt',
  'requestId',
  'snapshot',
  'statsGeneratedAt',
  'tookMs',
])

/**
 * A cursor names its page and is signed: where it leads is compared, not how it is written. Snapshots are named by
 * their time.
 */
const withoutNames = (text: string): string =>
  text.replace(/cursor=[\w-]+/g, 'cursor=…').replace(/\/\d{8}T\d{9}Z\//g, '/…/')

export function comparable({ status, headers, body, text }: TestAnswer): Comparable {
  return {
    status,
    headers: Object.fromEntries(
      Object.entries(headers)
        .filter(([name]) => !ownHeaders.has(name))
        .map(([name, value]) => [name, typeof value === 'string' ? withoutNames(value) : value]),
    ),
    body: comparableValue(body ?? (isCsv(headers) ? parse(text, { columns: true, bom: true }) : text)),
  }
}

function comparableValue(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(comparableValue)
  }
  if (typeof value !== 'object' || value === null) {
    return value
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !ownMembers.has(name))
      .map(([name, member]) => [name, name === 'nextCursor' && member !== null ? 'a cursor' : comparableValue(member)]),
  )
}

const isCsv = (headers: TestAnswer['headers']): boolean => headers['content-type']?.startsWith('text/csv') ?? false
