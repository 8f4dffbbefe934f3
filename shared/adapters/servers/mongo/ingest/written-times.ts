import type { Document, Filter } from 'mongodb'

/** The offset from UTC at the end of a time in text. */
const offsetAtEnd = /\d{2}:\d{2}.*([+-])(\d{2}):?(\d{2})$/

/** The offset from UTC that a value of the changed-field has, in milliseconds; null where it has none, or is UTC. */
export function offsetOf(value: unknown): number | null {
  const [, sign, hours, minutes] = (typeof value === 'string' && offsetAtEnd.exec(value)) || []
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000
  return sign === undefined || offsetMs === 0 ? null : sign === '-' ? -offsetMs : offsetMs
}

/**
 * Filters that find documents by index whose changed-field is in a time span, one for each form of the field: a date;
 * ISO-8601 text in UTC; seconds or milliseconds since 1970, as numbers or text. MongoDB compares a value only with
 * values of its own type. Each filter has both ends: otherwise times in the future, numbers of another unit and texts
 * in other forms would match at every search.
 */
export function writtenBetween(field: string, fromMs: number, toMs: number): Filter<Document>[] {
  const [from, to] = [Math.max(0, fromMs), Math.max(0, toMs)]
  const seconds = (ms: number) => Math.floor(ms / 1_000)
  return [
    within(field, new Date(from), new Date(to)),
    ...isoTextBetween(field, from, to),
    within(field, from / 1_000, to / 1_000),
    within(field, from, to),
    // Ten digits, and three more for milliseconds, which sort after the same seconds.
    within(field, String(seconds(from)), String(seconds(to) + 1)),
  ]
}

/** The same for ISO-8601 text that is written with this offset from UTC. */
export const writtenBetweenAt = (field: string, offsetMs: number, fromMs: number, toMs: number): Filter<Document>[] =>
  isoTextBetween(field, Math.max(0, fromMs + offsetMs), Math.max(0, toMs + offsetMs))

const isoTextBetween = (field: string, fromMs: number, toMs: number): Filter<Document>[] => {
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()]
  return [within(field, from, to), within(field, from.replace('T', ' '), to.replace('T', ' '))]
}

const within = <T>(field: string, from: T, to: T): Filter<Document> => ({ [field]: { $gte: from, $lte: to } })
