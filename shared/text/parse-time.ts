/** Oracle has dots between hours and minutes. */
const clock = String.raw`(?<hour>\d{1,2})[:.](?<minute>\d{2})(?:[:.](?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?(?: ?(?<half>[ap])\.?m\.?)?`
/** A zone may be followed by its name, as Go, JavaScript and Java write it. */
const zone = String.raw`(?<zone>Z|UTC|UT|GMT|(?:UTC|GMT)?[+-]\d{2}(?::?\d{2})?)(?: [A-Z]{3,5}| \([^()]*\)|\[[^[\]]*\])?`
const weekday = `(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? +)?`
const named = String.raw`(?<name>[a-z]{3,9})\.?`

/** The forms of a date, with or without a time; a time without a zone is UTC. */
const forms: RegExp[] = [
  // ISO 8601, also a month alone, with spaces, slashes, dots or without zeros, and its basic form.
  String.raw`(?<year>\d{4})[-/.](?<month>\d{1,2})(?:[-/.](?<day>\d{1,2})(?:(?:T| +)${clock} ?(?:${zone})?)?)?`,
  String.raw`(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})T(?<hour>\d{2})(?<minute>\d{2})(?<second>\d{2})?(?:${zone})?`,
  // As databases write it in digits alone.
  String.raw`(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})(?<hour>\d{2})(?<minute>\d{2})(?<second>\d{2})`,
  // As Chinese and Japanese spreadsheets write a day.
  String.raw`(?<year>\d{4})年(?<month>\d{1,2})月(?<day>\d{1,2})日(?: *${clock})?`,
  // As German and other spreadsheets write a day, with dots.
  String.raw`(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})(?:,?(?: at)? +${clock}(?: ?${zone})?)?`,
  // RFC 2822, also with a year of two digits, as Excel and Oracle write it; and the order of words that Americans and the C
  // library write.
  String.raw`${weekday}(?<day>\d{1,2})\.?[ -]${named}[ -](?<year>\d{4}|\d{2})(?:,?(?: at)? +${clock}(?: ?${zone})?)?`,
  String.raw`${weekday}${named} +(?<day>\d{1,2})(?:st|nd|rd|th)?,? +(?<year>\d{4})(?:,?(?: at)? +${clock}(?: ?${zone})?)?`,
  String.raw`${weekday}${named} +(?<day>\d{1,2}) +${clock} +(?<year>\d{4})(?: +${zone})?`,
].map((form) => new RegExp(`^${form}$`, 'i'))

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** A year alone, or a month or a day in digits alone: as an epoch time, a moment in 1970. */
const digitsOfDay = /^(19[7-9]\d|20\d\d)(?:(\d{2})(\d{2})?)?$/

/** A day and a time in digits alone: as milliseconds since 1970, a moment after the year 2500. */
const digitsOfTime = /^(?:19[7-9]\d|20\d\d)\d{10}$/

/** Milliseconds since 1970, as .NET and older PowerShell write them. */
const dateOfDotNet = /^\/Date\((\d{1,15})(?:[+-]\d{4})?\)\/$/

/** Epoch times of at least these sizes are in smaller units: as seconds the first would be after the year 5000. */
const smallestMilliseconds = 100_000_000_000
const smallestMicroseconds = 1_000_000_000_000_000
const smallestNanoseconds = 1_000_000_000_000_000_000

/**
 * As spreadsheets count days, those from 1970 to 2173; as seconds they would all be of the first two of these days. They are
 * read to the second, since the fraction of a day is inexact.
 */
const firstDay = 25_569
const endOfDays = 100_000

/** A time as the result has it. */
const canonical = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * Reads a point in time: ISO 8601 or RFC 2822, a day, a month or a year only (its first midnight, UTC), epoch seconds,
 * milliseconds, microseconds or nanoseconds, the days since 1899-12-30 of a spreadsheet, or a `Date`; `yyyyMMddHHmmss`. A day in numbers alone
 * has its year first, or dots: 25.11.2026. A year of two digits follows the name of a month: 25-Nov-26.
 *
 * @returns ISO-8601 UTC with milliseconds; null when it is none of these, a date that does not exist, or not within
 *   1970 to 9999
 */
