import { parse } from 'csv-parse/sync'
import type { TestResponse } from '../support/test-app.js'

/** The part of a response that must be equal in both modes. */
export interface Comparable {
  status: number
  headers: Record<string, unknown>
  body: unknown
}

/** Replaces a value that may differ, but must be present. */
const differs = 'its own'

/** Headers specific to one response: times, ids, connection and quotas. */
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
  'server-timing',
  'transfer-encoding',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
])

/** Members specific to one catalog or response: times and durations. */
const ownMembers = new Set([
  'bytes',
  'changesSince',
  'exportsGeneratedAt',
  'generatedAt',
  'indexedAt',
  'lastSyncAt',
  'nextCursor',
  'pageToken',
  'requestId',
  'sha256',
  'snapshot',
  'statsGeneratedAt',
  'tookMs',
])

/**
 * Cursors differ, but not the pages that they lead to. Snapshots, and positions among the changes, are named by their
 * time.
 */
const withoutNames = (text: string): string =>
  text.replace(/(cursor|since)=[\w-]+/g, '$1=…').replace(/exports\/\d{8}T\d{9}Z/g, 'exports/…')

export function comparable({ status, headers, body, text }: TestResponse): Comparable {
  return {
    status,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        ownHeaders.has(name) ? differs : typeof value === 'string' ? withoutNames(value) : value,
      ]),
    ),
    body: comparableValue(body ?? readText(text, headers['content-type'] ?? '')),
  }
}

function readText(text: string, contentType: string): unknown {
  if (contentType.startsWith('text/csv')) {
    return parse(text, { columns: true, bom: true })
  }
  if (contentType.startsWith('application/atom+xml')) {
    return comparableFeed(text)
  }
  return contentType.startsWith('application/x-ndjson')
    ? text.trimEnd().split('\n').map(parseLine)
    : comparablePage(text)
}

/** A feed: each catalog has its own times of ingest, by which skills that have no other time are dated and ordered. */
function comparableFeed(feed: string): unknown {
  const [head, ...entries] = feed
    .split('<entry>')
    .map((part) =>
      part.replace(/(?<=<updated>)[^<]*/, (time) => (Date.parse(time) >= performance.timeOrigin ? differs : time)),
    )
  const isUndated = (entry: string) => entry.includes(`<updated>${differs}<`)
  return { head, undated: entries.filter(isUndated).sort(), dated: entries.filter((entry) => !isUndated(entry)) }
}

/** A page as readers see it, and the data that it was made from. */
const comparablePage = (page: string): string =>
  page
    .replace(/ data-shown="([^"]*)"/, (_, shown: string) => ` data-shown="${JSON.stringify(comparableData(shown))}"`)
    .replace(/(Read by this catalog<\/dt><dd[^>]*><time datetime=)"[^"]*"/, `$1"${differs}"`)
    .replace(/<section [^>]*aria-labelledby="related">.*?<\/section>/, differs)

/** The related skills that both modes find: of the others, which are hardly nearer than the next, each may leave out some. */
const nearest = 3

/** Related skills that are nearly as near may stand in another order: the embedded mode keeps vectors in 8 bits. */
function comparableData(shown: string): unknown {
  const data = JSON.parse(shown.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&'))
  const related: { id: string }[] | undefined = data.shown?.data?.related
  if (related !== undefined) {
    const ids = related.slice(0, nearest).map(({ id }) => id)
    data.shown.data.related = ids.sort()
  }
  return comparableValue(data)
}

const parseLine = (line: string): unknown => JSON.parse(line)

export function comparableValue(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(comparableValue)
  }
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'string' ? withoutNames(value) : value
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      ownMembers.has(name) && member !== null ? differs : comparableValue(member),
    ]),
  )
}
