/** A date, with or without a time; a time without a zone is UTC. */
const written =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)? ?(Z|UTC|[+-]\d{2}:?\d{2})?)?$/i

/** Epoch times of at least this size are milliseconds: as seconds they would be after the year 5000. */
const smallestMilliseconds = 100_000_000_000

/** A time as the result has it. */
const canonical = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * Reads a point in time: ISO-8601, a date only (midnight UTC), epoch seconds or milliseconds, or a `Date`.
 *
 * @returns ISO-8601 UTC with milliseconds; null when it is none of these, a date that does not exist, or not within
 *   1970 to 9999
 */
export function parseTime(value: string | number | Date): string | null {
  if (value instanceof Date) {
    return toIso(value.getTime())
  }
  const text = String(value).trim()
  if (canonical.test(text)) {
    const time = toIso(Date.parse(text))
    // JavaScript reads February 30 as a day of March.
    return time === text ? time : null
  }
  if (/^\d{1,15}(\.\d+)?$/.test(text)) {
    const epoch = Number(text)
    return toIso(Math.trunc(epoch < smallestMilliseconds ? epoch * 1_000 : epoch))
  }
  const parts = written.exec(text)
  if (parts === null) {
    return null
  }
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate()
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth || hour > 23 || minute > 59 || second > 59) {
    return null
  }
  const milliseconds = Number((parts[7] ?? '').padEnd(3, '0').slice(0, 3))
  return toIso(Date.UTC(year, month - 1, day, hour, minute, second, milliseconds) - zoneOffsetMs(parts[8] ?? 'Z'))
}

function zoneOffsetMs(zone: string): number {
  const offset = /^([+-])(\d{2}):?(\d{2})$/.exec(zone)
  if (offset === null) {
    return 0
  }
  const minutes = Number(offset[2]) * 60 + Number(offset[3])
  return (offset[1] === '-' ? -minutes : minutes) * 60_000
}

const toIso = (epochMs: number): string | null =>
  epochMs >= 0 && epochMs <= latestMs ? new Date(epochMs).toISOString() : null