export function parseTime(value: string | number | Date): string | null {
  if (value instanceof Date) {
    return toIso(value.getTime())
  }
  const text = String(value)
    .trim()
    .replace(/[\u00a0\u202f]/g, ' ')
  if (canonical.test(text)) {
    const time = toIso(Date.parse(text))
    // JavaScript reads February 30 as a day of March.
    return time === text ? time : null
  }
  const dotNet = dateOfDotNet.exec(text)
  if (dotNet !== null) {
    return toIso(Number(dotNet[1]))
  }
  const day = digitsOfDay.exec(text)
  if (day !== null) {
    return toIso(midnightMs(Number(day[1]), Number(day[2] ?? 1), Number(day[3] ?? 1)))
  }
  if (!digitsOfTime.test(text) && /^\d{1,19}(?:\.\d{1,20})?(?:e\+?\d{1,2})?$/i.test(text)) {
    return toIso(Math.trunc(epochMs(Number(text))))
  }
  // A longer text has words that are no part of a time.
  const parts = text.length > 100 ? undefined : firstMatch(text)
  return parts === undefined ? null : timeOf(parts)
}

function firstMatch(text: string): Record<string, string | undefined> | undefined {
  for (const form of forms) {
    const match = form.exec(text)
    if (match !== null) {
      return match.groups
    }
  }
  return undefined
}

function timeOf(parts: Record<string, string | undefined>): string | null {
  const { name, zone: offset = 'Z', fraction = '' } = parts
  const month = name === undefined ? Number(parts['month']) : months.indexOf(name.slice(0, 3).toLowerCase()) + 1
  const [hour = 0, minute = 0, second = 0] = [parts['hour'], parts['minute'], parts['second']].map((part) =>
    Number(part ?? 0),
  )
  const half = parts['half']?.toLowerCase()
  if (hour > 23 || minute > 59 || second > 59 || (half !== undefined && (hour < 1 || hour > 12))) {
    return null
  }
  const milliseconds = Number(fraction.padEnd(3, '0').slice(0, 3))
  const ofHalf = half === undefined ? hour : (hour % 12) + (half === 'p' ? 12 : 0)
  const ofDay = ((ofHalf * 60 + minute) * 60 + second) * 1_000 + milliseconds
  return toIso(midnightMs(fullYear(parts['year']), month, Number(parts['day'] ?? 1)) + ofDay - zoneOffsetMs(offset))
}

/** A year of two digits is one from 1970 to 2069. */
const fullYear = (digits = ''): number =>
  digits.length === 2 ? Number(digits) + (Number(digits) < 70 ? 2_000 : 1_900) : Number(digits)

/** The beginning of a day; NaN for one that does not exist. */
function midnightMs(year: number, month: number, day: number): number {
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate()
  return month < 1 || month > 12 || day < 1 || day > daysInMonth ? Number.NaN : Date.UTC(year, month - 1, day)
}

const epochMs = (epoch: number): number =>
  epoch >= smallestNanoseconds
    ? epoch / 1_000_000
    : epoch >= smallestMicroseconds
      ? epoch / 1_000
      : epoch >= smallestMilliseconds
        ? epoch
        : epoch >= firstDay && epoch < endOfDays
          ? Math.round((epoch - firstDay) * 86_400) * 1_000
          : epoch * 1_000

/** The offset of Kiribati's Line Islands. */
const largestOffsetMinutes = 14 * 60

/** NaN for an offset that no place on Earth has. */
function zoneOffsetMs(text: string): number {
  const offset = /([+-])(\d{2}):?(\d{2})?$/.exec(text)
  if (offset === null) {
    return 0
  }
  const minutes = Number(offset[2]) * 60 + Number(offset[3] ?? 0)
  if (Number(offset[3] ?? 0) > 59 || minutes > largestOffsetMinutes) {
    return Number.NaN
  }
  return (offset[1] === '-' ? -minutes : minutes) * 60_000
}

const toIso = (epochMs: number): string | null =>
  epochMs >= 0 && epochMs <= latestMs ? new Date(epochMs).toISOString() : null
